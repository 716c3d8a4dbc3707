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

// monitoring provides health checks and metrics.
func monitoring() fx.Option {
	return fx.Options(
		fx.Provide(
			func() *metrics.Metrics { return metrics.New(config.Version()) },
			newObserver,
			fx.Annotate(operations.NewReadiness, fx.ParamTags(``, `group:"checks"`)),
		),
		asRoutes(monitoringRoutes),
		fx.Invoke(watchDataDir),
	)
}

func monitoringRoutes(s *config.Settings, ready *operations.Readiness, m *metrics.Metrics) routeGroup {
	return routeGroup{mount: func(e *gin.Engine) error {
		e.GET("/healthz", gin.WrapF(operations.Live))
		e.GET("/readyz", gin.WrapH(ready))
		e.GET("/metrics", gin.WrapH(m.Handler(s.Monitoring.MetricsToken, direct(s).IsLocal)))
		return nil
	}}
}

// check adds a dependency to the checks of /readyz.
func check(constructor any) fx.Option {
	return fx.Provide(fx.Annotate(constructor, fx.ResultTags(`group:"checks"`)))
}

// newLogger makes a logger that writes text to a terminal and JSON to anything else. The
// lines of a request have its ID, and its trace ID if it is traced.
func newLogger(s config.MonitoringSettings, w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.LogLevel)) // Validate has checked it
	options := &slog.HandlerOptions{Level: level}
	var h slog.Handler = slog.NewJSONHandler(w, options)
	if s.LogFormat == "text" || s.LogFormat == "" && config.IsTerminal(w) {
		h = slog.NewTextHandler(w, options)
	}
	return slog.New(newOutageLog(httpx.LogHandler{Handler: telemetry.LogHandler{Handler: h}}))
}

// profiling serves profiles at PPROF_ADDR, if it is set. Only this machine can reach that
// address.
func profiling(s config.Settings) fx.Option {
	if s.Monitoring.PprofAddr == "" {
		return fx.Options()
	}
	return fx.Invoke(func(lc fx.Lifecycle, log *slog.Logger) {
		server := &http.Server{Handler: direct(&s).Require(operations.Profiles()), ReadHeaderTimeout: 10 * time.Second}
		lc.Append(fx.StartStopHook(func(ctx context.Context) error {
			var listening net.ListenConfig
			l, err := listening.Listen(ctx, "tcp", s.Monitoring.PprofAddr)
			if err != nil {
				return config.Errorf("PPROF_ADDR", "cannot listen: %v", err)
			}
			log.Info("profiles are served", "url", "http://"+l.Addr().String()+"/debug/pprof/")
			go func() { _ = server.Serve(l) }()
			return nil
		}, server.Close))
	})
}
