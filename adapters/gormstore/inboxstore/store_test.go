package inboxstore_test

import (
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
)

// databases are the engines that the store works over.
var databases = map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{"sqlite": database.SQLite, "postgres": database.Postgres}

func open(t *testing.T, engine string) contract.InboxStore {
	t.Helper()
	store, err := inboxstore.New(t.Context(), databases[engine](t, inboxstore.Migrations))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

func TestInbox(t *testing.T) {
	for engine := range databases {
		t.Run(engine, func(t *testing.T) {
			contract.Inbox(t, func(t *testing.T) contract.InboxStore { return open(t, engine) })
		})
	}
}

func TestAnySequenceOfCallsIsAnsweredAsInMemory(t *testing.T) {
	for engine := range databases {
		t.Run(engine, func(t *testing.T) { contract.InboxModel(t, open(t, engine)) })
	}
}
