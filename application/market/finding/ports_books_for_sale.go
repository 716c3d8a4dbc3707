package finding

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// Criteria are a Filter in the form that stores compare.
type Criteria struct {
	ISBN       book.ISBN      // empty: any
	University string         // folded; empty: any
	Course     string         // folded; empty: any
	Condition  book.Condition // 0: any
	MinPrice   *money.Amount  // nil: any
	MaxPrice   *money.Amount  // nil: any
	NotBy      user.ID        // excludes the books of this seller; 0: excludes none

	NotUniversity string // folded; excludes the books of this university; empty: excludes none
}

// BookReader reads the books for sale.
type BookReader interface {
	market.BookViewReader
	// ListBooksForSale lists at most n books for sale after a position. The key of a
	// position is the price if sort orders by price, otherwise 0.
	ListBooksForSale(ctx context.Context, c Criteria, sort Sort, after market.Position, n int) ([]market.BookView, error)
	// ListBooksForSaleByOffset lists at most n books for sale, newest first, after the
	// first offset books.
	ListBooksForSaleByOffset(ctx context.Context, n, offset int) ([]market.BookView, error)
}
