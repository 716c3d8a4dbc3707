package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// Catalogue is what everybody may look through; nobody needs to sign in.
type Catalogue struct {
	books BookReader
	index Index
	words Vocabulary
}

// NewCatalogue makes a catalogue.
func NewCatalogue(books BookReader, index Index, words Vocabulary) *Catalogue {
	return &Catalogue{books, index, words}
}

// List lists the books for sale. The caller's own are left out; the zero Caller
// has none.
func (c *Catalogue) List(ctx context.Context, by user.Caller, f Filter, p Page) ([]BookView, Cursor, error) {
	criteria, err := f.criteria(by.ID)
	if err != nil {
		return nil, "", err
	}
	at, n, err := p.read()
	if err != nil {
		return nil, "", err
	}
	return c.list(ctx, criteria, f.Sort, at, n)
}

func (c *Catalogue) list(ctx context.Context, criteria Criteria, s Sort, at Position, n int) ([]BookView, Cursor, error) {
	views, err := c.books.Listed(ctx, criteria, s, at, n+1)
	if err != nil {
		return nil, "", err
	}
	views, next := cut(views, n, s.position)
	return views, next, nil
}

func (s Sort) position(v BookView) Position {
	if s == Cheapest || s == Costliest {
		return Position{Key: int64(v.Price), ID: int64(v.ID)}
	}
	return Position{ID: int64(v.ID)}
}

// maxSkip is more than any shelf holds.
const maxSkip = 1_000_000_000

// Skip lists at most limit books for sale, newest first, after the first skip.
// It is for those who count pages; a cursor is faster and does not slip.
func (c *Catalogue) Skip(ctx context.Context, limit, skip int) ([]BookView, error) {
	if limit < 1 || limit > MaxLimit {
		return nil, ErrLimit
	}
	if skip < 0 {
		return nil, ErrSkip
	}
	if skip > maxSkip {
		return nil, nil
	}
	return c.books.Skipped(ctx, limit, skip)
}

// Get shows one book to those who may see it; to others it does not exist.
func (c *Catalogue) Get(ctx context.Context, by user.Caller, id book.ID) (BookView, error) {
	views, err := c.books.Views(ctx, id)
	if err != nil {
		return BookView{}, err
	}
	if len(views) == 0 || !views[0].VisibleTo(by) {
		return BookView{}, book.ErrNotFound
	}
	return views[0].shownTo(by), nil
}
