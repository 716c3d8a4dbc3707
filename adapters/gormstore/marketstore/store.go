package marketstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// Store fills the market's ports. Its methods are reads; what changes something
// goes through Atomically.
type Store struct {
	db     *gormstore.DB
	read   conn
	sealer outboxstore.Sealer
	words  vocabulary
	bounds bounds
}

// New makes a store over a migrated database. The sealer is the outbox's.
func New(db *gormstore.DB, sealer outboxstore.Sealer) *Store {
	return &Store{db: db, read: conn{rawsql.On(db.Read), db.Read}, sealer: sealer, bounds: usual}
}

// Atomically is market.Store. Steps that touch the same rows run one after the
// other: on SQLite because there is one writer, on Postgres because each holds
// what it is about to change.
func (s *Store) Atomically(ctx context.Context, do func(context.Context, market.Stores) error) error {
	return s.db.Atomically(ctx, func(tx *gorm.DB) error {
		return do(tx.Statement.Context, s.stores(tx))
	})
}

// Departures is what authstore does to the market in the transaction that
// deletes accounts.
func (s *Store) Departures(ids market.IDs) authstore.OnUserDeleted {
	return func(tx *gorm.DB, who []user.ID, now time.Time) error {
		return market.OnUsersDeleted(tx.Statement.Context, s.stores(tx), ids, who, now)
	}
}

func (s *Store) stores(tx *gorm.DB) market.Stores {
	c := conn{rawsql.On(tx), tx}
	text := c.fullText(s.bounds)
	return market.Stores{
		Books: shelf{c, text, &s.words}, Requests: requests{c, text}, Matches: pairs{c, text}, Carts: carts{c}, Orders: sales{c},
		IdempotencyKeys: replies{c}, Jobs: chores{c}, Users: users{c}, Notifications: notifications{c}, Outbox: outbox{c, s.sealer}, AuditLog: auditLog{c},
	}
}
