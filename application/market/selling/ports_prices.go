package selling

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
)

// SalesKey selects the sales of the books with something in common.
type SalesKey struct {
	Basis book.Reason
	Text  string // the ISBN, the folded course or the folded title; never empty
}

// SaleReader reads what was sold.
type SaleReader interface {
	// ListDeliveredSales lists the newest n sales with the key that were delivered at or
	// after since, the last delivered first. Only those with the key of a title have their names.
	ListDeliveredSales(ctx context.Context, key SalesKey, since time.Time, n int) ([]order.Sale, error)
}

// PostReader reads earlier posts.
type PostReader interface {
	// ListPostsWithISBN lists, newest first, the newest n posts with an ISBN that are for
	// sale and the newest n that are not.
	ListPostsWithISBN(ctx context.Context, isbn book.ISBN, n int) ([]book.Book, error)
}

// ISBNTable knows books that nobody has posted yet.
type ISBNTable interface {
	// FindISBN returns what the table says of an ISBN; false if it is not in the table.
	FindISBN(isbn book.ISBN) (book.Suggestion, bool, error)
}
