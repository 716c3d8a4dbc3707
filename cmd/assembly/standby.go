package assembly

import (
	"log/slog"
	"math"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/redisstore"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
)

// standby is the standby of DATABASE_READ_URL; nil without one.
type standby struct {
	server *gormstore.Standby
	store  *marketstore.Store
	reads  *market.StandbyReads
}

func newStandby(lc fx.Lifecycle, sealer outboxstore.Sealer, marks market.WriteMarks, s *config.Settings, t *telemetry.Tracing, log *slog.Logger) (*standby, error) {
	if s.Storage.DatabaseReadURL == "" {
		return nil, nil
	}
	server, err := gormstore.NewStandby(s.MainDatabase().SessionURL(), s.Storage.DatabaseReadURL, s.Storage.ReadMaxLag, log, instrument(t)...)
	if err != nil {
		return nil, err
	}
	// Nothing is lost if the process exits before, and a standby that hangs must not delay that:
	// closing a connection waits for the server to forget its prepared statements.
	lc.Append(fx.StopHook(func() { go func() { _ = server.Close() }() }))
	return &standby{server, marketstore.New(server.DB, sealer), market.NewStandbyReads(server, marks)}, nil
}

// writeMarks provides the marks of writers, nil without a standby or without Redis.
func writeMarks(s config.Settings) fx.Option {
	if s.Storage.DatabaseReadURL == "" || s.Storage.RedisURL == "" {
		return fx.Provide(func() market.WriteMarks { return nil })
	}
	return fx.Provide(func(c *redisstore.Client) market.WriteMarks { return redisstore.NewWriteMarks(c, s.Storage.ReadMaxLag) })
}

func newAuthenticator(a *authrooms.Auth, marks market.WriteMarks) httpx.Authenticator {
	if marks == nil {
		return a.Authenticator
	}
	return httpx.MarkWriters(a.Authenticator, marks, httpx.WriterConfig{Timeout: requestDeadline, SlowPaths: slowPaths()})
}

// watchStandby checks the standby while the program serves, and measures it.
func watchStandby(b background, standby *standby, m *metrics.Metrics) error {
	if standby == nil {
		return nil
	}
	b.Run("checking the standby", standby.server.Watch)
	m.Registry().MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "octavo_standby_lag_seconds", Help: "How far the standby is behind at most, +Inf if that is unknown.",
		}, func() float64 {
			if lag, known := standby.server.Lag(); known {
				return lag.Seconds()
			}
			return math.Inf(1)
		}),
		countStandbyReads("standby", func() uint64 { n, _ := standby.reads.CountReads(); return n }),
		countStandbyReads("primary", func() uint64 { _, n := standby.reads.CountReads(); return n }),
	)
	return watchPool(m, "standby", standby.server.DB)
}

func countStandbyReads(server string, count func() uint64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "octavo_standby_reads_total", Help: "Reads for which a standby is meant, by the server that served them.",
		ConstLabels: prometheus.Labels{"server": server},
	}, func() float64 { return float64(count()) })
}
