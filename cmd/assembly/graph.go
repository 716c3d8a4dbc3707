package assembly

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/demostore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/hashing"
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
		core(life, s, parts, log, tracing), checkDatabase(parts),
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

// checkDatabase does not let the program serve a part of a demo campus, whose indexes and counters may be missing. It
// warns of a key that was replaced. The program starts nevertheless: a lost key must not lock out those who do not
// need it.
func checkDatabase(parts config.Components) fx.Option {
	return when(parts.Identity(), fx.Invoke(func(life lifetime, db *gormstore.DB, s *config.Settings, clock system.Clock, log *slog.Logger, _ *ecdsa.PrivateKey) error {
		ctx, cancel := context.WithTimeout(life, startTimeout)
		defer cancel()
		if err := demostore.CheckFinished(ctx, db); err != nil {
			return err
		}
		if err := doctor.LogKeys(ctx, db, s, clock.Now(), log); err != nil {
			log.Warn("the keys were not compared with those that the database was used with", "error", err)
		}
		return nil
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

// WithExisting is With on databases that exist already; it creates none.
func WithExisting[T any](ctx context.Context, s config.Settings, parts config.Components, logTo io.Writer, do func(T) error) error {
	if err := s.RequireDatabase(ctx, s.MainDatabase()); err != nil {
		return err
	}
	return With(ctx, s, parts, logTo, do)
}

// With builds the T of the named components for a command, with the databases open and
// nothing served, calls do and closes everything again.
func With[T any](ctx context.Context, s config.Settings, parts config.Components, logTo io.Writer, do func(T) error) error {
	if err := s.Prepare(); err != nil {
		return err
	}
	s.DeriveAddresses(nil)
	log := s.NewLogger(logTo)
	var t T
	life := newLifetime(ctx)
	defer life.end()
	app := fx.New(core(life, s, parts, log, nil), fx.Populate(&t))
	if err := start(ctx, app); err != nil {
		return err
	}
	failed := do(t)
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return errors.Join(failed, app.Stop(stopping))
}

// DemoParts are what a demo campus is filled with.
type DemoParts struct {
	fx.In
	DB     *gormstore.DB
	Market *marketstore.Store
	Hasher *hashing.Hasher
	Clock  system.Clock
}

// machine provides the clock, random numbers and ids.
func machine() fx.Option {
	return fx.Provide(
		func() (system.Clock, io.Reader) { return system.Clock{}, rand.Reader },
		func(c system.Clock, random io.Reader) *system.IDs { return system.NewIDs(c, random) },
		func(c system.Clock) mailer.Clock { return c.Now },
	)
}
