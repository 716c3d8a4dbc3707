package assembly

import (
	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/operations"
	"github.com/octavo-books/octavo/adapters/redisstore"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// sessions provides the stores of sessions and rate limits: Redis if it is configured, else
// the database.
func sessions(s config.Settings) fx.Option {
	if s.Storage.RedisURL == "" {
		return fx.Provide(
			authstore.NewSessions,
			func(s *authstore.Sessions) auth.SessionStore { return s },
			func(db *gormstore.DB) auth.RateLimiter { return authstore.NewRateLimiter(db) },
		)
	}
	return fx.Provide(
		newRedis,
		func(c *redisstore.Client, people *authstore.Identity) auth.SessionStore {
			return redisstore.NewSessions(c, people)
		},
		func(c *redisstore.Client) auth.RateLimiter { return redisstore.NewRateLimiter(c) },
	)
}

// sessionMonitoring checks and measures Redis if it is configured. Else it counts the
// sessions in the database.
func sessionMonitoring(s config.Settings, parts config.Components) fx.Option {
	switch {
	case !parts.Identity():
		return fx.Options()
	case s.Storage.RedisURL == "":
		return fx.Invoke(watchSessions)
	}
	return fx.Options(fx.Invoke(watchRedis), check(func(c *redisstore.Client) operations.Check {
		return operations.Check{Name: "redis", Required: true, Probe: c.Check}
	}))
}

func newRedis(lc fx.Lifecycle, s *config.Settings, t *telemetry.Tracing) (*redisstore.Client, error) {
	client, err := redisstore.Connect(s.Storage.RedisURL)
	if err != nil {
		return nil, config.Errorf("REDIS_URL", "%v", err)
	}
	instrumentRedis(client, t)
	lc.Append(fx.StopHook(client.Close))
	return client, nil
}
