package selling

import (
	"github.com/octavo-books/octavo/domain/book"
)

// SalesKey selects the sales of the books with something in common.
type SalesKey struct {
	Basis book.Reason
	Text  string // the ISBN, the folded course or the folded title; never empty
}

// FindISBN returns what a table says of an ISBN that nobody has posted yet; false if it is not in
// the table.
type FindISBN func(isbn book.ISBN) (book.Suggestion, bool, error)
