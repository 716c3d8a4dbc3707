package authstore_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

func TestIDsInSQLiteAreRowids(t *testing.T) {
	db := database.SQLite(t, authstore.Migrations)
	for _, table := range []string{"users", "signups", "invitations", "sessions", "audit_entries", "identities"} {
		var plan struct{ Detail string }
		must.Do(t, db.Read.Raw("EXPLAIN QUERY PLAN SELECT * FROM "+table+" WHERE id = 1").Scan(&plan).Error)
		if !strings.Contains(plan.Detail, "USING INTEGER PRIMARY KEY") {
			t.Errorf("%s: %q does not look up the rowid", table, plan.Detail)
		}
	}
}

func TestAProfileWithoutItsSearchKeyCannotBeStored(t *testing.T) {
	for engine, db := range map[string]*gormstore.DB{
		"sqlite": database.SQLite(t, authstore.Migrations), "postgres": database.Postgres(t, authstore.Migrations),
	} {
		err := db.Write.WithContext(t.Context()).Exec("INSERT INTO users (id, email, created_at, first_name, last_name) VALUES (7, 'x@u.edu', 0, 'Ann', 'Lee')").Error
		if err == nil {
			t.Errorf("%s: a name without its key was accepted", engine)
		}
	}
}
