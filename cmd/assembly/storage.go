package assembly

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outagelog"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/pgsignals"
	"github.com/octavo-books/octavo/adapters/readcache"
	"github.com/octavo-books/octavo/adapters/redisstore"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// storage opens the main database: for accounts and the market, for a mailer that stores
// mails in the development mailbox, and for a webhook service that relays the events of
// other processes.
func storage(s config.Settings, parts config.Components) fx.Option {
	if !parts.Identity() && (!parts.Mailer || !s.DevMailbox()) && !s.RelayEvents(parts) {
		return fx.Options()
	}
	return fx.Provide(func(lc fx.Lifecycle, life lifetime, s *config.Settings, log *slog.Logger, t *telemetry.Tracing) (*gormstore.DB, error) {
		main := s.MainDatabase()
		main.Schema = parts.Schema()
		db, err := openFor(lc, life, main, log, t)
		if err == nil && db.Dialect == gormstore.Postgres {
			lc.Append(fx.StopHook(outagelog.Watch(log, db)))
		}
		return db, err
	})
}

// openFor opens a database and closes it after everything that uses it has stopped.
func openFor(lc fx.Lifecycle, life lifetime, d config.Database, log *slog.Logger, t *telemetry.Tracing) (*gormstore.DB, error) {
	db, err := d.OpenUpToDate(life, log, traced(t)...)
	if err != nil {
		return nil, err
	}
	lc.Append(fx.StopHook(db.Close))
	return db, nil
}

// traced makes a database trace its statements if tracing is on.
func traced(t *telemetry.Tracing) []gormstore.Option {
	if t == nil {
		return nil
	}
	return []gormstore.Option{gormstore.WithTracer(t)}
}

// watchPool measures the connections of a database.
func watchPool(m *metrics.Metrics, name string, db *gormstore.DB) {
	write, read := db.SQL()
	m.WatchPool(name, write, read)
}

// sessions provides the stores of sessions and rate limits: Redis if it is configured, else
// the database.
func sessions(s config.Settings) fx.Option {
	if s.Storage.RedisURL == "" {
		return fx.Provide(fx.Annotate(authstore.NewSessions, fx.As(fx.Self()), fx.As(new(auth.SessionStore))), fx.Annotate(authstore.NewRateLimiter, fx.As(new(auth.RateLimiter))))
	}
	return fx.Provide(
		closed(newRedis, (*redisstore.Client).Close),
		func(c *redisstore.Client, people *authstore.Identity) auth.SessionStore {
			return redisstore.NewSessions(c, people)
		},
		fx.Annotate(redisstore.NewRateLimiter, fx.As(new(auth.RateLimiter))),
	)
}

// sessionMonitoring checks and measures Redis if it is configured. Else it counts the
// sessions in the database.
func sessionMonitoring(s config.Settings, parts config.Components) fx.Option {
	switch {
	case !parts.Identity():
		return fx.Options()
	case s.Storage.RedisURL == "":
		return fx.Invoke(func(m *metrics.Metrics, s *authstore.Sessions, c system.Clock) { m.WatchSessions(c.Now, s.CountActive) })
	}
	return fx.Options(
		fx.Invoke(func(m *metrics.Metrics, c *redisstore.Client) { m.WatchRedis(c.CountTimeouts, c.ReadStats) }),
		require("redis", (*redisstore.Client).Check),
	)
}

func newRedis(s *config.Settings, t *telemetry.Tracing) (*redisstore.Client, error) {
	client, err := redisstore.Connect(s.Storage.RedisURL)
	if err != nil {
		return nil, config.Errorf("REDIS_URL", "%v", err)
	}
	if t != nil {
		client.Instrument(func(ctx context.Context, command string) (context.Context, func(error)) {
			return t.StartSpan(ctx, "redis", command)
		})
	}
	return client, nil
}

// replicaParts are what waits for other replicas, nil in a process without that part.
type replicaParts struct {
	fx.In
	Notifier *market.Notifier  `optional:"true"`
	Caches   *readcache.Caches `optional:"true"`
	Main     *gormstore.DB     `optional:"true"`
	Inbox    *inboxstore.Inbox `optional:"true"`
}

// connectReplicas tells replicas of each other's notifications, changes and work. An embedded database has
// no replicas, and a mailer only consumes the queue.
func connectReplicas(s config.Settings, parts config.Components) fx.Option {
	return when(!s.SQLite() && (parts.Identity() || parts.Webhooks), fx.Invoke(func(b background, p replicaParts, s *config.Settings, log *slog.Logger) error {
		var hubs []pgsignals.Hub
		if p.Main != nil {
			hubs = append(hubs, p.Main.Wakeups())
		}
		if p.Inbox != nil {
			hubs = append(hubs, p.Inbox.Wakeups())
		}
		if p.Caches != nil {
			hubs = append(hubs, p.Caches)
		}
		signals, err := pgsignals.New(s.MainDatabase().SessionURL(), log, hubs...)
		if err != nil {
			return fmt.Errorf("DATABASE_DIRECT_URL or DATABASE_URL: %w", err)
		}
		if p.Notifier != nil {
			p.Notifier.Connect(signals)
		}
		b.RunToTheEnd("signals between replicas", signals.Run) // what stops hands on its work
		return nil
	}))
}
