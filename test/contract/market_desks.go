package contract

import (
	"context"
	"fmt"
	"testing"

	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/desk"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketDesks(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a university has one desk":                                         oneDesk,
		"an order leads to the desk of the seller's and the buyer's campus": desksOfAnOrder,
		"the number of desks is bounded":                                    tooManyDesks,
	})
}

func aDesk(university, place string) desk.Desk {
	return desk.Desk{University: university, Place: place, Hours: "Mon–Fri 10:00–16:00", Notes: "Ring\nthe bell."}
}

func oneDesk(t *testing.T, b *MarketFixture) {
	dean := b.Join(t, "dean", user.Admin)
	for _, d := range []desk.Desk{aDesk("Yale", "Hall 1"), aDesk("Cornell University", "Hall 2"), aDesk("cornell  university", "Hall 3")} {
		must.Do(t, b.Desks.Save(t.Context(), dean, d))
	}
	refused(t, b.Desks.Save(t.Context(), dean, desk.Desk{University: "Yale"}), desk.ErrInvalid)
	all := must.Get(b.Desks.List(t.Context(), dean))(t)
	want := aDesk("cornell  university", "Hall 3")
	want.UpdatedAt = b.Clock.Now()
	if len(all) != 2 || all[0] != want || all[1].Place != "Hall 1" {
		t.Errorf("the desks are %+v", all)
	}
	must.Do(t, b.Desks.Remove(t.Context(), dean, "Cornell university"))
	refused(t, b.Desks.Remove(t.Context(), dean, "Cornell university"), desk.ErrNotFound)
	actions := ""
	for _, e := range b.Audits(t) {
		actions += e.Action + " "
	}
	if actions != "desk.saved desk.saved desk.saved desk.removed " {
		t.Errorf("the audit log has %s, want desk.saved desk.saved desk.saved desk.removed ", actions)
	}
}

func desksOfAnOrder(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.JoinAt(t, "ann", "Cornell", user.Regular), b.JoinAt(t, "bob", "Yale", user.Regular), b.Join(t, "dean", user.Admin)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.Buy(t, bob, v.ID)
	o := b.orderOf(t, bob)
	none := must.Get(b.Desks.OfOrder(t.Context(), o))(t)
	if none != (buying.OrderDesks{}) {
		t.Errorf("without desks the order has %+v", none)
	}
	for _, d := range []desk.Desk{aDesk("CORNELL", "Hall 1"), aDesk("yale", "Hall 2"), aDesk("MIT", "Hall 3")} {
		must.Do(t, b.Desks.Save(t.Context(), dean, d))
	}
	found := must.Get(b.Desks.OfOrder(t.Context(), o))(t)
	if found.HandIn == nil || found.HandIn.Place != "Hall 1" || found.PickUp == nil || found.PickUp.Place != "Hall 2" {
		t.Errorf("the order has %+v", found)
	}
}

func tooManyDesks(t *testing.T, b *MarketFixture) {
	err := b.atomically(t, func(ctx context.Context, s Stores) error {
		for i := range 3 {
			must.Do(t, s.Buying.SaveDesk(ctx, aDesk(fmt.Sprint("University ", i), "Hall"), 3))
		}
		must.Do(t, s.Buying.SaveDesk(ctx, aDesk("University 1", "Room"), 3))
		return s.Buying.SaveDesk(ctx, aDesk("University 3", "Hall"), 3)
	})
	refused(t, err, desk.ErrTooMany)
}
