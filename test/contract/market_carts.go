package contract

import (
	"errors"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
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

// setPrice changes the price of a book.
func (b *MarketFixture) setPrice(t *testing.T, by user.Caller, id book.ID, price money.Amount) {
	t.Helper()
	must.Get(b.Listings.Update(t.Context(), by, id, book.Patch{Price: &price}))(t)
}

func knownPrices(t *testing.T, b *MarketFixture) {
	ann, bob, eve := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular)
	v, other := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)), b.Post(t, ann, Draft("Physics", "PHY 121", 1000))
	for _, id := range []book.ID{v.ID, other.ID} {
		must.Do(t, b.Carts.Add(t.Context(), bob, id))
	}
	b.setPrice(t, ann, v.ID, 2000)
	for name, basket := range map[string]buying.Basket{
		"the cart":        {},
		"by its id":       {Books: []book.ID{v.ID}},
		"what there is":   {AllowPartial: true},
		"under a key":     {Key: market.IdempotencyKey{Value: "k"}},
		"again under it":  {Key: market.IdempotencyKey{Value: "k"}},
		"with the other":  {Books: []book.ID{v.ID, other.ID}},
		"with some other": {Books: []book.ID{v.ID, other.ID, 404}, AllowPartial: true},
	} {
		_, err := b.Checkout.Do(t.Context(), bob, basket)
		var changed *buying.PriceChangedError
		if !errors.Is(err, buying.ErrPriceChanged) || !errors.As(err, &changed) || changed.Total != 3150 && changed.Total != 2100 {
			t.Errorf("%s: %v", name, err)
		}
	}
	must.Get(b.Checkout.Do(t.Context(), bob, buying.Basket{Books: []book.ID{other.ID}}))(t)
	must.Do(t, b.Carts.Add(t.Context(), bob, v.ID)) // now its price is known
	b.setPrice(t, ann, v.ID, 1990)                  // and it may fall
	if r, err := b.Checkout.Do(t.Context(), bob, buying.Basket{}); err != nil || r.Total != 2090 {
		t.Errorf("paid %d, %v", r.Total, err)
	}
	third := b.Post(t, ann, Draft("Chemistry", "CHM 131", 1000))
	must.Do(t, b.Carts.Add(t.Context(), bob, third.ID))
	b.setPrice(t, ann, third.ID, 5000)
	if _, err := b.Checkout.Do(t.Context(), eve, buying.Basket{Books: []book.ID{third.ID}}); err != nil {
		t.Errorf("somebody else, whose cart knows no price: %v", err)
	}
}

// postMany posts so many books.
func (b *MarketFixture) postMany(t *testing.T, by user.Caller, n int) []book.ID {
	t.Helper()
	ids := make([]book.ID, n)
	for i := range ids {
		ids[i] = b.Post(t, by, Draft("Calculus", "MTH 161", 1000)).ID
	}
	return ids
}

// limited is a checkout in which a new buyer may have n open purchases.
func (b *MarketFixture) limited(n order.PurchaseLimit) *buying.Checkout {
	deps := b.Deps
	deps.OpenPurchases = n
	return b.Over(deps).Checkout
}

func openPurchases(t *testing.T, b *MarketFixture) {
	ann, bob, admin := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "admin", user.Admin)
	ids, checkout := b.postMany(t, ann, 7), b.limited(3)
	buy := func(partial bool, ids ...book.ID) error {
		return must.Err(checkout.Do(t.Context(), bob, buying.Basket{Books: ids, AllowPartial: partial}))
	}
	for _, partial := range []bool{false, true} {
		refused(t, buy(partial, ids[:4]...), order.ErrPurchaseLimit)
	}
	must.Do(t, buy(false, ids[:3]...))
	refused(t, buy(false, ids[3]), order.ErrPurchaseLimit)
	must.Get(b.Orders.Confirm(t.Context(), admin, ids[0]))(t)
	must.Do(t, buy(false, ids[3])) // one is confirmed
	refused(t, buy(false, ids[4]), order.ErrPurchaseLimit)
	must.Get(b.Orders.SetPaid(t.Context(), admin, ids[0]))(t)
	must.Do(t, buy(false, ids[4])) // one is delivered, which allows another one for ever
	refused(t, buy(false, ids[5]), order.ErrPurchaseLimit)
	must.Get(b.Orders.Cancel(t.Context(), admin, ids[1], "Lost."))(t)
	must.Do(t, buy(false, ids[5]))
	refused(t, buy(false, ids[6]), order.ErrPurchaseLimit)
	if v, err := b.Catalogue.Get(t.Context(), user.Caller{}, ids[6]); err != nil || v.Status != book.ForSale {
		t.Errorf("the refused book has status %d, %v", v.Status, err)
	}
}

