package meminbox_test

import (
	"testing"

	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/meminbox"
)

func TestJobsOfADeadProcessAreDueAfterARestart(t *testing.T) {
	contract.InboxRestart(t, func(*testing.T) (contract.InboxStore, func(), func() contract.InboxStore) {
		store := meminbox.New()
		return store, func() {}, func() contract.InboxStore { return store }
	})
}

func TestInbox(t *testing.T) {
	contract.Inbox(t, func(*testing.T) contract.InboxStore { return meminbox.New() })
}
