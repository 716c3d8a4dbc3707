// Package database gives each test its own database: a SQLite file, or one on a Postgres
// server, which it starts unless POSTGRES_TEST_URL names one.
package database

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/servers"
)

// SQLite opens a fresh file with the schema of the migrations.
func SQLite(t testing.TB, all ...gormstore.Migrations) *gormstore.DB {
	t.Helper()
	path := filepath.Join(servers.Dir(t), "octavo.db")
	if m := templateOf(gormstore.SQLite, all); m != nil {
		must.Do(t, m.sqliteCopy(path, all))
		all = nil
	}
	return open(t, "sqlite:"+path, all)
}

// Postgres opens a fresh database with the schema of the migrations, on the server that
// POSTGRES_TEST_URL names or on one that the tests start.
func Postgres(t testing.TB, all ...gormstore.Migrations) *gormstore.DB {
	t.Helper()
	Need(t)
	if m := templateOf(gormstore.Postgres, all); m != nil && ownServer() {
		return open(t, freshDatabase(t, m.postgresName(t, all)), nil)
	}
	return open(t, freshDatabase(t, ""), all)
}

// Need starts the tests' Postgres, unless POSTGRES_TEST_URL names one. If none is
// installed, it skips or fails the test as servers.Missing does.
func Need(t testing.TB) {
	t.Helper()
	servers.NotShort(t, "Postgres")
	switch err := awaitServer(); {
	case errors.Is(err, servers.ErrNoPostgres):
		servers.Missing(t, "Postgres", install)
	case err != nil:
		t.Fatalf("this test needs Postgres: %v", err)
	}
}

const install = "apt-get install postgresql, or name a server with POSTGRES_TEST_URL=postgres://user:password@host/db"

// PostgresURL returns the URL of a fresh, empty database, for tests that start a program.
func PostgresURL(t testing.TB) string {
	t.Helper()
	return freshDatabase(t, "")
}

// WithoutPolls makes loops that wait for work in db rely on notifications and due times.
func WithoutPolls(db *gormstore.DB) *gormstore.DB {
	db.Wakeups().SetNet(time.Hour)
	db.Wakeups().SetArriving(true)
	return db
}

// Twice makes every transaction in db run twice: the first time it is lost at its end.
func Twice(db *gormstore.DB) *gormstore.DB {
	db.RunTwice()
	return db
}

// Connect opens an existing database until the test ends.
func Connect(t testing.TB, dsn string) *gormstore.DB {
	t.Helper()
	return open(t, dsn, nil)
}

// mustOpen opens a database; the caller closes it.
func mustOpen(t testing.TB, dsn string) *gormstore.DB {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	db, err := gormstore.Open(ctx, dsn, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatalf("open %s: %v", dsn, err)
	}
	return db
}

func open(t testing.TB, dsn string, all []gormstore.Migrations) *gormstore.DB {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	db := mustOpen(t, dsn)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close %s: %v", dsn, err)
		}
	})
	must.Do(t, db.Migrate(ctx, all...))
	return db
}

// SQLiteImage returns the content of a SQLite database, for SQLiteOf.
func SQLiteImage(t testing.TB, db *gormstore.DB) []byte {
	t.Helper()
	path := filepath.Join(servers.Dir(t), "image.db")
	must.Do(t, db.Backup(t.Context(), path))
	return must.Get(os.ReadFile(path))(t)
}

// SQLiteOf opens a fresh file with the content of an image.
func SQLiteOf(t testing.TB, image []byte) *gormstore.DB {
	t.Helper()
	path := filepath.Join(servers.Dir(t), "octavo.db")
	must.Do(t, os.WriteFile(path, image, 0o600))
	return open(t, "sqlite:"+path, nil)
}
