package assembly

import (
	"log/slog"

	"github.com/octavo-books/octavo/adapters/cachepurge"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/operations"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
)

// cachePurge provides the purger of the caches in this process and, with CACHE_PURGE_URL, of the one in
// front. Commands have it, too: they suspend and delete accounts.
func cachePurge(s config.Settings, parts config.Components) fx.Option {
	if !parts.Identity() {
		return fx.Options()
	}
	if s.Server.CachePurgeURL == "" {
		return fx.Provide(newReadCaches, func(c *readCaches) market.Purger { return c })
	}
	return fx.Options(
		fx.Provide(newReadCaches, newPurger, func(c *readCaches, p *cachepurge.Purger) market.Purger { return purgers{c, p} }),
		check(func(p *cachepurge.Purger) operations.Check { return operations.Check{Name: "cache", Probe: p.Check} }),
	)
}

// newPurger returns a purger that runs until everything that depends on it has stopped, and that
// then sends what is left.
func newPurger(lc fx.Lifecycle, s *config.Settings, log *slog.Logger) (*cachepurge.Purger, error) {
	p, err := cachepurge.New(s.CachePurge(), s.CachePurgeAgain(), log)
	if err == nil {
		newBackground(lc, lifetime{}, log).RunToTheEnd("purging the cache", p.Run)
	}
	return p, err
}

// surrogateKeys returns how responses tell the cache in front what they show.
func surrogateKeys(s *config.Settings) httpx.SurrogateKeys {
	if s.Server.CachePurgeURL == "" {
		return httpx.SurrogateKeys{}
	}
	header, separator := s.CachePurge().Header()
	return httpx.SurrogateKeys{Header: header, Separator: separator}
}

// watchCachePurge measures the purges of a program that serves.
func watchCachePurge(s config.Settings, parts config.Components) fx.Option {
	if !parts.Identity() || s.Server.CachePurgeURL == "" {
		return fx.Options()
	}
	return fx.Invoke(func(p *cachepurge.Purger, m *metrics.Metrics) {
		count := func(outcome string, n func() uint64) prometheus.Collector {
			return prometheus.NewCounterFunc(prometheus.CounterOpts{
				Name: "octavo_cache_purges_total", Help: "Purges of the cache in front, by outcome.",
				ConstLabels: prometheus.Labels{"outcome": outcome},
			}, func() float64 { return float64(n()) })
		}
		m.Registry().MustRegister(
			count("sent", func() uint64 { sent, _ := p.Count(); return sent }),
			count("failed", func() uint64 { _, failed := p.Count(); return failed }),
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{
				Name: "octavo_cache_purge_waiting", Help: "Keys that are still to be purged, for the first or for the second time.",
			}, func() float64 { return float64(p.CountWaiting()) }),
		)
	})
}
