package selling

import (
	"context"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/writes"
)

// A pending photo is not shown, comments are erased when no book of the seller is for sale any more,
// a photo is deleted long after it was removed, and nobody else sees imports.
func TestEachWriteIsKnownToChangePublicResponsesOrNot(t *testing.T) {
	writes.Check[Store](t, "AddBook", "EraseUser", "UpdatePhoto", // which are watched
		"EraseComments", "AddPhoto", "DeletePhoto",
		"SaveImport", "UpdateImport", "ReplaceImportLines", "CorrectImportRows", "DeleteValidRows", "TakeImportLines", "DeleteImportOf", "DeleteImportsBefore")
}

// nothing stores nothing.
type nothing struct{ Store }

func (nothing) AddBook(context.Context, book.Book) error                    { return nil }
func (nothing) EraseUser(context.Context, user.ID, time.Time) error         { return nil }
func (nothing) UpdatePhoto(context.Context, photo.Photo, photo.State) error { return nil }

func TestEachWriteThatChangesPublicResponsesPurges(t *testing.T) {
	for name, write := range map[string]func(Store) error{
		"AddBook":     func(s Store) error { return s.AddBook(t.Context(), book.Book{ID: 1}) },
		"EraseUser":   func(s Store) error { return s.EraseUser(t.Context(), 7, time.Time{}) },
		"UpdatePhoto": func(s Store) error { return s.UpdatePhoto(t.Context(), photo.Photo{State: photo.Removed}, photo.Shown) },
	} {
		changes := market.NewPublicChanges()
		if err := write(watch(nothing{}, changes)); err != nil || len(changes.List()) == 0 {
			t.Errorf("%s purges nothing: %v", name, err)
		}
	}
}
