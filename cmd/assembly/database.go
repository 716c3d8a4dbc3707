package assembly

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/octavo-books/octavo/adapters/gormstore"
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
	err = matchSchema(opening, db, log, place{url: url, schema: needed})
	if err == nil && db.Dialect == gormstore.SQLite {
		err = db.Migrate(ctx, needed...) // as long as it takes
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func matchSchema(ctx context.Context, db *gormstore.DB, log *slog.Logger, p place) error {
	states, err := db.Schema(ctx, p.schema...)
	if err != nil {
		return err
	}
	for _, s := range states {
		if s.TooOld() {
			return p.tooOld()
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

// place is a database and what is kept there.
type place struct {
	name   string // as people are told
	url    string
	schema []gormstore.Migrations
}

// places are all databases of the settings. On SQLite the inbox has a file of
// its own, so that its writer waits for nobody else's.
func (s *Settings) places() []place {
	if s.sqlite() {
		return []place{s.mainPlace(), s.inboxPlace()}
	}
	return []place{{"database", s.Storage.DatabaseURL, append(mainSchema(), inboxSchema()...)}}
}

// tooOld refuses the database of a development version: nothing was released before.
func (p place) tooOld() error { return fmt.Errorf("%w; %s", gormstore.ErrTooOld, p.startAnew()) }

// startAnew tells how to get an empty database.
func (p place) startAnew() string {
	if p.embedded() {
		return "delete " + p.path()
	}
	return "drop the database, create it again, and run: octavo migrate up"
}

func (s *Settings) mainPlace() place { return place{"database", s.Storage.DatabaseURL, mainSchema()} }

func (s *Settings) inboxPlace() place { return place{"inbox", s.inboxURL(), inboxSchema()} }

func (s *Settings) inboxURL() string {
	if s.sqlite() {
		return "sqlite:" + filepath.Join(s.Storage.DataDir, "webhooks.db")
	}
	return s.Storage.DatabaseURL
}

func (s *Settings) sqlite() bool {
	return len(s.Storage.DatabaseURL) > 7 && s.Storage.DatabaseURL[:7] == "sqlite:"
}

// MigrateUp takes every step that is left in every database.
func MigrateUp(ctx context.Context, s Settings, out io.Writer) error {
	if err := s.prepare(); err != nil {
		return err
	}
	return eachPlace(ctx, s.places(), func(db *gormstore.DB, p place) error {
		if err := db.Migrate(ctx, p.schema...); errors.Is(err, gormstore.ErrTooOld) {
			return p.tooOld()
		} else if err != nil {
			return err
		}
		return printStates(ctx, db, p, out)
	})
}

// MigrateStatus prints how far each component's schema is.
func MigrateStatus(ctx context.Context, s Settings, out io.Writer) error {
	if err := s.expect(ctx, s.places()...); err != nil {
		return err
	}
	var made []place
	for _, p := range s.places() {
		if p.embedded() && missing(p.path()) {
			_, _ = fmt.Fprintf(out, "%s: %s was not made yet\n", p.name, p.path())
			continue
		}
		made = append(made, p)
	}
	return eachPlace(ctx, made, func(db *gormstore.DB, p place) error { return printStates(ctx, db, p, out) })
}

func eachPlace(ctx context.Context, all []place, do func(*gormstore.DB, place) error) error {
	for _, p := range all {
		db, err := gormstore.Open(ctx, p.url, slog.New(slog.DiscardHandler))
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

func printStates(ctx context.Context, db *gormstore.DB, p place, out io.Writer) error {
	states, err := db.Schema(ctx, p.schema...)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, s := range states {
		verdict := "up to date"
		switch {
		case s.TooOld():
			verdict = "of a development version: " + p.startAnew()
		case s.Behind():
			verdict = "behind: run octavo migrate up"
		case s.Ahead():
			verdict = "ahead of this program"
		}
		_, _ = fmt.Fprintf(w, "%s\tversion %d of %d\t%s\n", s.Name, s.Current, s.Target, verdict)
	}
	return w.Flush()
}
