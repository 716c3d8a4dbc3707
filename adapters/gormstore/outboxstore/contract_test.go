package outboxstore_test

import (
	"context"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
	"gorm.io/gorm"
)

// testOutbox adds and erases in transactions, as other stores do.
type testOutbox struct {
	*outboxstore.Outbox
	*outboxstore.OptOuts
	db *gormstore.DB
}

func (o testOutbox) AddMessages(ctx context.Context, messages ...message.Message) error {
	return o.db.Atomically(ctx, func(tx *gorm.DB) error { return outboxstore.AddMessages(tx, plainSealer{}, messages...) })
}

func (o testOutbox) EraseRecipients(ctx context.Context, emails ...user.Email) error {
	return o.db.Atomically(ctx, func(tx *gorm.DB) error { return outboxstore.EraseRecipients(tx, emails...) })
}

// testEvents adds in transactions, as other stores do.
type testEvents struct {
	*outboxstore.Events
	db *gormstore.DB
}

func (e testEvents) AddEvents(ctx context.Context, events ...event.Event) error {
	return e.db.Atomically(ctx, func(tx *gorm.DB) error { return outboxstore.AddEvents(tx.Statement.Context, tx, events...) })
}

func TestTheOutboxKeepsItsPromises(t *testing.T) {
	for name, open := range databases {
		t.Run(name, func(t *testing.T) { keepsPromises(t, open) })
	}
}

// A transaction runs again after a deadlock and, on SQLite, when the commit that it shares fails.
func TestTheOutboxKeepsItsPromisesThoughEveryTransactionRunsTwice(t *testing.T) {
	keepsPromises(t, func(t testing.TB, all ...gormstore.Migrations) *gormstore.DB {
		return database.Twice(database.SQLite(t, all...))
	})
}

func keepsPromises(t *testing.T, open func(testing.TB, ...gormstore.Migrations) *gormstore.DB) {
	contract.Outbox(t, func(t *testing.T) contract.OutboxStore {
		db := database.WithoutPolls(open(t, outboxstore.Migrations))
		return testOutbox{outboxstore.NewOutbox(db, plainSealer{}), outboxstore.NewOptOuts(db), db}
	})
	contract.Events(t, func(t *testing.T) contract.EventStore {
		db := database.WithoutPolls(open(t, outboxstore.Migrations))
		return testEvents{outboxstore.NewEvents(db), db}
	})
	contract.OptOuts(t, func(t *testing.T) mailer.OptOutStore { return outboxstore.NewOptOuts(open(t, outboxstore.Migrations)) })
	contract.Mailbox(t, func(t *testing.T) mailer.Mailbox { return outboxstore.NewMailbox(open(t, outboxstore.Migrations)) })
}

var databases = map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{
	"sqlite": database.SQLite, "postgres": database.Postgres,
}
