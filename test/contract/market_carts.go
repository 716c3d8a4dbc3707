package contract

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketCarts(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a cart shows which books are still available":    cartItems,
		"only books that the user can buy go into a cart": cartRefuses,
		"a cart has at most a hundred books":              cartFull,
	})
}

func cartItems(t *testing.T, b *MarketFixture) {
	ann, bob, eve := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular)
	one, two := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)), b.Post(t, ann, Draft("Physics", "PHY 121", 1000))
	for _, id := range []book.ID{one.ID, two.ID, one.ID} {
		must.Do(t, b.Carts.Add(t.Context(), bob, id))
		b.Clock.Advance(time.Minute)
	}
	b.Buy(t, eve, one.ID)
	items, _ := must.Get2(b.Carts.List(t.Context(), bob, market.Page{}))(t)
	if len(items) != 2 || items[0].ID != two.ID || !items[0].Available || items[1].ID != one.ID || items[1].Available {
		t.Fatalf("the cart has %+v", items)
	}
	if items[1].Order != nil {
		t.Error("a stranger sees the order")
	}
	must.Do(t, b.Carts.Remove(t.Context(), bob, one.ID))
	must.Do(t, b.Carts.Remove(t.Context(), bob, one.ID))
	must.Do(t, b.Carts.Clear(t.Context(), bob))
	if items, _, err := b.Carts.List(t.Context(), bob, market.Page{}); err != nil || len(items) != 0 {
		t.Errorf("left %+v, %v", items, err)
	}
}

func cartRefuses(t *testing.T, b *MarketFixture) {
	ann, bob, eve := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	refused(t, b.Carts.Add(t.Context(), ann, v.ID), book.ErrOwnBook)
	refused(t, b.Carts.Add(t.Context(), bob, 404), book.ErrNotFound)
	b.Buy(t, eve, v.ID)
	refused(t, b.Carts.Add(t.Context(), bob, v.ID), book.ErrNotAvailable)
	refused(t, b.Carts.Add(t.Context(), user.Caller{}, v.ID), user.ErrUnauthenticated)
}

func cartFull(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	var last book.ID
	for range buying.MaxCart {
		last = b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)).ID
		must.Do(t, b.Carts.Add(t.Context(), bob, last))
	}
	must.Do(t, b.Carts.Add(t.Context(), bob, last)) // adding again is no error, even to a full cart
	refused(t, b.Carts.Add(t.Context(), bob, b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)).ID), buying.ErrCartFull)
	if n, err := b.Carts.Count(t.Context(), bob); err != nil || n != buying.MaxCart {
		t.Errorf("%d books in the cart, %v; want %d", n, err, buying.MaxCart)
	}
	if n, err := b.Carts.Count(t.Context(), ann); err != nil || n != 0 {
		t.Errorf("%d books in the cart of somebody else, %v; want 0", n, err)
	}
	seen := map[book.ID]bool{}
	for page := (market.Page{Limit: 33}); ; {
		items, next := must.Get2(b.Carts.List(t.Context(), bob, page))(t)
		for _, item := range items {
			seen[item.ID] = true
		}
		if page.Cursor = next; next == "" {
			break
		}
		must.Do(t, b.Carts.Remove(t.Context(), bob, items[len(items)-1].ID)) // the cursor stays valid without this item
		must.Do(t, b.Carts.Add(t.Context(), bob, items[len(items)-1].ID))
	}
	if len(seen) != buying.MaxCart {
		t.Errorf("has %d, want %d", len(seen), buying.MaxCart)
	}
	r := must.Get(b.Checkout.Do(t.Context(), bob, buying.Basket{}))(t)
	if len(r.Orders) != buying.MaxCart || r.Total != 100*1050 {
		t.Errorf("bought %d for %d", len(r.Orders), r.Total)
	}
}
