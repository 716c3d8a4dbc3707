package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"gorm.io/gorm"
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

func (c conn) joinSeller() string {
	if c.isPostgres() {
		return " CROSS JOIN LATERAL (SELECT first_name FROM users WHERE users.id = b.seller_id OFFSET 0) AS u"
	}
	return " CROSS JOIN users AS u ON u.id = b.seller_id"
}

// LockKeys takes an advisory lock for each key, shared for books and exclusive for requests,
// until the transaction ends: on Postgres, two concurrent transactions do not see what the
// other has inserted. All transactions take their locks in the same order, so they do not
// deadlock. SQLite has one writer and needs no locks.
func (s matches) LockKeys(ctx context.Context, posting bool, keys []string) error {
	if !s.isPostgres() || len(keys) == 0 {
		return nil
	}
	lock := "pg_advisory_xact_lock"
	if posting {
		lock = "pg_advisory_xact_lock_shared"
	}
	marks, args := rawsql.In(keys)
	_, err := s.Exec(ctx, "SELECT "+lock+"(h) FROM (SELECT DISTINCT hashtextextended(k, 0) AS h FROM unnest(ARRAY["+marks+"]::text[]) AS k ORDER BY h) AS ordered", args...)
	return err
}
