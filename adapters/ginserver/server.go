package ginserver

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"golang.org/x/net/http2"
)

// MaxDrain is the upper bound of the time that Stop waits for open requests.
const MaxDrain = 10 * time.Second

// Limits of one connection. Streams extend the write timeout themselves through
// http.ResponseController.
const (
	headerTimeout  = 10 * time.Second
	readTimeout    = time.Minute
	writeTimeout   = time.Minute
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
)

// Server is an HTTP server with a graceful shutdown.
type Server struct {
	drain     time.Duration
	http      http.Server
	log       *slog.Logger
	listeners []net.Listener
	draining  chan struct{}  // closed when Stop begins
	accepting sync.WaitGroup // done when every Serve has returned and accepts no more connections
	failed    chan error
}

// NewServer returns a server for h. Stop waits up to drain, but never longer than
// MaxDrain, for open requests.
func NewServer(h http.Handler, drain time.Duration, log *slog.Logger) *Server {
	s := &Server{
		drain: min(drain, MaxDrain), log: log,
		draining: make(chan struct{}), failed: make(chan error, 1),
	}
	s.http = http.Server{
		Handler:           s.closeWhenDraining(h),
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes,
		ErrorLog:       newErrorLog(log),
		BaseContext: func(net.Listener) context.Context {
			return httpx.WithDraining(context.Background(), s.draining)
		},
	}
	// It fails for a TLS configuration that allows no cipher of HTTP/2; here is none. Listeners of
	// TLS bring their own.
	// Server.Protocols cannot turn it on in a program that is built without net/http's own HTTP/2.
	_ = http2.ConfigureServer(&s.http, &http2.Server{IdleTimeout: idleTimeout}) //nolint:staticcheck // see above
	return s
}

// Start serves l in the background; connections of TLS may speak HTTP/2. It may be called for several
// listeners. If serving fails before Stop, the error is sent to Failed.
func (s *Server) Start(l net.Listener) {
	s.listeners = append(s.listeners, l)
	s.accepting.Go(func() {
		err := s.http.Serve(l)
		select {
		case <-s.draining: // Stop has closed the listener: not a failure
		default:
			select {
			case s.failed <- err:
			default: // another listener has failed before
			}
		}
	})
}

// closeWhenDraining asks clients during a shutdown not to reuse their connection.
// Otherwise it could be closed while their next request is on its way.
func (s *Server) closeWhenDraining(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-s.draining:
			w.Header().Set("Connection", "close")
		default:
		}
		next.ServeHTTP(w, r)
	})
}

// Failed receives the error if serving ends before Stop.
func (s *Server) Failed() <-chan error { return s.failed }

// keepAliveGrace gives clients with an idle connection the time for one more
// request, whose response announces the close.
const keepAliveGrace = 200 * time.Millisecond

// Stop accepts no more connections, ends the streams and waits for open requests.
// After the drain time, or when ctx ends, it closes the remaining connections.
// It may be called once, after the last Start.
func (s *Server) Stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.drain)
	defer cancel()
	close(s.draining)
	// Shutdown alone can miss a connection that was accepted a moment ago. After
	// Serve has returned, every connection is registered.
	for _, l := range s.listeners {
		_ = l.Close()
	}
	s.accepting.Wait()
	select {
	case <-time.After(min(keepAliveGrace, s.drain/2)):
	case <-ctx.Done():
	}
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		s.log.Warn("open requests were cut off at shutdown")
		return s.http.Close()
	}
	return err
}
