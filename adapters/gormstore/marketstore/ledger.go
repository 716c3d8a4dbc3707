package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// accountsPage is how many orders are in memory at once.
const accountsPage = 1000

// Accounts is market.LedgerReader.
func (s *Store) Accounts(ctx context.Context, visit func(market.Account) error) error {
	for after := order.ID(0); ; {
		page, err := rawsql.Collect(ctx, s.read.Conn, readAccount, "SELECT "+orderColumns+`, b.status, b.buyer_id,
			(SELECT CAST(COALESCE(sum(amount), 0) AS BIGINT) FROM ledger l WHERE l.order_id = o.id AND l.account = 1),
			(SELECT CAST(COALESCE(sum(amount), 0) AS BIGINT) FROM ledger l WHERE l.order_id = o.id AND l.account = 2),
			(SELECT CAST(COALESCE(sum(amount), 0) AS BIGINT) FROM ledger l WHERE l.order_id = o.id AND l.account = 3),
			(SELECT CAST(COALESCE(sum(amount), 0) AS BIGINT) FROM ledger l WHERE l.order_id = o.id AND l.account = 4)
			FROM orders o JOIN books b ON b.id = o.book_id WHERE o.id > ? ORDER BY o.id LIMIT ?`, int64(after), accountsPage)
		if err != nil {
			return err
		}
		for _, a := range page {
			after = a.Order.ID
			if err := visit(a); err != nil {
				return err
			}
		}
		if len(page) < accountsPage {
			return nil
		}
	}
}

func readAccount() ([]any, func() market.Account) {
	var o orderRow
	var status, buyer, buyers, escrow, fees, sellers int64
	return o.columns(&status, &buyer, &buyers, &escrow, &fees, &sellers), func() market.Account {
		return market.Account{
			Order: o.order(), Book: book.Status(status), Buyer: user.ID(buyer),
			Balances: order.Balances{
				Buyers: money.Cents(buyers), Escrow: money.Cents(escrow), Fees: money.Cents(fees), Sellers: money.Cents(sellers),
			},
		}
	}
}

// strays are kept few: one is enough to know that something is wrong.
const strays = 100

// Strays is market.LedgerReader.
func (s *Store) Strays(ctx context.Context) ([]market.Difference, error) {
	out, err := s.mistakes(ctx)
	if err != nil {
		return nil, err
	}
	for _, q := range []struct{ query, what string }{
		{"SELECT DISTINCT l.order_id, 0 FROM ledger l LEFT JOIN orders o ON o.id = l.order_id WHERE o.id IS NULL LIMIT ?",
			"the ledger has entries of an order that does not exist"},
		{"SELECT order_id, 0 FROM ledger GROUP BY order_id, movement HAVING sum(amount) <> 0 LIMIT ?",
			"the entries of a movement do not sum to 0"},
		{`SELECT 0, b.id FROM books b LEFT JOIN orders o ON o.book_id = b.id AND o.status > 0
			WHERE b.status <> 0 AND b.status IN (1, 2, 3) AND o.id IS NULL LIMIT ?`, "the book is sold, but no order stands"},
	} {
		some, err := rawsql.Collect(ctx, s.read.Conn, func() ([]any, func() market.Difference) {
			var o, b int64
			return []any{&o, &b}, func() market.Difference {
				return market.Difference{Order: order.ID(o), Book: book.ID(b), What: q.what}
			}
		}, q.query, strays)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	return out, nil
}
