package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// accountsPage is how many orders are in memory at once.
const accountsPage = 1000

// WalkOrders is market.LedgerReader.
func (s *Store) WalkOrders(ctx context.Context, visit func(market.OrderAccount) error) error {
	for after := order.ID(0); ; {
		page, err := gorm.G[accountRow](s.db.Read).Raw(accounts, after, accountsPage).Find(ctx)
		if err != nil {
			return err
		}
		for _, a := range page {
			after = a.Order.ID
			account := market.OrderAccount{Order: a.Order.order(), Balances: a.Balances, BookStatus: a.BookStatus, BookBuyer: a.BookBuyer}
			if err := visit(account); err != nil {
				return err
			}
		}
		if len(page) < accountsPage {
			return nil
		}
	}
}

const accounts = "SELECT " + orderColumns + `, b.status AS book_status, b.buyer_id AS book_buyer,
	(SELECT CAST(COALESCE(sum(amount), 0) AS BIGINT) FROM ledger l WHERE l.order_id = o.id AND l.account = 1) AS buyers,
	(SELECT CAST(COALESCE(sum(amount), 0) AS BIGINT) FROM ledger l WHERE l.order_id = o.id AND l.account = 2) AS escrow,
	(SELECT CAST(COALESCE(sum(amount), 0) AS BIGINT) FROM ledger l WHERE l.order_id = o.id AND l.account = 3) AS fees,
	(SELECT CAST(COALESCE(sum(amount), 0) AS BIGINT) FROM ledger l WHERE l.order_id = o.id AND l.account = 4) AS sellers
	FROM orders o JOIN books b ON b.id = o.book_id WHERE o.id > ? ORDER BY o.id LIMIT ?`

// accountRow is a row of accounts.
type accountRow struct {
	Order      orderRow       `gorm:"embedded"`
	Balances   order.Balances `gorm:"embedded"`
	BookStatus book.Status
	BookBuyer  user.ID
}

// strays are kept few: one is enough to know that something is wrong.
const strays = 100

// strayRow is an order or a book for which there is no other side.
type strayRow struct {
	OrderID order.ID
	BookID  book.ID
}

// FindInconsistencies is market.LedgerReader.
func (s *Store) FindInconsistencies(ctx context.Context) ([]market.Inconsistency, error) {
	out, err := s.mistakes(ctx)
	if err != nil {
		return nil, err
	}
	for _, q := range []struct{ what, query string }{
		{"the ledger has entries of an order that does not exist", `SELECT DISTINCT l.order_id FROM ledger l
			LEFT JOIN orders o ON o.id = l.order_id WHERE o.id IS NULL LIMIT ?`},
		{"the entries of a movement do not sum to 0", `SELECT order_id FROM ledger
			GROUP BY order_id, movement HAVING sum(amount) <> 0 LIMIT ?`},
		{"the book is sold, but no order stands", `SELECT b.id AS book_id FROM books b LEFT JOIN orders o ON o.book_id = b.id AND o.status > 0
			WHERE b.status <> 0 AND b.status IN (1, 2, 3) AND o.id IS NULL LIMIT ?`},
	} {
		found, err := gorm.G[strayRow](s.db.Read).Raw(q.query, strays).Find(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			out = append(out, market.Inconsistency{Order: r.OrderID, Book: r.BookID, What: q.what})
		}
	}
	return out, nil
}
