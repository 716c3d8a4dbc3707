package assembly

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/operations"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// watching is what an operator looks at.
func watching() fx.Option {
	return fx.Options(
		fx.Provide(
			func() *metrics.Metrics { return metrics.New(config.Version()) },
			newObserver,
			fx.Annotate(operations.NewReadiness, fx.ParamTags(``, `group:"checks"`)),
		),
		asEdge(watchingEdge),
	)
}

func watchingEdge(s *config.Settings, ready *operations.Readiness, m *metrics.Metrics) edge {
	return edge{mount: func(e *gin.Engine) error {
		e.GET("/healthz", gin.WrapF(operations.Live))
		e.GET("/readyz", gin.WrapH(ready))
		e.GET("/metrics", gin.WrapH(m.Handler(s.Watching.MetricsToken, direct(s).IsLocal)))
		return nil
	}}
}

// check adds a dependency to those that /readyz asks.
func check(constructor any) fx.Option {
	return fx.Provide(fx.Annotate(constructor, fx.ResultTags(`group:"checks"`)))
}

// newLogger writes to w: for people on a terminal, else as JSON for a collector.
// Lines of a request bear its id, and its trace's where it has one.
func newLogger(s config.WatchingSettings, w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.LogLevel)) // Validate has looked at it
	options := &slog.HandlerOptions{Level: level}
	var h slog.Handler = slog.NewJSONHandler(w, options)
	if s.LogFormat == "text" || s.LogFormat == "" && config.IsTerminal(w) {
		h = slog.NewTextHandler(w, options)
	}
	return slog.New(httpx.LogHandler{Handler: telemetry.LogHandler{Handler: h}})
}

// profiling serves profiles on a port of its own, which nobody but this machine
// reaches, where PPROF_ADDR asks for it.
func profiling(s config.Settings) fx.Option {
	if s.Watching.PprofAddr == "" {
		return fx.Options()
	}
	return fx.Invoke(func(lc fx.Lifecycle, log *slog.Logger) {
		server := &http.Server{Handler: direct(&s).Require(operations.Profiles()), ReadHeaderTimeout: 10 * time.Second}
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
