package marketstore

import (
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
