package assembly

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/ginserver"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/operations"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/doctor"
	"go.uber.org/fx"
)

// check adds a dependency to the checks of /readyz.
func check[T any](name string, probe func(T, context.Context) error) fx.Option {
	return checked(name, false, probe)
}

// require is check for one without which the program is not ready.
func require[T any](name string, probe func(T, context.Context) error) fx.Option {
	return checked(name, true, probe)
}

func checked[T any](name string, required bool, probe func(T, context.Context) error) fx.Option {
	return fx.Provide(fx.Annotate(func(of T) operations.Check {
		return operations.Check{Name: name, Required: required, Probe: func(ctx context.Context) error { return probe(of, ctx) }}
	}, fx.ResultTags(`group:"checks"`)))
}

// probes are the paths that monitoring requests all the time. They are not traced.
var probes = []string{"/healthz", "/readyz", "/metrics"}

// monitoring provides health checks and metrics.
func monitoring() fx.Option {
	return fx.Options(
		fx.Provide(
			func(log *slog.Logger) *metrics.Metrics { return metrics.New(config.Version(), log) },
			newObserver,
			fx.Annotate(operations.NewReadiness, fx.ParamTags(``, `group:"checks"`)),
		),
		asRoutes(monitoringRoutes),
		fx.Invoke(func(m *metrics.Metrics, c system.Clock, s *config.Settings) {
			m.WatchDataDir(c.Now, func() (uint64, error) { return doctor.FreeSpace(s.Storage.DataDir) }, s.LastBackup)
		}),
	)
}

func monitoringRoutes(s *config.Settings, ready *operations.Readiness, m *metrics.Metrics) ginserver.Group {
	return ginserver.Group{Mount: func(e *gin.Engine) error {
		e.GET("/healthz", gin.WrapF(operations.Live))
		e.GET("/readyz", gin.WrapH(ready))
		e.GET("/metrics", gin.WrapH(m.Handler(s.Monitoring.MetricsToken, s.Direct().IsLocal)))
		return nil
	}}
}

// newObserver counts every finished request, and ends its trace.
func newObserver(m *metrics.Metrics, t *telemetry.Tracing) func(context.Context, httpx.RequestInfo) {
	return func(ctx context.Context, info httpx.RequestInfo) {
		m.Observe(info.Method, info.Route, info.Status, info.Duration)
		t.RecordResponse(ctx, info.Method, info.Route, info.Status)
	}
}

// newTracing traces requests as the standard variables of OpenTelemetry say; nil if they turn
// tracing off. These variables are not flags, because every program has the same.
func newTracing(ctx context.Context, console io.Writer, log *slog.Logger) (*telemetry.Tracing, error) {
	settings, err := config.TracingConfig()
	if err != nil {
		return nil, err
	}
	t, err := telemetry.New(ctx, settings, config.Version(), console, log)
	return t, config.TracingError(err)
}

// profiling serves profiles at PPROF_ADDR, if it is set. Only this machine can reach that
// address.
func profiling(s config.Settings) fx.Option {
	if s.Monitoring.PprofAddr == "" {
		return fx.Options()
	}
	return fx.Invoke(func(lc fx.Lifecycle, log *slog.Logger) {
		server := &http.Server{Handler: s.Direct().Require(operations.Profiles()), ReadHeaderTimeout: 10 * time.Second}
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
