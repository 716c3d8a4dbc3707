package buying

import (
	"context"
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/rating"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/writes"
)

// The book of a new order is updated, too, and nobody else sees carts, desks, meetings and offers.
func TestEachWriteIsKnownToChangePublicResponsesOrNot(t *testing.T) {
	writes.Check[Store](t, "UpdateOrder", "EraseUser", "SaveRating", // which are watched
		"AddOrder", "EndTrades", "AddToCart", "LowerCartPrices", "RemoveFromCart", "SaveDesk", "DeleteDesk", "SaveMeeting",
		"AddTry", "DeleteTries", "SavePlace", "DeletePlace",
		"AddOffer", "UpdateOffer", "EndOffers", "LowerCartPrice")
}

// nothing stores nothing.
type nothing struct{ Store }

func (nothing) EraseUser(context.Context, user.ID) error        { return nil }
func (nothing) SaveRating(context.Context, rating.Rating) error { return nil }
func (nothing) UpdateOrder(context.Context, order.Order, order.Status, []order.Entry) error {
	return nil
}

func TestEachWriteThatChangesPublicResponsesPurges(t *testing.T) {
	sold := order.Order{Status: order.Delivered, Seller: 7}
	for name, write := range map[string]func(Store) error{
		"UpdateOrder": func(s Store) error { return s.UpdateOrder(t.Context(), sold, order.Verified, nil) },
		"EraseUser":   func(s Store) error { return s.EraseUser(t.Context(), 7) },
		"SaveRating":  func(s Store) error { return s.SaveRating(t.Context(), rating.Rating{Of: 7}) },
	} {
		changes := market.NewPublicChanges()
		if err := write(watch(nothing{}, changes)); err != nil || len(changes.List()) == 0 {
			t.Errorf("%s purges nothing: %v", name, err)
		}
	}
}
