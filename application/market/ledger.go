package market

import (
	"context"
	"fmt"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// Ledger is checked against the orders and the books.
type Ledger struct{ read LedgerReader }

// NewLedger makes it.
func NewLedger(read LedgerReader) *Ledger { return &Ledger{read} }

// maxDifferences bounds a report; a ledger in worse shape needs no longer one.
const maxDifferences = 1000

// Check recomputes every balance and returns what disagrees, at most a thousand
// differences: the entries of an order must sum to what its status says, a book
// must be in the status of its live order and have its buyer, every movement
// must sum to 0, and nothing may be without an order.
func (l *Ledger) Check(ctx context.Context) ([]Difference, error) {
	found, err := l.read.Strays(ctx)
	if err != nil {
		return nil, err
	}
	err = l.read.Accounts(ctx, func(a Account) error {
		if what := a.disagreement(); what != "" && len(found) < maxDifferences {
			found = append(found, Difference{Order: a.Order.ID, Book: a.Order.Book, What: what})
		}
		return nil
	})
	return found, err
}

func (a Account) disagreement() string {
	due := a.Order.Due()
	switch {
	case a.Balances != due:
		return fmt.Sprintf("the ledger says %s; the order's status %d asks for %s", a.Balances, a.Order.Status, due)
	case a.Order.Live() && a.Book != book.Status(a.Order.Status):
		return fmt.Sprintf("the order is in status %d, its book in %d", a.Order.Status, a.Book)
	case a.Order.Live() && a.Buyer != a.Order.Buyer:
		return "the book has another buyer than the order"
	}
	return ""
}

// Account is one order as the check of the ledger sees it.
type Account struct {
	Order    order.Order
	Balances order.Balances
	Book     book.Status
	Buyer    user.ID // the book's
}
