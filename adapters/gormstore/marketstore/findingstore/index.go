package findingstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/domain/book"
)

// Index is what searches find books for sale by: the full-text index and the vocabulary.
type Index struct {
	marketrows.Handle
	text  fullText
	words *vocabulary
}

// Add adds books for sale to the full-text index and their terms to the vocabulary.
func (s Index) Add(ctx context.Context, all ...book.Book) error {
	if err := s.text.add(ctx, all); err != nil {
		return err
	}
	var terms []string
	for _, b := range all {
		terms = append(terms, b.Terms()...)
	}
	return s.words.learn(ctx, s.Handle, terms)
}

// Remove removes a book that is no longer for sale.
func (s Index) Remove(ctx context.Context, id book.ID) error { return s.text.remove(ctx, id) }
