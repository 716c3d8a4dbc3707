package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"gorm.io/gorm"
)

// conn is where statements run: those that GORM writes in its session, those that are
// written by hand beside it.
type conn struct {
	rawsql.Conn
	session *gorm.DB
}

func (c conn) postgres() bool { return c.Dialect == gormstore.Postgres }

// top is the bound of a list that is newest first; 0 means none.
func top[T ~int64](before T) int64 {
	if before == 0 {
		return 1<<63 - 1
	}
	return int64(before)
}

// itsBook joins the book b of each row of h, and itsSeller its seller u, one by one and in
// this order, whatever the planner takes for likely.
func (c conn) itsBook() string {
	if c.postgres() {
		return " CROSS JOIN LATERAL (SELECT * FROM books WHERE books.id = h.id OFFSET 0) AS b"
	}
	return " CROSS JOIN books AS b ON b.id = h.id"
}

func (c conn) itsSeller() string {
	if c.postgres() {
		return " CROSS JOIN LATERAL (SELECT first_name FROM users WHERE users.id = b.seller_id OFFSET 0) AS u"
	}
	return " CROSS JOIN users AS u ON u.id = b.seller_id"
}

// Guard lets a book and a request that share a key wait for each other on
// Postgres, where two steps that overlap do not see what the other has added:
// those of one kind pass together, and a lock is held until its step ends. All
// steps take their locks in the same order. On SQLite there is one writer.
func (s pairs) LockKeys(ctx context.Context, posting bool, keys []string) error {
	if !s.postgres() || len(keys) == 0 {
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
