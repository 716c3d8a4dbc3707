package gormstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/database"
	"github.com/pressly/goose/v3/lock"
)

func TestTheSchemaIsReadWhileAnotherProcessMigrates(t *testing.T) {
	db := database.Postgres(t, notes())
	write, _ := db.SQL()
	migrating, err := write.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = migrating.Close() }()
	if _, err := migrating.ExecContext(t.Context(), "SELECT pg_advisory_lock($1)", lock.DefaultLockID); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // who waits for the lock waits for ever
	defer cancel()
	states, err := db.Schema(ctx, notes())
	if err != nil || states[0].Behind() || states[0].Ahead() {
		t.Errorf("%v, %v", states, err)
	}
	if err := db.Migrate(ctx, notes()); err != nil {
		t.Errorf("nothing is left to do, and yet: %v", err)
	}
}
