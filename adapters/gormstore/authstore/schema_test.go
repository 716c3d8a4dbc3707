package authstore_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
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
