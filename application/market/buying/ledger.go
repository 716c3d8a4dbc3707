package buying

import (
	"context"
	"fmt"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// Ledger checks the ledger against the orders and the books.
type Ledger struct{ reader Reader }

// NewLedger returns the check.
func NewLedger(reader Reader) *Ledger { return &Ledger{reader} }

// maxInconsistencies bounds a report: a longer one would not help to find the cause.
const maxInconsistencies = 1000

// Check recomputes every balance and returns at most a thousand inconsistencies. The
// entries of an order must sum to what its status requires, a book must have the status
// and the buyer of its live order, every movement must sum to 0, and each entry and each
// sold book must have an order.
func (l *Ledger) Check(ctx context.Context) ([]Inconsistency, error) {
	found, err := l.reader.FindInconsistencies(ctx)
	if err != nil {
		return nil, err
	}
	err = l.reader.WalkOrders(ctx, func(a OrderAccount) error {
		if what := a.inconsistency(); what != "" && len(found) < maxInconsistencies {
			found = append(found, Inconsistency{Order: a.Order.ID, Book: a.Order.Book, What: what})
		}
		return nil
	})
	return found, err
}

func (a OrderAccount) inconsistency() string {
	due := a.Order.ExpectedBalances()
	switch {
	case a.Balances != due:
		return fmt.Sprintf("the ledger says %s; the order's status %d requires %s", a.Balances, a.Order.Status, due)
	case a.Order.Live() && a.BookStatus != book.Status(a.Order.Status):
		return fmt.Sprintf("the order is in status %d, its book in %d", a.Order.Status, a.BookStatus)
	case a.Order.Live() && a.BookBuyer != a.Order.Buyer:
		return "the book and the order have different buyers"
	}
	return ""
}

// OrderAccount is an order with what the check compares it to.
type OrderAccount struct {
	Order      order.Order
	Balances   order.Balances
	BookStatus book.Status
	BookBuyer  user.ID // the book's
}

// Inconsistency is a contradiction between the ledger, the orders and the books.
type Inconsistency struct {
	Order order.ID // 0 if it concerns no order
	Book  book.ID  // 0 if it concerns no book
	What  string
}
