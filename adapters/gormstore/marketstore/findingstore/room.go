// Package findingstore stores what people look for: the catalogue, the index of searches, requests, saved searches, courses.
package findingstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/domain/user"
)

// Reader implements finding.Reader and, of market.Reader, what is found.
type Reader struct {
	*marketrows.Source
	Bounds Bounds
	words  *vocabulary
}

// NewReader returns the reader over a source.
func NewReader(of *marketrows.Source) Reader {
	return Reader{of, defaultBounds, &vocabulary{}}
}

// IndexIn returns the index in a transaction.
func (s Reader) IndexIn(c marketrows.Handle) Index {
	return Index{c, openFullText(c, s.Bounds), s.words}
}

// Store implements finding.Store.
type Store struct {
	requests
	matches
	savedSearches
	courses
}

// Open returns the room's store in a transaction.
func (s Reader) Open(c marketrows.Handle) Store {
	text := openFullText(c, s.Bounds)
	return Store{requests{c, text}, matches{c, text}, savedSearches{c}, courses{c}}
}

// EraseUser implements finding.Store.
func (s Store) EraseUser(ctx context.Context, id user.ID) error {
	if err := s.deleteRequestsOf(ctx, id); err != nil {
		return err
	}
	if err := s.deleteSearchesOf(ctx, id); err != nil {
		return err
	}
	return s.deleteChoicesOf(ctx, id)
}
