package assembly

import (
	"log/slog"

	"github.com/octavo-books/octavo/adapters/cachepurge"
	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/readcache"
	"github.com/octavo-books/octavo/adapters/redisstore"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// cachePurge provides the purger of the caches in this process and, with CACHE_PURGE_URL, of the one in
// front. Commands have it, too: they suspend and delete accounts.
func cachePurge(s config.Settings, parts config.Components) fx.Option {
	if !parts.Identity() {
		return fx.Options()
	}
	caches := fx.Provide(func(c system.Clock) *readcache.Caches { return readcache.NewCaches(c.Now) })
	if s.Server.CachePurgeURL == "" {
		return fx.Options(caches, fx.Provide(func(c *readcache.Caches) market.Purger { return c }))
	}
	return fx.Options(
		caches,
		fx.Provide(newPurger, func(c *readcache.Caches, p *cachepurge.Purger) market.Purger { return readcache.Purgers{c, p} }),
		check("cache", (*cachepurge.Purger).Check),
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

// watchCachePurge measures the purges of a program that serves.
func watchCachePurge(s config.Settings, parts config.Components) fx.Option {
	return when(parts.Identity() && s.Server.CachePurgeURL != "", fx.Invoke(func(p *cachepurge.Purger, m *metrics.Metrics) { m.WatchPurges(p.Count, p.CountWaiting) }))
}

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
	server, err := gormstore.NewStandby(s.MainDatabase().SessionURL(), s.Storage.DatabaseReadURL, s.Storage.ReadMaxLag, log, traced(t)...)
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
	return httpx.MarkWriters(a.Authenticator, marks.MarkWriter, httpx.WriterConfig{Timeout: requestDeadline, SlowPaths: slowPaths()})
}

// watchStandby measures the standby.
func watchStandby(standby *standby, m *metrics.Metrics) {
	if standby == nil {
		return
	}
	m.WatchStandby(standby.server.Lag, standby.reads.CountReads)
	watchPool(m, "standby", standby.server.DB)
}
