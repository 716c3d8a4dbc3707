package config

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/archive"
	"github.com/octavo-books/octavo/adapters/pgsignals"
)

const openTimeout = 60 * time.Second

// OpenUpToDate opens the database and makes sure that its schema is the one of this
// program. SQLite is migrated here. Postgres is not, because replicas of several releases
// may be running: there the operator decides when to migrate.
func (d Database) OpenUpToDate(ctx context.Context, log *slog.Logger, options ...gormstore.Option) (*gormstore.DB, error) {
	opening, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	db, err := d.Open(opening, log, options...)
	if err != nil {
		return nil, err
	}
	if write, _ := db.SQL(); db.Dialect == gormstore.Postgres { // until the program that serves has a better way
		db.Wakeups().NotifyOthers(pgsignals.Once(write, log))
	}
	if err = archive.CheckFinished(opening, db); err == nil {
		err = d.matchSchema(opening, db, log)
	}
	if err == nil && db.Dialect == gormstore.SQLite {
		err = d.migrate(ctx, db, log) // without a timeout
	}
	if err != nil {
		return nil, errors.Join(d.ReadOnly(err), db.Close())
	}
	return db, nil
}

// migrate migrates the schema and logs how long others have to wait, if they may notice.
func (d Database) migrate(ctx context.Context, db *gormstore.DB, log *slog.Logger) error {
	pauses, err := db.Pauses(ctx, d.Schema...)
	if err != nil {
		return err
	}
	for _, p := range pauses {
		if p.Takes < time.Second { // nobody notices
			continue
		}
		log.WarnContext(
			ctx, "migrating: nobody can write meanwhile", "component", p.Component, "rows", p.Rows, "about",
			p.Takes.Round(time.Millisecond).String(),
		)
	}
	return db.Migrate(ctx, d.Schema...)
}

func (d Database) matchSchema(ctx context.Context, db *gormstore.DB, log *slog.Logger) error {
	states, err := db.Schema(ctx, d.Schema...)
	if err != nil {
		return err
	}
	for _, s := range states {
		if s.TooOld() {
			return d.TooOld()
		}
		if s.Ahead() {
			return Errorf("DATABASE_URL", "the database is newer than this program (%s: %d, known: %d); start the newer program", s.Name, s.Current, s.Target)
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
