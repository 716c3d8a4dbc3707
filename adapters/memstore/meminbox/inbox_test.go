package meminbox_test

import (
	"testing"

	"github.com/octavo-books/octavo/adapters/memstore/meminbox"
	"github.com/octavo-books/octavo/test/contract"
)

func TestInbox(t *testing.T) {
	contract.Inbox(t, func(*testing.T) contract.InboxStore { return meminbox.New() })
}
