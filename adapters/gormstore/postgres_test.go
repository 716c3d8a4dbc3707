package gormstore_test

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
	"gorm.io/gorm"
)

func openPostgres(t *testing.T, dsn string) *gormstore.DB {
	t.Helper()
	db := must.Get(gormstore.Open(t.Context(), dsn, slog.New(slog.DiscardHandler)))(t)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// openSeverable opens a database whose connection can be cut and restored.
func openSeverable(t *testing.T) (db *gormstore.DB, cut, restore func()) {
	t.Helper()
	dsn := database.PostgresURL(t)
	u := must.Get(url.Parse(dsn))(t)
	name := strings.TrimPrefix(u.Path, "/")
	u.Path = "/postgres"
	db = openPostgres(t, dsn)
	admin := openPostgres(t, u.String())
	do := func(statement string) {
		t.Helper()
		must.Do(t, admin.Write.WithContext(context.Background()).Exec(statement).Error)
	}
	cut = func() {
		do("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false")
		do("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'")
	}
	return db, cut, func() { do("ALTER DATABASE " + name + " ALLOW_CONNECTIONS true") }
}

func TestALostPostgresIsUnavailableUntilItReturns(t *testing.T) {
	db, cut, restore := openSeverable(t)
	must.Do(t, db.Migrate(t.Context(), notes()))
	tries := map[string]func() error{
		"read":  func() error { var n []note; return db.Read.WithContext(t.Context()).Find(&n).Error },
		"write": func() error { return db.Write.WithContext(t.Context()).Exec("UPDATE notes SET n = 0").Error },
		"transaction": func() error {
			return db.Atomically(t.Context(), func(tx *gorm.DB) error { return tx.Exec("UPDATE notes SET n = 0").Error })
		},
		"ping": func() error { return db.Ping(t.Context()) },
	}
	cut()
	for what, try := range tries {
		if err := try(); !errors.Is(err, gormstore.ErrUnavailable) {
			t.Errorf("%s: %v, want %v", what, err, gormstore.ErrUnavailable)
		}
	}
	restore()
	for what, try := range tries {
		if err := try(); err != nil {
			t.Errorf("%s, back again: %v", what, err)
		}
	}
}

func TestAConnectionThatBreaksInATransactionIsUnavailable(t *testing.T) {
	db := openPostgres(t, database.PostgresURL(t))
	err := db.Atomically(t.Context(), func(tx *gorm.DB) error { return tx.Exec("SELECT pg_terminate_backend(pg_backend_pid())").Error })
	if !errors.Is(err, gormstore.ErrUnavailable) {
		t.Errorf("error: %v, want %v", err, gormstore.ErrUnavailable)
	}
}

func TestAnErrorInAStatementIsNotUnavailable(t *testing.T) {
	db := openPostgres(t, database.PostgresURL(t))
	if err := db.Write.WithContext(t.Context()).Exec("SELECT nonsense").Error; err == nil || errors.Is(err, gormstore.ErrUnavailable) {
		t.Errorf("error: %v", err)
	}
}
