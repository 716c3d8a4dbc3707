package outboxstore_test

import (
	"context"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/application/courier"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
	"gorm.io/gorm"
)

// filled adds messages the way stores do.
type filled struct {
	*outboxstore.Outbox
	*outboxstore.Optouts
	db *gormstore.DB
}

func (f filled) Add(ctx context.Context, messages ...message.Message) error {
	return f.db.Atomically(ctx, func(tx *gorm.DB) error { return outboxstore.Add(tx, plainSealer{}, messages...) })
}

func (f filled) Forget(ctx context.Context, who ...user.Email) error {
	return f.db.Atomically(ctx, func(tx *gorm.DB) error { return outboxstore.Forget(tx, who...) })
}

func TestTheOutboxKeepsItsPromises(t *testing.T) {
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			contract.Outbox(t, func(t *testing.T) contract.FilledOutbox {
				db := open(t, outboxstore.Migrations)
				return filled{outboxstore.NewOutbox(db, plainSealer{}), outboxstore.NewOptouts(db), db}
			})
			contract.Optouts(t, func(t *testing.T) courier.Optouts { return outboxstore.NewOptouts(open(t, outboxstore.Migrations)) })
			contract.Mailbox(t, func(t *testing.T) courier.Mailbox { return outboxstore.NewMailbox(open(t, outboxstore.Migrations)) })
		})
	}
}

var databases = map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{
	"sqlite": database.SQLite, "postgres": database.Postgres,
}
