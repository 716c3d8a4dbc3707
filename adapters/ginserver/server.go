package ginserver

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/octavo-books/octavo/adapters/httpkit"
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
	draining chan struct{}
	failed   chan error
}

// NewServer makes a server that takes no more than drain, at most MaxDrain, to
// finish what is in flight when it is stopped.
func NewServer(h http.Handler, drain time.Duration, log *slog.Logger) *Server {
	s := &Server{drain: min(drain, MaxDrain), log: log, draining: make(chan struct{}), failed: make(chan error, 1)}
	s.http = http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes,
		ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		BaseContext: func(net.Listener) context.Context {
			return httpkit.WithDraining(context.Background(), s.draining)
		},
	}
	return s
}

// Start serves what comes in on l, in the background. Failed tells if serving
// ends before Stop.
func (s *Server) Start(l net.Listener) {
	go func() {
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	}()
}

// Failed gets the reason if serving ends by itself.
func (s *Server) Failed() <-chan error { return s.failed }

// Stop takes no more connections, ends the streams and finishes what is in
// flight; after the drain time, or when ctx ends, it cuts off what is left.
// It may be called once.
func (s *Server) Stop(ctx context.Context) error {
	close(s.draining)
	ctx, cancel := context.WithTimeout(ctx, s.drain)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		s.log.Warn("requests were cut off while stopping")
		return s.http.Close()
	}
	return err
}
