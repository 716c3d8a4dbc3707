package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
)

// Database is a database of the settings and the schema it holds.
type Database struct {
	Name      string // in messages to the operator
	URL       string
	DirectURL string // of the same database, without a pooler in between; empty if URL is direct
	Schema    []gormstore.Migrations
}

// Open opens the database; see gormstore.Open.
func (d Database) Open(ctx context.Context, log *slog.Logger, options ...gormstore.Option) (*gormstore.DB, error) {
	db, err := gormstore.Open(ctx, d.URL, log, options...)
	if err != nil {
		return nil, d.unopened("DATABASE_URL", err)
	}
	if d.DirectURL != "" {
		if err := db.UseSessionsOf(d.DirectURL); err != nil {
			return nil, errors.Join(fmt.Errorf("DATABASE_DIRECT_URL: %w", err), db.Close())
		}
	}
	return db, nil
}

// unopened is the error of opening the database. That its file is something else passes with no restart.
func (d Database) unopened(what string, err error) error {
	if gormstore.IsNoDatabase(err) {
		return Errorf("DATABASE_URL", "%s is not a database of SQLite, or is damaged", d.Path())
	}
	return fmt.Errorf("%s: %w", what, err)
}

// SessionURL is the URL for whatever needs a session of Postgres to itself.
func (d Database) SessionURL() string { return cmp.Or(d.DirectURL, d.URL) }

// Databases returns every database of the settings. On SQLite the inbox has a
// file of its own, so that its writes never wait for those of the market.
func (s *Settings) Databases() []Database {
	main, inbox := s.MainDatabase(), s.InboxDatabase()
	if s.SQLite() {
		return []Database{main, inbox}
	}
	main.Schema = append(main.Schema, inbox.Schema...)
	return []Database{main}
}

// MainDatabase holds accounts, the market and the outbox.
func (s *Settings) MainDatabase() Database {
	return Database{Name: "database", URL: s.Storage.DatabaseURL, DirectURL: s.Storage.DatabaseDirectURL, Schema: All.Schema()}
}

// InboxDatabase holds the webhook deliveries.
func (s *Settings) InboxDatabase() Database {
	d := Database{Name: "inbox", URL: s.Storage.DatabaseURL, DirectURL: s.Storage.DatabaseDirectURL, Schema: []gormstore.Migrations{
		inboxstore.Migrations,
	}}
	if s.SQLite() {
		d.URL = sqlitePrefix + filepath.Join(s.Storage.DataDir, "webhooks.db")
	}
	return d
}

// Schema returns the schema of the components in the main database.
func (c Components) Schema() []gormstore.Migrations {
	all := []gormstore.Migrations{outboxstore.Migrations, workstore.Migrations, authstore.Migrations}
	if c.Market {
		all = append(all, marketstore.Migrations)
	}
	return all
}

const sqlitePrefix = "sqlite:"

// SQLite reports whether the embedded databases are used.
func (s *Settings) SQLite() bool { return s.MainDatabase().Embedded() }

// Embedded reports whether the database is a SQLite file.
func (d Database) Embedded() bool { return strings.HasPrefix(d.URL, sqlitePrefix) }

// Path is the file of an embedded database.
func (d Database) Path() string { return strings.TrimPrefix(d.URL, sqlitePrefix) }

// RequireDatabase validates the settings for a command that reads or changes what
// exists already. It fails, and creates nothing, if none of the databases
// exists: a mistyped DATA_DIR must not look like a market without users.
func (s *Settings) RequireDatabase(ctx context.Context, anyOf ...Database) error {
	if err := s.Validate(); err != nil {
		return err
	}
	for _, d := range anyOf {
		if exists, err := d.Exists(ctx); err != nil || exists {
			return err
		}
	}
	return fmt.Errorf("there is no database at %s: check DATA_DIR and DATABASE_URL; `octavo serve` and `octavo migrate up` create one", anyOf[0].Path())
}

// Exists reports whether the embedded database was created, that is, whether a
// migration ran. A database on Postgres is created by the operator and always
// counts as existing.
func (d Database) Exists(ctx context.Context) (bool, error) {
	if !d.Embedded() {
		return true, nil
	}
	if info, err := os.Stat(d.Path()); FileMissing(d.Path()) || err == nil && info.Size() == 0 {
		return false, nil
	}
	db, err := gormstore.Open(ctx, d.URL, slog.New(slog.DiscardHandler))
	if err != nil {
		return false, d.unopened(d.Path(), err)
	}
	defer func() { _ = db.Close() }()
	states, err := db.Schema(ctx, d.Schema...)
	return slices.ContainsFunc(states, func(s gormstore.State) bool { return s.Current > 0 }), err
}

// TooOld is the error for the schema of a development version.
func (d Database) TooOld() error { return fmt.Errorf("%w; %s", gormstore.ErrTooOld, d.StartAnew()) }

// StartAnew says how to get an empty database, and who can still read what is in the old one.
func (d Database) StartAnew() string {
	const reader = "only the octavo program that served it last reads it, which `octavo version` of that program names"
	if d.Embedded() {
		return "move " + d.Path() + " away and keep it: " + reader + "; octavo serve creates an empty one"
	}
	return "keep a dump (pg_dump): " + reader + "; then drop the database, create it again, and run: octavo migrate up"
}

// ReadOnly says which file or server refuses to write and what to do, if that is the error.
func (d Database) ReadOnly(err error) error {
	switch {
	case !gormstore.IsReadOnly(err):
		return err
	case d.Embedded():
		return fmt.Errorf("%s is read-only (%w): %s", d.Path(), err, d.MakeWritable())
	}
	return fmt.Errorf("the database of DATABASE_URL is read-only (%w): %s", err, d.MakeWritable())
}

// MakeWritable says what to look at if a database refuses to write.
func (d Database) MakeWritable() string {
	if d.Embedded() {
		return "make " + d.Path() + ", its -wal and -shm files and their folder writable for the user that runs Octavo, and check that the file system has space and is not mounted read-only"
	}
	return "free space on its disk, set default_transaction_read_only = off, and let DATABASE_URL lead to the primary: a standby accepts no writes"
}

// FileMissing reports whether nothing exists at the path.
func FileMissing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}
