package selling

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// ListingStore stores the books that sellers offer.
type ListingStore interface {
	AddBook(ctx context.Context, b book.Book) error
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
	// IsHidden reports whether an open report has taken a book off sale. It locks nothing.
	IsHidden(ctx context.Context, id book.ID) (bool, error)
}

// Store is what one transaction may change of what people sell.
type Store interface {
	ListingStore
	PhotoStore
	ImportStore
}

// ListingReader lists the books of a seller or in a status, newest first: at most n with ids below
// before, where 0 means no bound.
type ListingReader interface {
	ListBooksPostedBy(ctx context.Context, seller user.ID, before book.ID, n int) ([]market.BookView, error)
	// ListBooksByStatus lists the books in a status, with the book.Key of their university, or
	// of all if campus is "".
	ListBooksByStatus(ctx context.Context, s book.Status, campus string, before book.ID, n int) ([]market.BookView, error)
}
