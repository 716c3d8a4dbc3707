package market

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/rating"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// publicWrites are the methods of stores that may change a public response. watchChanges must
// watch each of them.
var publicWrites = map[string][]string{
	"Books":   {"AddBook", "UpdateBook"},
	"Photos":  {"RemovePhotosOf", "UpdatePhoto"},
	"Orders":  {"UpdateOrder"},
	"Ratings": {"RemoveRatings", "SaveRating"},
	"Reports": {"DeleteReportsAbout", "UpdateReports"},
}

// privateWrites are the others of the same stores: a pending photo is not shown, comments
// are erased when no book of the seller is for sale any more, a photo is deleted long after it was removed, the book of a new order is updated, too, and only decisions
// about reports count, which are deleted when they count no longer.
var privateWrites = map[string][]string{
	"Books":   {"EraseComments"},
	"Photos":  {"AddPhoto", "DeletePhoto"},
	"Orders":  {"AddOrder", "EraseReasons"},
	"Reports": {"AddReport", "DeleteResolvedReports"},
}

// privateStores are the stores of which no public response shows anything.
var privateStores = []string{
	"Requests", "Matches", "Carts", "Conversations", "Blocks", "IdempotencyKeys", "Jobs", "Users", "Notifications", "Outbox", "AuditLog", "Desks",
	"Meetings", "MeetingEnder", "MeetingPlaces", "Handovers", "Quotas", "SavedSearches", "Imports", "Courses", "Currency", "Digests",
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
	ctx, sold := t.Context(), order.Order{Status: order.Delivered, Seller: 7}
	writes := map[string]func(Stores) error{
		"Books.AddBook":              func(s Stores) error { return s.Books.AddBook(ctx, book.Book{ID: 1}) },
		"Books.UpdateBook":           func(s Stores) error { return s.Books.UpdateBook(ctx, book.Book{ID: 1}, book.Unlisted) },
		"Photos.RemovePhotosOf":      func(s Stores) error { return s.Photos.RemovePhotosOf(ctx, 7, time.Time{}) },
		"Photos.UpdatePhoto":         func(s Stores) error { return s.Photos.UpdatePhoto(ctx, photo.Photo{State: photo.Removed}, photo.Shown) },
		"Orders.UpdateOrder":         func(s Stores) error { return s.Orders.UpdateOrder(ctx, sold, order.Verified, nil) },
		"Ratings.RemoveRatings":      func(s Stores) error { return s.Ratings.RemoveRatings(ctx, 7) },
		"Ratings.SaveRating":         func(s Stores) error { return s.Ratings.SaveRating(ctx, rating.Rating{Of: 7}) },
		"Reports.DeleteReportsAbout": func(s Stores) error { return s.Reports.DeleteReportsAbout(ctx, 7) },
		"Reports.UpdateReports": func(s Stores) error {
			return s.Reports.UpdateReports(ctx, []report.Report{{About: 7, Action: report.Warn, ResolvedAt: time.Unix(1, 0)}})
		},
	}
	for store, methods := range publicWrites {
		for _, method := range methods {
			s := Stores{Books: noBooks{}, Photos: noPhotos{}, Orders: noOrders{}, Ratings: noRatings{}, Reports: noReports{}}
			changes := watchChanges(&s)
			if err := writes[store+"."+method](s); err != nil || len(changes.list()) == 0 {
				t.Errorf("%s.%s purges nothing: %v", store, method, err)
			}
		}
	}
}

// The stores below do nothing.
type (
	noBooks   struct{ BookStore }
	noPhotos  struct{ PhotoStore }
	noOrders  struct{ OrderStore }
	noRatings struct{ RatingStore }
	noReports struct{ ReportStore }
)

func (noBooks) AddBook(context.Context, book.Book) error                     { return nil }
func (noBooks) UpdateBook(context.Context, book.Book, book.Status) error     { return nil }
func (noPhotos) RemovePhotosOf(context.Context, user.ID, time.Time) error    { return nil }
func (noPhotos) UpdatePhoto(context.Context, photo.Photo, photo.State) error { return nil }
func (noRatings) RemoveRatings(context.Context, user.ID) error               { return nil }
func (noRatings) SaveRating(context.Context, rating.Rating) error            { return nil }
func (noReports) DeleteReportsAbout(context.Context, user.ID) error          { return nil }
func (noReports) UpdateReports(context.Context, []report.Report) error       { return nil }
func (noOrders) UpdateOrder(context.Context, order.Order, order.Status, []order.Entry) error {
	return nil
}
