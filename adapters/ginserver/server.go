package ginserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/octavo-books/octavo/adapters/httpkit"
)

// Config says where to listen, and how long to finish.
type Config struct {
	Host  string
	Port  int           // 0: any free port
	Drain time.Duration // up to MaxDrain
}

// MaxDrain is the longest that Stop may take.
const MaxDrain = 10 * time.Second

// Validate refuses a port that is none and a drain that is too long.
func (c Config) Validate() error {
	if c.Port < 0 || c.Port > 65535 {
		return fmt.Errorf("PORT: %d is not between 0 and 65535", c.Port)
	}
	if c.Drain < 0 || c.Drain > MaxDrain {
		return fmt.Errorf("DRAIN_TIMEOUT: %v is not between 0 and %v", c.Drain, MaxDrain)
	}
	return nil
}

// The bounds of one connection. A stream lifts the write timeout for itself with
// http.ResponseController.
const (
	headerTimeout  = 10 * time.Second
	readTimeout    = time.Minute
	writeTimeout   = time.Minute
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
)

// Server listens and serves one handler.
type Server struct {
	cfg      Config
	http     http.Server
	log      *slog.Logger
	listener net.Listener
	draining chan struct{}
	failed   chan error
}

// NewServer makes a server that does not listen yet.
func NewServer(cfg Config, h http.Handler, log *slog.Logger) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, log: log, draining: make(chan struct{}), failed: make(chan error, 1)}
	s.http = http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes,
		ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		BaseContext: func(net.Listener) context.Context {
			return httpkit.WithDraining(context.Background(), s.draining)
		},
	}
	return s, nil
}

// Start listens and serves in the background; when it returns, connections are
// accepted. Failed tells if serving ends before Stop.
func (s *Server) Start(ctx context.Context) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(s.cfg.Host, strconv.Itoa(s.cfg.Port)))
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	s.listener = l
	go func() {
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	}()
	return nil
}

// Addr is where the server listens, with the port it was given; nil before Start.
func (s *Server) Addr() net.Addr {
	if s.listener == nil {
		return nil
	}
	return s.listener.Addr()
}

// Failed gets the reason if serving ends by itself.
func (s *Server) Failed() <-chan error { return s.failed }

// Stop takes no more connections, ends the streams and finishes what is in
// flight; after Config.Drain, or when ctx ends, it cuts off what is left.
// It may be called once.
func (s *Server) Stop(ctx context.Context) error {
	close(s.draining)
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Drain)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		s.log.Warn("requests were cut off while stopping")
		return s.http.Close()
	}
	return err
}
