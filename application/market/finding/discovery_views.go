package finding

import (
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// ErrNoSuchTitle refuses a text that is not an ISBN.
var ErrNoSuchTitle = fault.New(fault.NotFound, "title_not_found", "There is no such title.")

// countUpTo returns the count of n things, of which at most bound are counted.
func countUpTo(n, bound int) market.Count { return market.Count{N: min(n, bound), More: n > bound} }

// TitleSummary summarises copies of one title.
type TitleSummary struct {
	ISBN   book.ISBN
	Copies market.Count
	Lowest money.Amount
	Before bool // one of them is on an earlier page of the list
}

// GradeSummary summarises the copies of a title in one condition.
type GradeSummary struct {
	Condition book.Condition
	TitleSummary
}

// TitleView is a title on a list: the copy that comes first in its order, and all copies.
type TitleView struct {
	market.BookView
	All TitleSummary
}

// TitlePage is a page of a list of titles, or of the copies of one.
type TitlePage struct {
	Titles []TitleView
	Next   market.Cursor
	Count  market.Count // of the books on all pages

	// Instead is what a search looked for, see Found.
	Instead string

	// Only of one title:
	ISBN   book.ISBN
	Like   *market.BookView // the newest copy for sale, whether it meets the filter or not
	Grades []GradeSummary
}

// WantedISBN is a book that people have requested, by its ISBN.
type WantedISBN struct {
	ISBN   book.ISBN
	People int
	One    user.ID // one of them
}

// Suggestions complete what people enter in a filter.
type Suggestions struct{ Universities, Courses []string }
