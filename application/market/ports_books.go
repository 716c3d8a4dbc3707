package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// BookStore changes books that are stored.
type BookStore interface {
	// LockBooks loads and locks the books with these ids, in ascending order. Unknown
	// ids are left out.
	LockBooks(ctx context.Context, ids ...book.ID) ([]book.Book, error)
	// UpdateBook stores a locked book. If its stored status is no longer was, nothing
	// changes and the error is book.ErrNotAvailable.
	UpdateBook(ctx context.Context, b book.Book, was book.Status) error
	// LockKeys makes transactions that store a book and a request with a common key at
	// the same time run one after the other, so that the later one sees the other's row.
	// posting is true for books, which do not wait for each other, and false for
	// requests. Call it before storing either.
	LockKeys(ctx context.Context, posting bool, keys []string) error
	// ListPhotos lists the shown photos of each book in ascending order, without ChangedAt and
	// sums.
	ListPhotos(ctx context.Context, of ...book.ID) (map[book.ID][]photo.Photo, error)
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
