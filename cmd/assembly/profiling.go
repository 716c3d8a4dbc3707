package assembly

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/octavo-books/octavo/adapters/operations"
	"go.uber.org/fx"
)

// profiling serves profiles on a port of its own, which nobody but this machine
// reaches, where PPROF_ADDR asks for it.
func profiling(s Settings) fx.Option {
	if s.Watching.PprofAddr == "" {
		return fx.Options()
	}
	return fx.Invoke(func(lc fx.Lifecycle, log *slog.Logger) {
		server := &http.Server{Handler: s.direct().Only(operations.Profiles()), ReadHeaderTimeout: 10 * time.Second}
		lc.Append(fx.StartStopHook(func(ctx context.Context) error {
			var config net.ListenConfig
			l, err := config.Listen(ctx, "tcp", s.Watching.PprofAddr)
			if err != nil {
				return refused("PPROF_ADDR", "cannot listen: %v", err)
			}
			log.Info("profiles are served", "url", "http://"+l.Addr().String()+"/debug/pprof/")
			go func() { _ = server.Serve(l) }()
			return nil
		}, server.Close))
	})
}

// checkPprof lets nobody in from elsewhere: a profile shows what is in memory.
func (s *Settings) checkPprof() error {
	address := s.Watching.PprofAddr
	if address == "" {
		return nil
	}
	if host, _, err := net.SplitHostPort(address); err != nil || !loopback(host) {
		return refused("PPROF_ADDR", "%q is not a loopback address such as 127.0.0.1:6060", address)
	}
	return nil
}
