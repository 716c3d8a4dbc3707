package gormstore_test

import (
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

func TestMigrationsUseTheSessionsOfTheDirectURL(t *testing.T) {
	t.Parallel()
	db := database.Connect(t, database.PostgresURL(t))
	if write, _ := db.SQL(); db.Sessions() != write {
		t.Error("without a direct URL, sessions are not those of the pool")
	}
	must.Do(t, db.UseSessionsOf("postgres://octavo@127.0.0.1:1/octavo?sslmode=disable"))
	if err := db.Migrate(t.Context(), notes()); err == nil {
		t.Error("a migration did not use the direct URL")
	}
}

func TestAConnectionWithoutAPoolerKeepsItsSession(t *testing.T) {
	t.Parallel()
	if p, err := gormstore.InspectPooling(t.Context(), database.PostgresURL(t)); err != nil || p != (gormstore.Pooling{}) {
		t.Errorf("%+v, %v", p, err)
	}
}
