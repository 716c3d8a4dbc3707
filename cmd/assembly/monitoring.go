package assembly

import (
	"context"
	"log/slog"

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
var probes = []string{"/healthz", "/readyz", "/metrics", "/metrics/faults"}

// monitoring provides health checks and metrics.
func monitoring() fx.Option {
	return fx.Options(
		fx.Provide(
			func(log *slog.Logger) *metrics.Metrics { return metrics.New(config.Version(), log) },
			newObserver, operations.FaultsOf,
			fx.Annotate(operations.NewReadiness, fx.ParamTags(``, `group:"checks"`)),
		),
		asRoutes(monitoringRoutes),
		fx.Invoke(func(m *metrics.Metrics, c system.Clock, s *config.Settings) {
			m.WatchDataDir(c.Now, func() (uint64, error) { return doctor.FreeSpace(s.Storage.DataDir) }, s.LastBackup)
		}),
	)
}

func monitoringRoutes(s *config.Settings, ready *operations.Readiness, m *metrics.Metrics, faults *operations.Faults) ginserver.Group {
	return ginserver.Group{Mount: func(e *gin.Engine) error {
		e.GET("/healthz", gin.WrapF(operations.Live))
		e.GET("/readyz", gin.WrapH(ready))
		e.GET("/metrics", gin.WrapH(m.Handler(s.Monitoring.MetricsToken, s.Direct().IsLocal)))
		e.GET("/metrics/faults", gin.WrapH(metrics.Guard(s.Monitoring.MetricsToken, s.Direct().IsLocal, faults)))
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

// profiling serves profiles at PPROF_ADDR, if it is set. Only this machine can reach that
// address.
func profiling(s config.Settings) fx.Option {
	return when(s.Monitoring.PprofAddr != "", fx.Invoke(func(lc fx.Lifecycle, log *slog.Logger) {
		p := &operations.ProfileServer{Addr: s.Monitoring.PprofAddr, Guard: s.Direct().Require, Log: log}
		lc.Append(fx.StartStopHook(func(ctx context.Context) error {
			if err := p.Start(ctx); err != nil {
				return config.Errorf("PPROF_ADDR", "cannot listen: %v", err)
			}
			return nil
		}, p.Close))
	}))
}
