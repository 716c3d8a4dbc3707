package selling

import (
	"context"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/user"
)

// ISBNLookup finds the name, authors, edition, year and course of an ISBN, so that sellers need not type them.
type ISBNLookup struct {
	posts Reader
	table FindISBN // nil: none
}

// newISBNLookup returns the use case. The table answers for books that nobody has posted, and
// for the year of all; nil is none.
func newISBNLookup(posts Reader, table FindISBN) *ISBNLookup {
	return &ISBNLookup{posts, table}
}

// ErrISBN refuses a text that is not an ISBN.
var ErrISBN = book.ErrInvalid.WithField("ISBN", "Must be 10 or 13 digits with a correct check digit.")

// maxSuggestPosts is how many of the newest posts for sale, and of the others, count.
const maxSuggestPosts = 25

// Find returns what most posts of an ISBN agree on, see book.Suggest, or the entry of the
// table if nobody has posted the book; false if the ISBN is unknown. Posts say no year: the table does.
func (s *ISBNLookup) Find(ctx context.Context, by user.Caller, isbn string) (book.Suggestion, bool, error) {
	if err := by.MustBeStudent(); err != nil {
		return book.Suggestion{}, false, err
	}
	key, ok := pasted.ISBN(isbn)
	if !ok {
		return book.Suggestion{}, false, ErrISBN.WithField("ISBN", book.WhyNoISBN(isbn))
	}
	posts, err := s.posts.ListPostsWithISBN(ctx, key, maxSuggestPosts)
	if err != nil {
		return book.Suggestion{}, false, err
	}
	details := make([]book.Details, len(posts))
	for i, p := range posts {
		details[i] = p.Details
	}
	found, ok := book.Suggest(details)
	if s.table == nil {
		return found, ok, nil
	}
	listed, known, err := s.table(key)
	if !ok {
		return listed, known, err
	}
	if known { // if the table cannot be read, the posts answer all the same
		found.Year = listed.Year
	}
	return found, true, nil
}
