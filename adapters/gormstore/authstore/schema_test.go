package authstore_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/test/database"
)

func TestIDsInSQLiteAreTheRowsOwnNumbers(t *testing.T) {
	db := database.SQLite(t, authstore.Migrations)
	for _, table := range []string{"users", "signups", "invitations", "sessions", "audit_entries"} {
		var plan struct{ Detail string }
		if err := db.Read.Raw("EXPLAIN QUERY PLAN SELECT * FROM " + table + " WHERE id = 1").Scan(&plan).Error; err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(plan.Detail, "USING INTEGER PRIMARY KEY") {
			t.Errorf("%s: %q goes by an index of its own", table, plan.Detail)
		}
	}
}

func TestNamesStoredBeforeTheyWereFoldedAreFound(t *testing.T) {
	for engine, open := range map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{"sqlite": database.SQLite, "postgres": database.Postgres} {
		t.Run(engine, func(t *testing.T) {
			db := open(t, outboxstore.Migrations, authstore.Migrations)
			err := db.Write.Exec(`INSERT INTO users (id, email, password_hash, role, lang, verified, epoch, created_at, first_name, last_name)
				VALUES (7, 'x@u.edu', '', 0, 'en', 1, 0, 0, 'Ödön', 'von Horváth')`).Error
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Migrate(t.Context(), authstore.Migrations); err != nil {
				t.Fatal(err)
			}
			store, err := authstore.New(t.Context(), db, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = store.Close() }()
			if found, err := store.People(t.Context(), "odon VON horvath", true, 0, 5); err != nil || len(found) != 1 {
				t.Errorf("%v, %v", found, err)
			}
		})
	}
}
