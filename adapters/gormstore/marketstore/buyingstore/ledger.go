package buyingstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// orderAccountsPage is how many orders are in memory at once.
const orderAccountsPage = 1000

// WalkOrders implements buying.Reader.
func (s Reader) WalkOrders(ctx context.Context, visit func(buying.OrderAccount) error) error {
	for after := order.ID(0); ; {
		page, err := table.Of[orderAccountRow](s.DB.Read).Raw(orderAccounts, after, orderAccountsPage).Find(ctx)
		if err != nil {
			return err
		}
		for _, r := range page {
			after = r.Order.ID
			account := buying.OrderAccount{Order: r.Order.Order(), Balances: r.Balances, BookStatus: r.BookStatus, BookBuyer: r.BookBuyer}
			if err := visit(account); err != nil {
				return err
			}
		}
		if len(page) < orderAccountsPage {
			return nil
		}
	}
}

const orderAccounts = "SELECT " + marketrows.OrderColumns + `, b.status AS book_status, b.buyer_id AS book_buyer,
	(SELECT CAST(COALESCE(sum(amount), 0) AS BIGINT) FROM ledger l WHERE l.order_id = o.id AND l.account = 1) AS buyers,
	(SELECT CAST(COALESCE(sum(amount), 0) AS BIGINT) FROM ledger l WHERE l.order_id = o.id AND l.account = 2) AS escrow,
	(SELECT CAST(COALESCE(sum(amount), 0) AS BIGINT) FROM ledger l WHERE l.order_id = o.id AND l.account = 3) AS fees,
	(SELECT CAST(COALESCE(sum(amount), 0) AS BIGINT) FROM ledger l WHERE l.order_id = o.id AND l.account = 4) AS sellers
	FROM orders o JOIN books b ON b.id = o.book_id WHERE o.id > ? ORDER BY o.id LIMIT ?`

// orderAccountRow is a row of orderAccounts.
type orderAccountRow struct {
	Order      marketrows.OrderRow `gorm:"embedded"`
	Balances   order.Balances      `gorm:"embedded"`
	BookStatus book.Status
	BookBuyer  user.ID
}

// maxInconsistencies bounds each query: one inconsistency already shows that something is
// wrong.
const maxInconsistencies = 100

// inconsistencyRow identifies the order or the book of an inconsistency.
type inconsistencyRow struct {
	OrderID order.ID
	BookID  book.ID
}

// FindInconsistencies implements buying.Reader.
func (s Reader) FindInconsistencies(ctx context.Context) (out []buying.Inconsistency, err error) {
	for _, q := range []struct{ what, query string }{
		{"the ledger has entries of an order that does not exist", `SELECT DISTINCT l.order_id FROM ledger l
			LEFT JOIN orders o ON o.id = l.order_id WHERE o.id IS NULL LIMIT ?`},
		{"the entries of a movement do not sum to 0", `SELECT order_id FROM ledger
			GROUP BY order_id, movement HAVING sum(amount) <> 0 LIMIT ?`},
		{"the book is sold, but has no live order", `SELECT b.id AS book_id FROM books b LEFT JOIN orders o ON o.book_id = b.id AND o.status > 0
			WHERE b.status <> 0 AND b.status IN (1, 2, 3) AND o.id IS NULL LIMIT ?`},
	} {
		found, err := table.Of[inconsistencyRow](s.DB.Read).Raw(q.query, maxInconsistencies).Find(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			out = append(out, buying.Inconsistency{Order: r.OrderID, Book: r.BookID, What: q.what})
		}
	}
	return out, nil
}
