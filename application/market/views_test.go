package market_test

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/order"
)

func TestAnAdminDecidesAboutAnOrderThatOneSideHasLeft(t *testing.T) {
	here, left := market.Party{FirstName: "Ada"}, market.Party{}
	placed := order.Order{Status: order.Placed}
	met := order.Order{Status: order.Placed, Handover: order.AtMeeting, HandedOverAt: time.Unix(1, 0)}
	for _, o := range []struct {
		order         order.Order
		seller, buyer market.Party
		want          order.Task
	}{
		{placed, here, here, order.HandIn},
		{placed, here, left, order.Decide},
		{placed, left, here, order.Decide},
		{met, here, left, order.Settle},
		{order.Order{Status: order.Verified}, left, here, order.PickUp},
		{order.Order{Status: order.Cancelled}, left, here, ""},
	} {
		view := market.OrderView{Order: o.order, SellerParty: o.seller, BuyerParty: o.buyer}
		if next, _ := view.Next(meeting.Desk); next.What != o.want {
			t.Errorf("after %+v between %q and %q comes %q, want %q", o.order.Status, o.seller.FirstName, o.buyer.FirstName, next.What, o.want)
		}
	}
}
