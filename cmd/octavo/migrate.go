package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/archive"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

type migrateCommand struct {
	Up     migrateUp     `cmd:"" help:"Apply every pending migration."`
	Status migrateStatus `cmd:"" help:"Print the schema version of each component."`
}

type migrateUp struct{}

// Run applies every pending migration of every database.
func (migrateUp) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	if err := s.Prepare(); err != nil {
		return err
	}
	shown := c.StartProgress("migrate")
	defer shown.Stop()
	return eachDatabase(ctx, s.Databases(), func(db *gormstore.DB, d config.Database) error {
		if err := archive.CheckFinished(ctx, db); err != nil {
			return err
		}
		if err := printPauses(ctx, db, d, c.Out); err != nil {
			return err
		}
		shown.Report("migrating the "+d.Name, 0, 0)
		if err := db.Migrate(ctx, d.Schema...); errors.Is(err, gormstore.ErrTooOld) {
			return d.TooOld()
		} else if err != nil {
			return d.ReadOnly(err)
		}
		return printStates(ctx, db, d, c.Out)
	})
}

type migrateStatus struct{}

// errNoMigration ends migrate status with exit code 1.
var errNoMigration = fmt.Errorf("%w: octavo migrate up cannot help", gormstore.ErrTooOld)

// Run prints the schema version of each component. It fails if no migration leads from one of them
// to that of this program.
func (migrateStatus) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	if err := s.RequireDatabase(ctx, s.Databases()...); err != nil {
		return err
	}
	var existing []config.Database
	for _, d := range s.Databases() {
		if d.Embedded() && config.FileMissing(d.Path()) {
			_, _ = fmt.Fprintf(c.Out, "%s: %s does not exist yet\n", d.Name, d.Path())
			continue
		}
		existing = append(existing, d)
	}
	return eachDatabase(ctx, existing, func(db *gormstore.DB, d config.Database) error {
		return errors.Join(printStates(ctx, db, d, c.Out), printPending(ctx, db, d, c.Out), printPauses(ctx, db, d, c.Out))
	})
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
	var tooOld error
	for _, state := range states {
		verdict := "up to date"
		switch {
		case state.TooOld():
			tooOld = errNoMigration
			verdict = "of a development version: " + d.StartAnew()
		case state.Behind():
			verdict = "behind: run octavo migrate up"
		case state.Ahead():
			verdict = "ahead of this program"
		}
		_, _ = fmt.Fprintf(w, "%s\tversion %d of %d\t%s\n", state.Name, state.Current, state.Target, verdict)
	}
	return errors.Join(w.Flush(), tooOld)
}

// printPending names the migrations that octavo migrate up would apply.
func printPending(ctx context.Context, db *gormstore.DB, d config.Database, out io.Writer) error {
	pending, err := db.Pending(ctx, d.Schema...)
	for _, name := range pending {
		_, _ = fmt.Fprintf(out, "would apply %s\n", name)
	}
	return err
}

// printPauses prints what the pending migrations will block, and about how long.
func printPauses(ctx context.Context, db *gormstore.DB, d config.Database, out io.Writer) error {
	pauses, err := db.Pauses(ctx, d.Schema...)
	for _, line := range describePauses(pauses) {
		_, _ = fmt.Fprintln(out, line)
	}
	return err
}

// describePauses describes each pause that people may notice, and counts the others.
func describePauses(pauses []gormstore.Pause) (lines []string) {
	short := 0
	for _, p := range pauses {
		if p.Takes < time.Second {
			short++
			continue
		}
		lines = append(lines, describePause(p))
	}
	if short > 0 {
		lines = append(lines, terminal.Count(short, "migration blocks", "migrations block")+" writing for less than a second")
	}
	return lines
}

func describePause(p gormstore.Pause) string {
	what, whom := p.Component, "the database"
	if p.File != "" {
		what += " " + p.File
	}
	if len(p.Tables) > 0 {
		whom = strings.Join(p.Tables, ", ")
	}
	text := fmt.Sprintf("%s: nobody can write to %s for about %s", what, whom, p.Takes.Round(time.Second))
	if p.Rows == 0 {
		return text
	}
	return text + " (" + terminal.Count(int(p.Rows), "row", "rows") + ")"
}
