package market

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// publicWrites are the methods of stores that may change a public response. watchChanges must
// watch each of them.
var publicWrites = map[string][]string{
	"Books":   {"UpdateBook"},
	"Selling": {"AddBook", "RemovePhotosOf", "UpdatePhoto"},
}

// privateWrites are the others of the same stores: a pending photo is not shown, comments
// are erased when no book of the seller is for sale any more, a photo is deleted long after it was removed, the book of a new order is updated, too, and only decisions
// about reports count, which are deleted when they count no longer. Nobody else sees carts, meetings and imports.
var privateWrites = map[string][]string{
	"Selling": {
		"EraseComments", "AddPhoto", "DeletePhoto",
		"SaveImport", "UpdateImport", "TakeImportLines", "DeleteImportOf", "DeleteImportsBefore",
	},
}

// privateStores are the stores of which no public response shows anything.
var privateStores = []string{
	"Finding", "IdempotencyKeys", "Jobs", "Users", "Notifications", "Outbox", "AuditLog", "Quotas", "Currencies", "Digests",
}

var reads = []string{"Find", "List", "Lock", "Count", "Is", "Has", "Are", "Sample"}

// It fails when somebody adds a store or a method: say above whether it changes what a visitor
// sees and, if so, watch it in watchChanges.
func TestEachWriteIsKnownToChangePublicResponsesOrNot(t *testing.T) {
	stores := reflect.TypeFor[Stores]()
	for i := range stores.NumField() {
		field := stores.Field(i)
		if field.Type.Kind() != reflect.Interface || slices.Contains(privateStores, field.Name) {
			continue
		}
		for j := range field.Type.NumMethod() {
			name := field.Type.Method(j).Name
			read := slices.ContainsFunc(reads, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
			if !read && !slices.Contains(publicWrites[field.Name], name) && !slices.Contains(privateWrites[field.Name], name) {
				t.Errorf("nobody knows whether %s.%s changes what a visitor sees", field.Name, name)
			}
		}
	}
}

func TestEachWriteThatChangesPublicResponsesPurges(t *testing.T) {
	ctx := t.Context()
	writes := map[string]func(Stores) error{
		"Books.UpdateBook":       func(s Stores) error { return s.Books.UpdateBook(ctx, book.Book{ID: 1}, book.Unlisted) },
		"Selling.AddBook":        func(s Stores) error { return s.Selling.AddBook(ctx, book.Book{ID: 1}) },
		"Selling.RemovePhotosOf": func(s Stores) error { return s.Selling.RemovePhotosOf(ctx, 7, time.Time{}) },
		"Selling.UpdatePhoto": func(s Stores) error {
			return s.Selling.UpdatePhoto(ctx, photo.Photo{State: photo.Removed}, photo.Shown)
		},
	}
	for store, methods := range publicWrites {
		for _, method := range methods {
			s := Stores{Books: noBooks{}, Selling: noSelling{}}
			changes := watchChanges(&s)
			if err := writes[store+"."+method](s); err != nil || len(changes.List()) == 0 {
				t.Errorf("%s.%s purges nothing: %v", store, method, err)
			}
		}
	}
}

// The stores below do nothing.
type (
	noBooks   struct{ BookStore }
	noSelling struct{ SellingStore }
)

func (noBooks) UpdateBook(context.Context, book.Book, book.Status) error      { return nil }
func (noSelling) AddBook(context.Context, book.Book) error                    { return nil }
func (noSelling) RemovePhotosOf(context.Context, user.ID, time.Time) error    { return nil }
func (noSelling) UpdatePhoto(context.Context, photo.Photo, photo.State) error { return nil }
