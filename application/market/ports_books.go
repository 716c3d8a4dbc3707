package market

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// BookStore stores books.
type BookStore interface {
	AddBook(ctx context.Context, b book.Book) error
	// LockBooks loads and locks the books with these ids, in ascending order. Unknown
	// ids are left out.
	LockBooks(ctx context.Context, ids ...book.ID) ([]book.Book, error)
	// UpdateBook stores a locked book. If its stored status is no longer was, nothing
	// changes and the error is book.ErrNotAvailable.
	UpdateBook(ctx context.Context, b book.Book, was book.Status) error
	// LockBooksForSaleBy loads and locks all books for sale of one seller, in ascending
	// order of their ids.
	LockBooksForSaleBy(ctx context.Context, seller user.ID) ([]book.Book, error)
	// EraseComments deletes the comments on all books of a seller.
	EraseComments(ctx context.Context, seller user.ID) error
	// LockBooksListedBefore loads and locks at most n books for sale that were listed at
	// or before t and have ids above after, in ascending order of their ids.
	LockBooksListedBefore(ctx context.Context, t time.Time, after book.ID, n int) ([]book.Book, error)
	// CountBooksListedBefore counts the books for sale that were listed at or before t, and
	// stops at most.
	CountBooksListedBefore(ctx context.Context, t time.Time, most int) (int, error)
}

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

// BookReader reads books for display. A view includes the live order of the book, if
// any; the use cases decide who may see it.
type BookReader interface {
	// ListBooksForSale lists at most n books for sale after a position. The key of a
	// position is the price if sort orders by price, otherwise 0.
	ListBooksForSale(ctx context.Context, c Criteria, sort Sort, after Position, n int) ([]BookView, error)
	// ListBooksForSaleByOffset lists at most n books for sale, newest first, after the
	// first offset books.
	ListBooksForSaleByOffset(ctx context.Context, n, offset int) ([]BookView, error)
	// FindBookViews loads books by id in any status and in no particular order. Unknown
	// ids are left out.
	FindBookViews(ctx context.Context, ids ...book.ID) ([]BookView, error)
}

// ListingReader lists the books of a seller, of a cart or in a status, newest first:
// at most n with ids below before, where 0 means no bound.
type ListingReader interface {
	ListBooksPostedBy(ctx context.Context, seller user.ID, before book.ID, n int) ([]BookView, error)
	// ListCartItems reads a whole cart, the last added item first. It leaves Available
	// false.
	ListCartItems(ctx context.Context, owner user.ID) ([]CartItem, error)
	CountCartItems(ctx context.Context, owner user.ID) (int, error)
	// ListBooksByStatus lists the books in a status, with the book.Key of their university, or
	// of all if campus is "".
	ListBooksByStatus(ctx context.Context, s book.Status, campus string, before book.ID, n int) ([]BookView, error)
}
