package guarding

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// MaxFound bounds the books that Find returns.
const MaxFound = 20

// Find returns the books, at most n, that an admin oversees and that have an id, an ISBN or, unless they are for sale, a title that
// begins with a text: the one with the id first, then the newest. Search of the catalogue finds those for sale by their words.
func (a *BookAdmin) Find(ctx context.Context, by user.Caller, typed string, n int) ([]market.BookView, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return nil, err
	}
	if n = min(n, MaxFound); !text.Storable(typed) || utf8.RuneCountInString(typed) > book.MaxQuery {
		return nil, nil
	}
	found, err := a.findByID(ctx, by, typed)
	if err != nil {
		return nil, err
	}
	ids, err := a.findByKey(ctx, by, typed, n)
	if err != nil {
		return nil, err
	}
	views, err := a.reader.FindBookViews(ctx, ids...)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(views, func(a, b market.BookView) int { return cmp.Compare(b.ID, a.ID) })
	for _, v := range views {
		if len(found) == 0 || v.ID != found[0].ID {
			found = append(found, v)
		}
	}
	return market.ShownTo(found[:min(n, len(found))], by), nil
}

// findByID returns the book with an id, if the caller oversees it.
func (a *BookAdmin) findByID(ctx context.Context, by user.Caller, typed string) ([]market.BookView, error) {
	number, ok := id.Parse(typed)
	if !ok {
		return nil, nil
	}
	found, err := a.Review(ctx, by, []book.ID{book.ID(number)})
	if errors.Is(err, user.ErrOtherCampus) {
		return nil, nil
	}
	return found, err
}

func (a *BookAdmin) findByKey(ctx context.Context, by user.Caller, typed string, n int) ([]book.ID, error) {
	campus := campusOf(by.Campus())
	if isbn, ok := pasted.ISBN(typed); ok {
		return a.reader.ListBooksOfISBN(ctx, isbn, campus, n)
	}
	if title := book.TitleKey(typed); title != "" {
		return a.reader.ListBooksTitled(ctx, title, campus, n)
	}
	return nil, nil
}
