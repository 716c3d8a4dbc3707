package selling

import (
	"github.com/octavo-books/octavo/domain/book"
)

// SalesKey selects the sales of the books with something in common.
type SalesKey struct {
	Basis book.Reason
	Text  string // the ISBN, the folded course or the folded title; never empty
}

// ISBNTable knows books that nobody has posted yet.
type ISBNTable interface {
	// FindISBN returns what the table says of an ISBN; false if it is not in the table.
	FindISBN(isbn book.ISBN) (book.Suggestion, bool, error)
}
