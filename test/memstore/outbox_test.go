package memstore_test

import (
	"testing"

	"github.com/octavo-books/octavo/application/courier"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/memstore"
)

func TestTheMemoryOutboxKeepsItsPromises(t *testing.T) {
	contract.Outbox(t, func(*testing.T) contract.FilledOutbox { return memstore.NewOutbox(memstore.New()) })
	contract.Optouts(t, func(*testing.T) courier.Optouts { return memstore.NewOutbox(memstore.New()) })
	contract.Mailbox(t, func(*testing.T) courier.Mailbox { return memstore.NewOutbox(memstore.New()) })
}
