package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
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

// BookViewReader reads books for display. A view includes the live order of the book, if
// any; the use cases decide who may see it.
type BookViewReader interface {
	// FindBookViews loads books by id in any status and in no particular order. Unknown
	// ids are left out.
	FindBookViews(ctx context.Context, ids ...book.ID) ([]BookView, error)
}
