package push_test

import (
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

// address is where processes reach a database: for statements and transactions at url, and for what
// needs a session at direct.
type address struct{ url, direct string }

// addresses are the ways to reach a migrated database.
var addresses = map[string]func(testing.TB) address{"without a pooler": migrated}

func migrated(t testing.TB) address {
	t.Helper()
	dsn := database.PostgresURL(t)
	must.Do(t, database.Connect(t, dsn).Migrate(t.Context(), outboxstore.Migrations, inboxstore.Migrations))
	return address{dsn, dsn}
}

func onEach(t *testing.T, test func(*testing.T, address)) {
	t.Parallel()
	for name, open := range addresses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func connect(t testing.TB, at address) *gormstore.DB {
	t.Helper()
	db := database.Connect(t, at.url)
	if at.direct == at.url {
		return db
	}
	must.Do(t, db.UseSessionsOf(at.direct))
	return db
}
