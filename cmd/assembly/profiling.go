package assembly

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/octavo-books/octavo/adapters/operations"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// profiling serves profiles on a port of its own, which nobody but this machine
// reaches, where PPROF_ADDR asks for it.
func profiling(s config.Settings) fx.Option {
	if s.Watching.PprofAddr == "" {
		return fx.Options()
	}
	return fx.Invoke(func(lc fx.Lifecycle, log *slog.Logger) {
		server := &http.Server{Handler: direct(&s).Only(operations.Profiles()), ReadHeaderTimeout: 10 * time.Second}
		lc.Append(fx.StartStopHook(func(ctx context.Context) error {
			var listening net.ListenConfig
			l, err := listening.Listen(ctx, "tcp", s.Watching.PprofAddr)
			if err != nil {
				return config.Errorf("PPROF_ADDR", "cannot listen: %v", err)
			}
			log.Info("profiles are served", "url", "http://"+l.Addr().String()+"/debug/pprof/")
			go func() { _ = server.Serve(l) }()
			return nil
		}, server.Close))
	})
}
