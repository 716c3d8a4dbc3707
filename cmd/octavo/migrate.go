package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"text/tabwriter"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/cmd/config"
)

type migrateCommand struct {
	Up     migrateUp     `cmd:"" help:"Apply every pending migration."`
	Status migrateStatus `cmd:"" help:"Print the schema version of each component."`
}

type migrateUp struct{}

// Run applies every pending migration of every database.
func (migrateUp) Run(ctx context.Context, s *config.Settings, c console) error {
	if err := s.Prepare(); err != nil {
		return err
	}
	shown := c.startProgress("migrate")
	defer shown.Stop()
	return eachDatabase(ctx, s.Databases(), func(db *gormstore.DB, d config.Database) error {
		shown.Report("migrating the "+d.Name, 0, 0)
		if err := db.Migrate(ctx, d.Schema...); errors.Is(err, gormstore.ErrTooOld) {
			return d.TooOld()
		} else if err != nil {
			return err
		}
		return printStates(ctx, db, d, c.out)
	})
}

type migrateStatus struct{}

// Run prints the schema version of each component.
func (migrateStatus) Run(ctx context.Context, s *config.Settings, c console) error {
	if err := s.RequireDatabase(ctx, s.Databases()...); err != nil {
		return err
	}
	var existing []config.Database
	for _, d := range s.Databases() {
		if d.Embedded() && config.FileMissing(d.Path()) {
			_, _ = fmt.Fprintf(c.out, "%s: %s does not exist yet\n", d.Name, d.Path())
			continue
		}
		existing = append(existing, d)
	}
	return eachDatabase(ctx, existing, func(db *gormstore.DB, d config.Database) error { return printStates(ctx, db, d, c.out) })
}

func eachDatabase(ctx context.Context, all []config.Database, do func(*gormstore.DB, config.Database) error) error {
	for _, d := range all {
		db, err := d.Open(ctx, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		if err := errors.Join(do(db, d), db.Close()); err != nil {
			return err
		}
	}
	return nil
}

func printStates(ctx context.Context, db *gormstore.DB, d config.Database, out io.Writer) error {
	states, err := db.Schema(ctx, d.Schema...)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, state := range states {
		verdict := "up to date"
		switch {
		case state.TooOld():
			verdict = "of a development version: " + d.StartAnew()
		case state.Behind():
			verdict = "behind: run octavo migrate up"
		case state.Ahead():
			verdict = "ahead of this program"
		}
		_, _ = fmt.Fprintf(w, "%s\tversion %d of %d\t%s\n", state.Name, state.Current, state.Target, verdict)
	}
	return w.Flush()
}
