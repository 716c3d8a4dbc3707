package finding

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
)

// TitleReader reads what is known of all copies of a title, and how many books a list has.
type TitleReader interface {
	// SummariseTitles summarises the copies for sale of each ISBN that meet the criteria. It
	// considers the newest max copies of each and reports whether there are more. Before says
	// whether one of them is at or before a position of the list in the order of sort. ISBNs
	// without such copies are left out.
	SummariseTitles(ctx context.Context, isbns []book.ISBN, c Criteria, sort Sort, at market.Position, max int) ([]TitleSummary, error)
	// CountBooksForSale counts the books for sale that meet the criteria, up to a bound.
	CountBooksForSale(ctx context.Context, c Criteria, bound int) (int, error)
}

// PlaceReader lists where books are for sale.
type PlaceReader interface {
	// ListUniversities lists at most n universities with books for sale, in the order of their
	// keys, each as its newest book spells it.
	ListUniversities(ctx context.Context, n int) ([]string, error)
	// ListNewCourses lists the courses of the newest n books for sale at a university, or
	// everywhere if its key is empty, in the order of their keys, one spelling of each.
	ListNewCourses(ctx context.Context, university string, n int) ([]string, error)
}
