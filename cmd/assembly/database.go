package assembly

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"text/tabwriter"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/cmd/config"
)

// openDatabase opens the database and makes sure that its schema is the one that
// this program knows. The embedded default is brought up to date in passing; on
// Postgres, where replicas of several releases may be running, that is a step of
// the operator's.
func openDatabase(ctx context.Context, url string, log *slog.Logger, needed []gormstore.Migrations, options ...gormstore.Option) (*gormstore.DB, error) {
	opening, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	db, err := gormstore.Open(opening, url, log, options...)
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL: %w", err)
	}
	err = matchSchema(opening, db, log, config.Database{URL: url, Schema: needed})
	if err == nil && db.Dialect == gormstore.SQLite {
		err = db.Migrate(ctx, needed...) // as long as it takes
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func matchSchema(ctx context.Context, db *gormstore.DB, log *slog.Logger, p config.Database) error {
	states, err := db.Schema(ctx, p.Schema...)
	if err != nil {
		return err
	}
	for _, s := range states {
		if s.TooOld() {
			return p.TooOld()
		}
		if s.Ahead() {
			return fmt.Errorf("the database is newer than this program (%s: %d, known: %d); start the newer program", s.Name, s.Current, s.Target)
		}
		if s.Behind() && db.Dialect == gormstore.Postgres {
			return fmt.Errorf("the database is older than this program (%s: %d, needed: %d); run: octavo migrate up", s.Name, s.Current, s.Target)
		}
	}
	if slices.ContainsFunc(states, func(s gormstore.State) bool { return s.Current > 0 && s.Behind() }) {
		log.InfoContext(ctx, "bringing the database up to date, which takes a while if it is large")
	}
	return nil
}

// MigrateUp takes every step that is left in every database.
func MigrateUp(ctx context.Context, s config.Settings, out io.Writer) error {
	if err := s.Prepare(); err != nil {
		return err
	}
	return eachPlace(ctx, s.Databases(), func(db *gormstore.DB, p config.Database) error {
		if err := db.Migrate(ctx, p.Schema...); errors.Is(err, gormstore.ErrTooOld) {
			return p.TooOld()
		} else if err != nil {
			return err
		}
		return printStates(ctx, db, p, out)
	})
}

// MigrateStatus prints how far each component's schema is.
func MigrateStatus(ctx context.Context, s config.Settings, out io.Writer) error {
	if err := s.RequireDatabase(ctx, s.Databases()...); err != nil {
		return err
	}
	var made []config.Database
	for _, p := range s.Databases() {
		if p.Embedded() && config.FileMissing(p.Path()) {
			_, _ = fmt.Fprintf(out, "%s: %s was not made yet\n", p.Name, p.Path())
			continue
		}
		made = append(made, p)
	}
	return eachPlace(ctx, made, func(db *gormstore.DB, p config.Database) error { return printStates(ctx, db, p, out) })
}

func eachPlace(ctx context.Context, all []config.Database, do func(*gormstore.DB, config.Database) error) error {
	for _, p := range all {
		db, err := gormstore.Open(ctx, p.URL, slog.New(slog.DiscardHandler))
		if err != nil {
			return fmt.Errorf("DATABASE_URL: %w", err)
		}
		err = do(db, p)
		if closing := db.Close(); err == nil {
			err = closing
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func printStates(ctx context.Context, db *gormstore.DB, p config.Database, out io.Writer) error {
	states, err := db.Schema(ctx, p.Schema...)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, s := range states {
		verdict := "up to date"
		switch {
		case s.TooOld():
			verdict = "of a development version: " + p.StartAnew()
		case s.Behind():
			verdict = "behind: run octavo migrate up"
		case s.Ahead():
			verdict = "ahead of this program"
		}
		_, _ = fmt.Fprintf(w, "%s\tversion %d of %d\t%s\n", s.Name, s.Current, s.Target, verdict)
	}
	return w.Flush()
}
