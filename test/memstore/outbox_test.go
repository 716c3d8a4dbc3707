package memstore_test

import (
	"testing"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/memstore"
)

func TestTheMemoryOutboxKeepsItsPromises(t *testing.T) {
	contract.Outbox(t, func(*testing.T) contract.OutboxStore { return memstore.NewOutbox(memstore.New()) })
	contract.OptOuts(t, func(*testing.T) mailer.OptOutStore { return memstore.NewOutbox(memstore.New()) })
	contract.Events(t, func(*testing.T) contract.EventStore { return memstore.NewEvents(memstore.New()) })
	contract.Mailbox(t, func(*testing.T) mailer.Mailbox { return memstore.NewOutbox(memstore.New()) })
}
