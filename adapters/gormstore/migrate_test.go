package gormstore_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
	"github.com/pressly/goose/v3/lock"
)

func TestTheSchemaIsReadWhileAnotherProcessMigrates(t *testing.T) {
	db := database.Postgres(t, notes())
	write, _ := db.SQL()
	migrating := must.Get(write.Conn(t.Context()))(t)
	defer func() { _ = migrating.Close() }()
	must.Get(migrating.ExecContext(t.Context(), "SELECT pg_advisory_lock($1)", lock.DefaultLockID))(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // taking the lock would wait for ever
	defer cancel()
	states, err := db.Schema(ctx, notes())
	if err != nil || states[0].Behind() || states[0].Ahead() {
		t.Errorf("%v, %v", states, err)
	}
	if err := db.Migrate(ctx, notes()); err != nil {
		t.Errorf("with nothing left to migrate: %v", err)
	}
}

func TestADatabaseOlderThanTheFirstMigrationIsRefusedAndNotChanged(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) { // "notes" is at version 1
		squashed := gormstore.Migrations{Name: "notes", FS: fstest.MapFS{
			"sqlite/00100_notes.sql":   {Data: []byte("-- +goose Up\nCREATE TABLE IF NOT EXISTS notes (id BIGINT, other BIGINT);\n")},
			"postgres/00100_notes.sql": {Data: []byte("-- +goose Up\nCREATE TABLE IF NOT EXISTS notes (id BIGINT, other BIGINT);\n")},
		}}
		states, err := db.Schema(t.Context(), counting(), squashed)
		if err != nil || states[0].TooOld() || !states[1].TooOld() || states[1].Ahead() {
			t.Errorf("states %v, %v", states, err)
		}
		if err := db.Migrate(t.Context(), counting(), squashed); !errors.Is(err, gormstore.ErrTooOld) {
			t.Errorf("error: %v, want %v", err, gormstore.ErrTooOld)
		}
		after, err := db.Schema(t.Context(), counting(), squashed)
		if err != nil || !slices.Equal(states, after) || after[0].Current != 0 {
			t.Errorf("states %v became %v, %v", states, after, err)
		}
		if states, err = db.Schema(t.Context(), notes()); err != nil || states[0].TooOld() || states[0].Behind() {
			t.Errorf("for the program that created it: %v, %v", states, err)
		}
	})
}
