package assembly

import (
	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/operations"
	"github.com/octavo-books/octavo/application/courier"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/prometheus/client_golang/prometheus"
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
		e.GET("/metrics", gin.WrapH(m.Handler(s.Watching.MetricsToken, direct(s).ReachedLocally)))
		return nil
	}}
}

// check adds a dependency to those that /readyz asks.
func check(constructor any) fx.Option {
	return fx.Provide(fx.Annotate(constructor, fx.ResultTags(`group:"checks"`)))
}

// mailMeter counts what becomes of messages.
type mailMeter struct{ settled *prometheus.CounterVec }

func newMailMeter(m *metrics.Metrics) courier.Meter {
	settled := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "octavo_mail_settled_total", Help: "Messages by kind and what became of them: sent, wait, dead or declined.",
	}, []string{"kind", "verdict"})
	m.Registry().MustRegister(settled)
	for _, k := range message.Kinds() { // a rise from nothing is no rise for Prometheus
		settled.WithLabelValues(string(k), string(courier.Dead))
	}
	return mailMeter{settled}
}

// Settled implements courier.Meter.
func (m mailMeter) Settled(kind message.Kind, v courier.Verdict) {
	m.settled.WithLabelValues(string(kind), string(v)).Inc()
}
