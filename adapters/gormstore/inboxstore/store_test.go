package inboxstore_test

import (
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
)

func TestInbox(t *testing.T) {
	for name, open := range map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{
		"sqlite": database.SQLite, "postgres": database.Postgres,
	} {
		t.Run(name, func(t *testing.T) {
			contract.Inbox(t, func(t *testing.T) contract.InboxStore {
				store, err := inboxstore.New(t.Context(), open(t, inboxstore.Migrations))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = store.Close() })
				return store
			})
		})
	}
}
