package marketstore

import (
	"context"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/money"
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

func (s *Store) stores(tx *gorm.DB) stores {
	c := conn{rawsql.On(tx), tx}
	text := c.fullText(s.bounds)
	return stores{
		books{c, text, &s.words}, matches{c, text}, photos{c}, users{c}, notifications{c}, outbox{c, s.sealer}, digests{c},
		idempotencyKeys{c}, quotas{c}, c,
	}
}

// stores implements market.Stores.
type stores struct {
	books
	matches
	photos
	users
	notifications
	outbox
	digests
	idempotencyKeys
	quotas
	handle conn
}

func (s stores) Handle() any { return s.handle }

func (s stores) OnCommit(do func()) { gormstore.OnCommit(s.handle.Pool, do) }

func (s stores) AddAuditEntries(ctx context.Context, all []audit.Entry) error {
	return authstore.AddAudit(s.handle.session.WithContext(ctx), all...)
}

func (s stores) AddJob(ctx context.Context, j job.Job) error {
	return workstore.AddJob(ctx, s.handle.session, j)
}

func (s stores) TakeJob(ctx context.Context, kind job.Kind, now time.Time) (job.Job, bool, error) {
	return workstore.TakeJob(ctx, s.handle.session, kind, now)
}

// ForgetUser deletes the notifications first, and the digests after them, as a transaction writes them.
func (s stores) ForgetUser(ctx context.Context, id user.ID) error {
	if err := s.deleteNotifications(ctx, id); err != nil {
		return err
	}
	for _, statement := range []string{"DELETE FROM mail_digests WHERE user_id = ?", "DELETE FROM quota_uses WHERE user_id = ?"} {
		if _, err := s.handle.Exec(ctx, statement, int64(id)); err != nil {
			return err
		}
	}
	return nil
}

// KeepCurrency locks the row of the currency.
func (s stores) KeepCurrency(ctx context.Context, c money.Currency) (kept string, err error) {
	if _, err := s.handle.Exec(ctx, "INSERT INTO market_currency (id, code) VALUES (1, ?) ON CONFLICT DO NOTHING", c.Code()); err != nil {
		return "", err
	}
	session := s.handle.session
	if err := session.Raw("UPDATE market_currency SET code = code RETURNING code").Scan(&kept).Error; err != nil || kept == c.Code() {
		return kept, err
	}
	var amounts bool
	if err := session.Raw("SELECT EXISTS (SELECT 1 FROM books) OR EXISTS (SELECT 1 FROM requests WHERE max_price > 0)").Scan(&amounts).Error; err != nil || amounts {
		return kept, err
	}
	_, err = s.handle.Exec(ctx, "UPDATE market_currency SET code = ?", c.Code())
	return c.Code(), err
}

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

// mayAdd returns an error if a query finds as many rows as may be there. Others that ask under the same
// name wait until the transaction ends: two could both add the last one.
func mayAdd[R any](ctx context.Context, c conn, name string, others *table.Query[R], limit int, full error) error {
	if err := c.AdvisoryLock(ctx, name); err != nil {
		return err
	}
	n, err := others.Count(ctx)
	if err == nil && n >= limit {
		err = full
	}
	return err
}

// insert adds many rows. The statement ends before the rows, and the rest follows them.
func insert[T any](ctx context.Context, c conn, statement string, all []T, values func(T) []any, rest ...string) error {
	for batch := range rawsql.Batches(all) {
		marks, args := rawsql.Values(batch, values)
		if _, err := c.Exec(ctx, statement+marks+strings.Join(rest, ""), args...); err != nil {
			return err
		}
	}
	return nil
}
