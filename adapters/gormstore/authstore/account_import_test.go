package authstore_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

// Concurrent imports of the same accounts in different orders wait for each other without a
// deadlock, and every account is imported once.
func TestConcurrentImportsOfTheSameAccountsNeverDeadlock(t *testing.T) {
	dsn := database.PostgresURL(t)
	db := database.Connect(t, dsn)
	must.Do(t, db.Migrate(t.Context(), authstore.Migrations, outboxstore.Migrations, workstore.Migrations))
	k := authkit.New(t, stores(t, db), nil)
	lines := make([]string, 800) // more than one transaction
	for i := range lines {
		lines[i] = fmt.Sprintf("u%d@example.org,x:y", i)
	}
	backwards := slices.Clone(lines)
	slices.Reverse(backwards)

	results := make([]account.ImportResult, 4)
	must.Together(len(results), func(i int) {
		var err error
		file := [][]string{lines, backwards}[i%2]
		if results[i], err = k.Users.Import(t.Context(), strings.NewReader(strings.Join(file, "\n")), account.ImportOptions{}); err != nil {
			t.Errorf("import %d: %v", i, err)
		}
	})
	var all account.ImportResult
	for _, r := range results {
		all.Imported += r.Imported
		all.Skipped += r.Skipped
	}
	if all != (account.ImportResult{Imported: len(lines), Skipped: 3 * len(lines)}) {
		t.Errorf("imported %+v", all)
	}
	if n := database.Deadlocks(t, dsn); n != 0 {
		t.Errorf("Postgres detected %d deadlocks", n)
	}
}
