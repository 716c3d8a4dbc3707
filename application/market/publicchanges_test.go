package market

import (
	"context"
	"slices"
	"testing"

	"github.com/octavo-books/octavo/domain/book"
)

// noBooks stores nothing.
type noBooks struct{ Stores }

func (noBooks) UpdateBook(context.Context, book.Book, book.Status) error { return nil }

// The rooms watch their own stores.
func TestAChangeOfABookPurgesWhatShowsIt(t *testing.T) {
	s := watchChanges(noBooks{})
	if err := s.UpdateBook(t.Context(), book.Book{ID: 1}, book.Unlisted); err != nil || !slices.Contains(s.changes.List(), BookKeys(book.Book{ID: 1})[1]) {
		t.Errorf("purges %v: %v", s.changes.List(), err)
	}
}
