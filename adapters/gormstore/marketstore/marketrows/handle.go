// Package marketrows has what the stores of several rooms of the market share: the rows of the tables
// that they read, with the columns of hand-written queries, and how such a query is written.
package marketrows

import (
	"context"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"gorm.io/gorm"
)

// Source is where the rooms read outside of transactions.
type Source struct {
	DB   *gormstore.DB
	Read Handle
}

// NewSource returns the source of a database.
func NewSource(db *gormstore.DB) *Source { return &Source{db, On(db.Read)} }

// On returns the handle of a transaction or a session.
func On(tx *gorm.DB) Handle { return Handle{rawsql.On(tx), tx} }

// Handle runs the statements of a transaction: those of GORM in its session, hand-written
// ones on the same connection.
type Handle struct {
	rawsql.Conn
	Session *gorm.DB
}

// IsPostgres reports whether the engine is Postgres, not SQLite.
func (c Handle) IsPostgres() bool { return c.Dialect == gormstore.Postgres }

// JoinBook joins the book b of each row of h, and JoinSeller its seller u. Both force a
// nested loop in the order of h: the planners misjudge how few rows h has.
func (c Handle) JoinBook() string {
	if c.IsPostgres() {
		return " CROSS JOIN LATERAL (SELECT * FROM books WHERE books.id = h.id OFFSET 0) AS b"
	}
	return " CROSS JOIN books AS b ON b.id = h.id"
}

// JoinRow joins (JOIN or LEFT JOIN) the row of a table with a key. Postgres, which misjudges how few rows a page
// has, would rather merge the whole table of users with them; OFFSET 0 forces a nested loop.
func (c Handle) JoinRow(join, table, alias, key string) string {
	if c.IsPostgres() {
		return " " + join + " LATERAL (SELECT * FROM " + table + " WHERE " + table + ".id = " + key + " OFFSET 0) AS " + alias + " ON TRUE"
	}
	return " " + join + " " + table + " AS " + alias + " ON " + alias + ".id = " + key
}

// JoinSeller is described at JoinBook.
func (c Handle) JoinSeller() string {
	if c.IsPostgres() {
		return " CROSS JOIN LATERAL (SELECT first_name FROM users WHERE users.id = b.seller_id OFFSET 0) AS u"
	}
	return " CROSS JOIN users AS u ON u.id = b.seller_id"
}

// MayAdd returns an error if a query finds as many rows as may be there. Others that ask under the same
// name wait until the transaction ends: two could both add the last one.
func MayAdd[R any](ctx context.Context, c Handle, name string, others *table.Query[R], limit int, full error) error {
	if err := c.AdvisoryLock(ctx, name); err != nil {
		return err
	}
	n, err := others.Count(ctx)
	if err == nil && n >= limit {
		err = full
	}
	return err
}

// Insert adds many rows. The statement ends before the rows, and the rest follows them.
func Insert[T any](ctx context.Context, c Handle, statement string, all []T, values func(T) []any, rest ...string) error {
	for batch := range rawsql.Batches(all) {
		marks, args := rawsql.Values(batch, values)
		if _, err := c.Exec(ctx, statement+marks+strings.Join(rest, ""), args...); err != nil {
			return err
		}
	}
	return nil
}

// LinesAtOnce keeps an INSERT below the number of variables that the databases allow.
const LinesAtOnce = 500
