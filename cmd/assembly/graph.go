package assembly

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"io"
	"log/slog"
	"net"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/demostore"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/doctor"
	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"
)

// appGraph returns everything that the components need, with its start and stop hooks.
func appGraph(life lifetime, s config.Settings, parts config.Components, l net.Listener, log *slog.Logger, tracing *telemetry.Tracing) fx.Option {
	return fx.Options(
		core(life, s, parts, log, tracing), refuseUnfinishedDemo(parts), compareKeys(parts),
		fx.Provide(func() net.Listener { return l }, newBackground),
		connectReplicas(s, parts), mailRelay(s, parts), sessionMonitoring(s, parts), backgroundWork(parts), graphRoutes(parts),
		marketRoutes(parts), pagesRoutes(parts), docsRoutes(s, parts), webhookRoutes(parts), eventRelay(s, parts), monitoring(), watchCachePurge(s, parts), profiling(s), server(parts),
	)
}

// when is an option if a condition holds, and else nothing.
func when(holds bool, option fx.Option) fx.Option {
	if !holds {
		return fx.Options()
	}
	return option
}

// refuseUnfinishedDemo does not let the program serve a part of a demo campus, whose indexes and
// counters may be missing.
func refuseUnfinishedDemo(parts config.Components) fx.Option {
	return when(parts.Identity(), fx.Invoke(func(life lifetime, db *gormstore.DB) error {
		ctx, cancel := context.WithTimeout(life, startTimeout)
		defer cancel()
		return demostore.CheckFinished(ctx, db)
	}))
}

// compareKeys warns of a key that was replaced. The program starts nevertheless: a lost key must not
// lock out those who do not need it.
func compareKeys(parts config.Components) fx.Option {
	return when(parts.Identity(), fx.Invoke(func(life lifetime, db *gormstore.DB, s *config.Settings, clock system.Clock, log *slog.Logger, _ *ecdsa.PrivateKey) {
		ctx, cancel := context.WithTimeout(life, startTimeout)
		defer cancel()
		if err := doctor.LogKeys(ctx, db, s, clock.Now(), log); err != nil {
			log.Warn("the keys were not compared with those that the database was used with", "error", err)
		}
	}))
}

// core returns what the components need, without their routes.
func core(life lifetime, s config.Settings, parts config.Components, log *slog.Logger, tracing *telemetry.Tracing) fx.Option {
	return fx.Options(
		fx.WithLogger(func() fxevent.Logger {
			quiet := &fxevent.SlogLogger{Logger: log}
			quiet.UseLogLevel(slog.LevelDebug)
			quiet.UseErrorLevel(slog.LevelDebug) // errors are returned, and printed once
			return quiet
		}),
		fx.StartTimeout(startTimeout), fx.StopTimeout(stopTimeout),
		fx.Supply(life, &s, parts, log, tracing),
		machine(), storage(s, parts), identity(s, parts), queueOfWork(parts), mails(s, parts),
		events(s, parts), cachePurge(s, parts), marketplace(parts),
	)
}

// machine provides the clock, random numbers and ids.
func machine() fx.Option {
	return fx.Provide(
		func() (system.Clock, io.Reader) { return system.Clock{}, rand.Reader },
		func(c system.Clock, random io.Reader) *system.IDs { return system.NewIDs(c, random) },
		func(c system.Clock) mailer.Clock { return c.Now },
	)
}
