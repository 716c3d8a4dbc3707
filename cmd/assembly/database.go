package assembly

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/pgsignals"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// storage opens the main database: for accounts and the market, for a mailer that stores
// mails in the development mailbox, and for a webhook service that relays the events of
// other processes.
func storage(s config.Settings, parts config.Components) fx.Option {
	if !parts.Identity() && (!parts.Mailer || !s.DevMailbox()) && !relaysEvents(s, parts) {
		return fx.Options()
	}
	return fx.Provide(func(lc fx.Lifecycle, life lifetime, s *config.Settings, log *slog.Logger, t *telemetry.Tracing) (*gormstore.DB, error) {
		main := s.MainDatabase()
		main.Schema = parts.Schema()
		db, err := openFor(lc, life, main, log, instrument(t)...)
		if err == nil && db.Dialect == gormstore.Postgres {
			watchDatabase(lc, log, db)
		}
		return db, err
	})
}

// openFor opens a database and closes it after everything that uses it has stopped.
func openFor(lc fx.Lifecycle, life lifetime, d config.Database, log *slog.Logger, options ...gormstore.Option) (*gormstore.DB, error) {
	db, err := OpenDatabase(life, d, log, options...)
	if err != nil {
		return nil, err
	}
	lc.Append(fx.StopHook(db.Close))
	return db, nil
}

// OpenDatabase opens a database and makes sure that its schema is the one of this
// program. SQLite is migrated here. Postgres is not, because replicas of several releases
// may be running: there the operator decides when to migrate.
func OpenDatabase(ctx context.Context, d config.Database, log *slog.Logger, options ...gormstore.Option) (*gormstore.DB, error) {
	opening, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	db, err := d.Open(opening, log, options...)
	if err != nil {
		return nil, err
	}
	if write, _ := db.SQL(); db.Dialect == gormstore.Postgres { // until connectReplicas has a better way
		db.Wakeups().NotifyOthers(pgsignals.Once(write, log))
	}
	err = matchSchema(opening, db, log, d)
	if err == nil && db.Dialect == gormstore.SQLite {
		err = migrate(ctx, db, log, d) // without a timeout
	}
	if err != nil {
		return nil, errors.Join(d.ReadOnly(err), db.Close())
	}
	return db, nil
}

// migrate migrates the schema and logs how long others have to wait, if they may notice.
func migrate(ctx context.Context, db *gormstore.DB, log *slog.Logger, d config.Database) error {
	pauses, err := db.Pauses(ctx, d.Schema...)
	if err != nil {
		return err
	}
	for _, p := range pauses {
		if p.Takes < time.Second { // nobody notices
			continue
		}
		log.WarnContext(ctx, "migrating: nobody can write meanwhile", "component", p.Component, "rows", p.Rows, "about", p.Takes.Round(time.Millisecond).String())
	}
	return db.Migrate(ctx, d.Schema...)
}

func matchSchema(ctx context.Context, db *gormstore.DB, log *slog.Logger, d config.Database) error {
	states, err := db.Schema(ctx, d.Schema...)
	if err != nil {
		return err
	}
	for _, s := range states {
		if s.TooOld() {
			return d.TooOld()
		}
		if s.Ahead() {
			return fmt.Errorf("the database is newer than this program (%s: %d, known: %d); start the newer program", s.Name, s.Current, s.Target)
		}
		if s.Behind() && db.Dialect == gormstore.Postgres {
			return fmt.Errorf("the database is older than this program (%s: %d, needed: %d); run: octavo migrate up", s.Name, s.Current, s.Target)
		}
	}
	if slices.ContainsFunc(states, func(s gormstore.State) bool { return s.Current > 0 && s.Behind() }) {
		log.InfoContext(ctx, "migrating the database; a large one takes a while")
	}
	return nil
}
