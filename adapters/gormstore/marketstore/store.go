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

// Store implements the ports of the market. Its own methods only read, except
// Atomically and MarkNotificationsRead.
type Store struct {
	db     *gormstore.DB
	read   conn
	sealer outboxstore.Sealer
	words  vocabulary
	bounds bounds
}

// New returns a store over a migrated database. The sealer encrypts messages in the outbox.
func New(db *gormstore.DB, sealer outboxstore.Sealer) *Store {
	return &Store{db: db, read: conn{rawsql.On(db.Read), db.Read}, sealer: sealer, bounds: defaultBounds}
}

// Atomically implements market.Store. Transactions that touch the same rows run one after the
// other: on SQLite because there is one writer, on Postgres because each locks the rows
// that it is about to change.
func (s *Store) Atomically(ctx context.Context, do func(context.Context, market.Stores) error) error {
	return s.db.Atomically(ctx, func(tx *gorm.DB) error {
		return do(tx.Statement.Context, s.stores(tx))
	})
}

// OnUsersDeleted returns the hook that authstore runs in the transaction that deletes
// accounts.
func (s *Store) OnUsersDeleted(d market.Deps) authstore.OnUserDeleted {
	return func(tx *gorm.DB, who []user.ID, now time.Time) error {
		return d.OnUsersDeleted(tx.Statement.Context, s.stores(tx), who, now)
	}
}

// OnUserWithdrawn returns the hook that authstore runs in the transaction that suspends an
// account or plans its deletion. It runs first in the same transaction before anything else.
func (s *Store) OnUserWithdrawn(d market.Deps, first ...func(context.Context, market.Stores) error) authstore.OnUserWithdrawn {
	return func(tx *gorm.DB, w user.Withdrawal, now time.Time) error {
		for _, do := range first {
			if err := do(tx.Statement.Context, s.stores(tx)); err != nil {
				return err
			}
		}
		return d.OnUserWithdrawn(tx.Statement.Context, s.stores(tx), w, now)
	}
}

// StoresOf returns the stores of a transaction that a sibling has begun.
func (s *Store) StoresOf(tx *gorm.DB) market.Stores { return s.stores(tx) }

// OnUserMoves returns the hook that authstore runs in the transaction that changes the university
// of a user.
func (s *Store) OnUserMoves(d market.Deps) authstore.OnUserMoves {
	return func(tx *gorm.DB, id user.ID) error { return d.OnUserMoves(tx.Statement.Context, s.stores(tx), id) }
}

// OnUserRenamed returns the hook that authstore runs in the transaction that renames a user.
func (s *Store) OnUserRenamed(d market.Deps) authstore.OnUserRenamed {
	return func(tx *gorm.DB, id user.ID) { d.OnUserRenamed(s.stores(tx), id) }
}

func (s *Store) stores(tx *gorm.DB) market.Stores {
	c := conn{rawsql.On(tx), tx}
	text := c.fullText(s.bounds)
	stored := books{c, text, &s.words}
	return market.Stores{
		Books: shelf{stored, matches{c, text}, photos{c}}, Users: users{c}, Notifications: notifications{c}, Outbox: outbox{c, s.sealer},
		Digests: digests{c}, AuditLog: auditLog{c}, Jobs: jobs{c}, IdempotencyKeys: idempotencyKeys{c}, Quotas: quotas{c}, Currencies: currency{c},

		Handle:   c,
		OnCommit: func(do func()) { gormstore.OnCommit(c.Pool, do) },
	}
}

// What the rooms of the market store is in these.
type (
	shelf struct {
		books
		matches
		photos
	}
)

// conn runs the statements of a transaction: those of GORM in its session, hand-written
// ones on the same connection.
type conn struct {
	rawsql.Conn
	session *gorm.DB
}

func (c conn) isPostgres() bool { return c.Dialect == gormstore.Postgres }

// joinBook joins the book b of each row of h, and joinSeller its seller u. Both force a
// nested loop in the order of h: the planners misjudge how few rows h has.
func (c conn) joinBook() string {
	if c.isPostgres() {
		return " CROSS JOIN LATERAL (SELECT * FROM books WHERE books.id = h.id OFFSET 0) AS b"
	}
	return " CROSS JOIN books AS b ON b.id = h.id"
}

// joinRow joins (JOIN or LEFT JOIN) the row of a table with a key. Postgres, which misjudges how few rows a page
// has, would rather merge the whole table of users with them; OFFSET 0 forces a nested loop.
func (c conn) joinRow(join, table, alias, key string) string {
	if c.isPostgres() {
		return " " + join + " LATERAL (SELECT * FROM " + table + " WHERE " + table + ".id = " + key + " OFFSET 0) AS " + alias + " ON TRUE"
	}
	return " " + join + " " + table + " AS " + alias + " ON " + alias + ".id = " + key
}

func (c conn) joinSeller() string {
	if c.isPostgres() {
		return " CROSS JOIN LATERAL (SELECT first_name FROM users WHERE users.id = b.seller_id OFFSET 0) AS u"
	}
	return " CROSS JOIN users AS u ON u.id = b.seller_id"
}