func raceManyPurchases(t *testing.T, b *MarketFixture) {
	bob := b.Join(t, "bob", user.Regular)
	ids, checkout := b.postMany(t, b.Join(t, "ann", user.Regular), 12), b.limited(4)
	errs := make([]error, len(ids))
	must.Together(len(ids), func(i int) { _, errs[i] = checkout.Do(t.Context(), bob, buying.Basket{Books: []book.ID{ids[i]}}) })
	bought := 0
	for _, err := range errs {
		if err == nil {
			bought++
		} else {
			refused(t, err, order.ErrPurchaseLimit)
		}
	}
	if bought != 4 {
		t.Errorf("%d were bought, want 4", bought)
	}
}

func oneMailPerSeller(t *testing.T, b *MarketFixture) {
	ann, cat, bob := b.Join(t, "ann", user.Regular), b.Join(t, "cat", user.Regular), b.Join(t, "bob", user.Regular)
	ids := b.postMany(t, ann, 3)
	ids = append(ids, b.Post(t, cat, Draft("Physics", "PHY 121", 700)).ID)
	must.Get(b.Checkout.Do(t.Context(), bob, buying.Basket{Books: ids}))(t)
	for to, want := range map[string][3]string{"ann@rochester.edu": {"2", "30.00", ""}, "cat@rochester.edu": {"", "7.00", "an order"}} {
		var got []message.Message
		for _, m := range b.Mails(t) {
			if string(m.To) == to && m.Kind == message.BookSold {
				got = append(got, m)
			}
		}
		if len(got) != 1 {
			t.Fatalf("%s has %d mails, want 1", to, len(got))
		}
		p := got[0].Params
		if p[message.ParamMore] != want[0] || p[message.ParamPrice] != want[1] || (p[message.ParamOrder] == "") != (want[2] == "") {
			t.Errorf("%s: %v", to, p)
		}
	}
}

func oneMailPerBuyer(t *testing.T, b *MarketFixture) {
	ann, cat, bob := b.Join(t, "ann", user.Regular), b.Join(t, "cat", user.Regular), b.Join(t, "bob", user.Regular)
	ids := append(b.postMany(t, ann, 2), b.Post(t, cat, Draft("Physics", "PHY 121", 700)).ID)
	must.Get(b.Checkout.Do(t.Context(), bob, buying.Basket{Books: ids}))(t)
	b.Buy(t, bob, b.Post(t, cat, Draft("Topology", "MTH 240", 500)).ID)
	mails := b.mailsOf(t, "bob", message.PurchasePlaced)
	if len(mails) != 2 {
		t.Fatalf("bob has %d mails of two checkouts", len(mails))
	}
	many, one := mails[0].Params, mails[1].Params
	items := message.SplitItems(many[message.ParamItems])
	if len(items) != 3 || items[2].Title != "Physics" || items[2].Price != "7.00" || many[message.ParamMore] != "2" || many[message.ParamOrder] != "" {
		t.Errorf("three books are %v", many)
	}
	if many[message.ParamPrice] != "27.00" || many[message.ParamFee] != "1.35" || many[message.ParamTotal] != "28.35" {
		t.Errorf("the amounts of three books are %v", many)
	}
	if one[message.ParamMore] != "" || one[message.ParamItems] != "" || one[message.ParamOrder] == "" || one[message.ParamTotal] != "5.25" {
		t.Errorf("one book is %v", one)
	}
}
