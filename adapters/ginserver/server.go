package ginserver

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
)

// MaxDrain is the longest that Stop may take.
const MaxDrain = 10 * time.Second

// The bounds of one connection. A stream lifts the write timeout for itself with
// http.ResponseController.
const (
	headerTimeout  = 10 * time.Second
	readTimeout    = time.Minute
	writeTimeout   = time.Minute
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
)

// Server serves one handler.
type Server struct {
	drain    time.Duration
	http     http.Server
	log      *slog.Logger
	listener net.Listener
	draining chan struct{} // closed when Stop begins
	accepted chan struct{} // closed when the last connection has been accepted
	failed   chan error
}

// NewServer makes a server that takes no more than drain, at most MaxDrain, to
// finish what is in flight when it is stopped.
func NewServer(h http.Handler, drain time.Duration, log *slog.Logger) *Server {
	s := &Server{
		drain: min(drain, MaxDrain), log: log,
		draining: make(chan struct{}), accepted: make(chan struct{}), failed: make(chan error, 1),
	}
	s.http = http.Server{
		Handler:           s.farewell(h),
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes,
		ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		BaseContext: func(net.Listener) context.Context {
			return httpx.WithDraining(context.Background(), s.draining)
		},
	}
	return s
}

// Start serves what comes in on l, in the background. Failed tells if serving
// ends before Stop.
func (s *Server) Start(l net.Listener) {
	s.listener = l
	go func() {
		defer close(s.accepted)
		err := s.http.Serve(l)
		select {
		case <-s.draining: // Stop has closed the listener
		default:
			s.failed <- err
		}
	}()
}

// farewell asks clients not to use their connection again once draining, so
// that it is not closed under a request that is on its way.
func (s *Server) farewell(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-s.draining:
			w.Header().Set("Connection", "close")
		default:
		}
		next.ServeHTTP(w, r)
	})
}

// Failed gets the reason if serving ends by itself.
func (s *Server) Failed() <-chan error { return s.failed }

// lull is how long clients with an open connection are given to come by once
// more and be told that it closes.
const lull = 200 * time.Millisecond

// Stop takes no more connections, ends the streams and finishes what is in
// flight; after the drain time, or when ctx ends, it cuts off what is left.
// It may be called once, after Start.
func (s *Server) Stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.drain)
	defer cancel()
	close(s.draining)
	// Shutdown alone may overlook a connection that was accepted a moment ago.
	// Once Serve has returned, the server knows of every one.
	_ = s.listener.Close()
	<-s.accepted
	select {
	case <-time.After(min(lull, s.drain/2)):
	case <-ctx.Done():
	}
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		s.log.Warn("requests were cut off while stopping")
		return s.http.Close()
	}
	return err
}
