package inboxstore_test

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
)

// databases are the engines that the store works over.
var databases = map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{"sqlite": database.SQLite, "postgres": database.Postgres}

func open(t *testing.T, engine string) contract.InboxStore {
	t.Helper()
	store := over(t, databases[engine](t, inboxstore.Migrations))
	t.Cleanup(func() { closed(t, store) })
	return store
}

// over makes a store that the test closes.
func over(t *testing.T, db *gormstore.DB) *inboxstore.Inbox {
	t.Helper()
	return inboxstore.New(db)
}

func closed(t *testing.T, store *inboxstore.Inbox) {
	t.Helper()
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}

func TestInbox(t *testing.T) {
	for engine := range databases {
		t.Run(engine, func(t *testing.T) {
			contract.Inbox(t, func(t *testing.T) contract.InboxStore { return open(t, engine) })
		})
	}
}

func TestWhatADeadProcessHadLeasedIsDueAfterARestart(t *testing.T) {
	for engine, database := range databases {
		t.Run(engine, func(t *testing.T) {
			contract.InboxTakeover(t, func(t *testing.T) (contract.InboxStore, func(), func() contract.InboxStore) {
				db := database(t, inboxstore.Migrations)
				first := over(t, db)
				return first, func() { closed(t, first) }, func() contract.InboxStore {
					next := over(t, db)
					t.Cleanup(func() { closed(t, next) })
					return next
				}
			})
		})
	}
}

func TestReplicasTakeOverFromTheDeadAlone(t *testing.T) {
	db := database.Postgres(t, inboxstore.Migrations)
	one, other := over(t, db), over(t, db)
	t.Cleanup(func() { closed(t, other) })
	contract.InboxReplicas(t, one, other, func() { closed(t, one) })
}

// A connection that Postgres ends takes its leases with it: others go on at once,
// and so does the process itself.
func TestALostConnectionGivesUpItsLeases(t *testing.T) {
	db := database.Postgres(t, inboxstore.Migrations)
	one, other := over(t, db), over(t, db)
	t.Cleanup(func() { closed(t, other); closed(t, one) })
	contract.InboxReplicas(t, one, other, func() {
		write, _ := db.SQL()
		if _, err := write.ExecContext(t.Context(), `SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN inbox_jobs j ON j.owner = l.objid::bigint
			WHERE l.locktype = 'advisory' AND j.seq = 10`); err != nil {
			t.Fatal(err)
		}
	})
	if _, err := one.TakeOver(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := one.Claim(t.Context(), inbox.Claim{Rule: "push=http://127.0.0.1:9/", Now: time.Now(), LeaseUntil: time.Now().Add(time.Minute), Limit: 1}); err != nil {
		t.Errorf("it cannot claim any more: %v", err)
	}
}

func TestAnySequenceOfCallsIsAnsweredAsInMemory(t *testing.T) {
	for engine := range databases {
		t.Run(engine, func(t *testing.T) { contract.InboxModel(t, open(t, engine)) })
	}
}
