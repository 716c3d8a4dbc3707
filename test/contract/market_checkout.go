package contract

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// fields are the names of the invalid fields of an error.
func fields(err error) (names []string) {
	if e := fault.As(err); e != nil {
		for name := range e.Fields {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func marketCheckout(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"the cart is bought and both sides are notified":              buyCart,
		"if one book is unavailable, nothing is bought":               allOrNothing,
		"available books are bought if a partial checkout is allowed": partial,
		"invalid baskets are refused":                                 badBaskets,
		"the same key and body get the first response":                replayed,
		"a refusal is replayed too":                                   replayedRefusal,
		"another body under a key is refused":                         otherBody,
		"the buyer's own matching requests are filled":                fillsRequest,
		"the fee of each book is rounded half up":                     fees,
		"the second buyer is too late":                                tooLate,
		"a key belongs to its user and is valid for a day":            keysExpire,
		"a total other than the agreed one buys nothing":              agreedTotal,
		"nothing is bought at a higher price than the cart knows":     knownPrices,
		"open purchases are bounded":                                  openPurchases,
		"a seller gets one mail for each checkout":                    oneMailPerSeller,
		"a buyer gets one mail for each checkout":                     oneMailPerBuyer,
	})
}

func buyCart(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	one, two := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)), b.Post(t, ann, Draft("Physics", "PHY 121", 2050))
	must.Do(t, b.Carts.Add(t.Context(), bob, one.ID))
	r := must.Get(b.Checkout.Do(t.Context(), bob, buying.Basket{Books: []book.ID{two.ID, one.ID, two.ID}}))(t)
	if len(r.Orders) != 2 || r.Total != 1050+2153 || len(r.Unavailable) != 0 || r.Replayed {
		t.Fatalf("receipt %+v", r)
	}
	o := r.Orders[0]
	if o.Book != one.ID || o.Name != "Calculus" || o.Price != 1000 || o.Fee != 50 || o.Status != order.Placed || !o.CreatedAt.Equal(b.Clock.Now()) {
		t.Errorf("order %+v", o)
	}
	if o.SellerParty.LastName != "Of ann" || o.SellerParty.Email != "" || o.SellerParty.PaymentUsername != "" || o.BuyerParty.FirstName != "bob" {
		t.Errorf("sides %+v, %+v", o.BuyerParty, o.SellerParty)
	}
	if items, _, _ := b.Carts.List(t.Context(), bob, market.Page{}); len(items) != 0 {
		t.Error("the bought book is still in the cart")
	}
	if len(b.search(t, "calculus")) != 0 {
		t.Error("the bought book is still found")
	}
	wantNotified := []notification.Kind{notification.PurchasePlaced, notification.PurchasePlaced}
	wantMail := []message.Kind{message.PurchasePlaced}
	if notified := b.NotificationsOf(t, bob); !slices.Equal(notified, wantNotified) || !slices.Equal(b.MailsTo(t, "bob@rochester.edu"), wantMail) {
		t.Errorf("the buyer was notified of %v and mailed %v", notified, b.MailsTo(t, "bob@rochester.edu"))
	}
	if n := count(b.NotificationsOf(t, ann), notification.BookSold); n != 2 || count(b.MailsTo(t, "ann@rochester.edu"), message.BookSold) != 1 {
		t.Errorf("the seller was notified %d times", n)
	}
	b.CheckLedger(t)
}

func allOrNothing(t *testing.T, b *MarketFixture) {
	ann, bob, eve := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular)
	one, two := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)), b.Post(t, ann, Draft("Physics", "PHY 121", 2000))
	b.Buy(t, eve, one.ID)
	_, err := b.Checkout.Do(t.Context(), bob, buying.Basket{Books: []book.ID{one.ID, two.ID, 404}})
	refused(t, err, book.ErrNotAvailable)
	var lost *buying.UnavailableError
	if !errors.As(err, &lost) || !slices.Equal(lost.Books, slices.Sorted(slices.Values([]book.ID{one.ID, 404}))) {
		t.Errorf("lost %+v", lost)
	}
	if v, err := b.Catalogue.Get(t.Context(), bob, two.ID); err != nil || v.Status != book.ForSale {
		t.Errorf("the other book is %+v, %v; want %+v", v.Status, err, book.ForSale)
	}
}

func partial(t *testing.T, b *MarketFixture) {
	ann, bob, eve := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular)
	one, two := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)), b.Post(t, ann, Draft("Physics", "PHY 121", 2000))
	b.Buy(t, eve, one.ID)
	basket := buying.Basket{Books: []book.ID{one.ID, two.ID}, AllowPartial: true}
	r := must.Get(b.Checkout.Do(t.Context(), bob, basket))(t)
	if len(r.Orders) != 1 || r.Orders[0].Book != two.ID || !slices.Equal(r.Unavailable, []book.ID{one.ID}) || r.Total != 2100 {
		t.Errorf("receipt %+v", r)
	}
	refused(t, must.Err(b.Checkout.Do(t.Context(), bob, basket)), book.ErrNotAvailable)
}

func badBaskets(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	many := make([]book.ID, 101)
	for i := range many {
		many[i] = book.ID(i + 1)
	}
	for name, c := range map[string]struct {
		by     user.Caller
		basket buying.Basket
		want   error
	}{
		"an empty cart":       {bob, buying.Basket{}, buying.ErrNothingToBuy},
		"no books":            {bob, buying.Basket{Books: []book.ID{}}, buying.ErrNothingToBuy},
		"too many":            {bob, buying.Basket{Books: many}, buying.ErrTooManyBooks},
		"one's own":           {ann, buying.Basket{Books: []book.ID{v.ID}, AllowPartial: true}, book.ErrOwnBook},
		"a long key":          {bob, buying.Basket{Books: []book.ID{v.ID}, Key: market.IdempotencyKey{Value: strings.Repeat("k", 256)}}, market.ErrKey},
		"a broken key":        {bob, buying.Basket{Books: []book.ID{v.ID}, Key: market.IdempotencyKey{Value: "a\nb"}}, market.ErrKey},
		"not signed in":       {user.Caller{}, buying.Basket{Books: []book.ID{v.ID}}, user.ErrUnauthenticated},
		"one's own, keyed":    {ann, buying.Basket{Books: []book.ID{v.ID}, Key: market.IdempotencyKey{Value: "k"}}, book.ErrOwnBook},
		"one's own, replayed": {ann, buying.Basket{Books: []book.ID{v.ID}, Key: market.IdempotencyKey{Value: "k"}}, book.ErrOwnBook},
	} {
		must.Refuse(t, must.Err(b.Checkout.Do(t.Context(), c.by, c.basket)), c.want, name)
	}
	if len(b.search(t, "calculus")) != 1 {
		t.Error("a refused basket bought a book")
	}
}

func replayed(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	basket := buying.Basket{Books: []book.ID{v.ID}, Key: market.IdempotencyKey{Value: strings.Repeat("é", 255), BodyHash: [32]byte{1}}}
	first := must.Get(b.Checkout.Do(t.Context(), bob, basket))(t)
	b.Clock.Advance(time.Hour)
	must.Get(b.Orders.Confirm(t.Context(), dean, v.ID))(t)
	again := must.Get(b.Checkout.Do(t.Context(), bob, basket))(t)
	if !again.Replayed || len(again.Orders) != 1 || again.Orders[0] != first.Orders[0] || again.Total != first.Total {
		t.Errorf("first %+v\nagain %+v", first, again)
	}
	if n := count(b.NotificationsOf(t, bob), notification.PurchasePlaced); n != 1 {
		t.Errorf("bought %d times, want 1", n)
	}
	b.CheckLedger(t)
}

func replayedRefusal(t *testing.T, b *MarketFixture) {
	ann, bob, eve, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular), b.Join(t, "dean", user.Admin)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.Buy(t, eve, v.ID)
	basket := buying.Basket{Books: []book.ID{v.ID}, Key: market.IdempotencyKey{Value: "k"}}
	refused(t, must.Err(b.Checkout.Do(t.Context(), bob, basket)), book.ErrNotAvailable)
	must.Get(b.Orders.Cancel(t.Context(), dean, v.ID, "no show"))(t)
	r, err := b.Checkout.Do(t.Context(), bob, basket)
	var lost *buying.UnavailableError
	if !errors.As(err, &lost) || !r.Replayed || !slices.Equal(lost.Books, []book.ID{v.ID}) {
		t.Errorf("the second response differs: %v", err)
	}
	mine := b.Post(t, bob, Draft("Physics", "PHY 121", 1000)).ID
	for want, basket := range map[error]buying.Basket{
		book.ErrOwnBook:        {Books: []book.ID{mine}, Key: market.IdempotencyKey{Value: "own"}},
		buying.ErrPriceChanged: {Books: []book.ID{v.ID}, Key: market.IdempotencyKey{Value: "price"}, Total: new(money.Amount(1))},
	} {
		for _, replayed := range []bool{false, true} {
			r, err := b.Checkout.Do(t.Context(), bob, basket)
			refused(t, err, want)
			if r.Replayed != replayed {
				t.Errorf("%v: replayed: %v, want %v", err, r.Replayed, replayed)
			}
		}
	}
}

func otherBody(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	one, two := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)), b.Post(t, ann, Draft("Physics", "PHY 121", 2000))
	must.Get(b.Checkout.Do(t.Context(), bob, buying.Basket{Books: []book.ID{one.ID}, Key: market.IdempotencyKey{Value: "k", BodyHash: [32]byte{1}}}))(t)
	refused(t, must.Err(b.Checkout.Do(t.Context(), bob, buying.Basket{Books: []book.ID{two.ID}, Key: market.IdempotencyKey{Value: "k", BodyHash: [32]byte{2}}})), market.ErrKeyReused)
}

func keysExpire(t *testing.T, b *MarketFixture) {
	ann, bob, eve := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular)
	one, two := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)), b.Post(t, ann, Draft("Physics", "PHY 121", 2000))
	three := b.Post(t, ann, Draft("Biology", "BIO 110", 2000))
	buy := func(who user.Caller, id book.ID, body byte) error {
		return must.Err(b.Checkout.Do(t.Context(), who, buying.Basket{Books: []book.ID{id}, Key: market.IdempotencyKey{Value: "k", BodyHash: [32]byte{body}}}))
	}
	must.Do(t, buy(bob, one.ID, 1))
	must.Do(t, buy(eve, two.ID, 2))
	b.Clock.Advance(market.IdempotencyKeyLife)
	refused(t, buy(bob, three.ID, 3), market.ErrKeyReused)
	b.Clock.Advance(time.Second)
	must.Do(t, buy(bob, three.ID, 3))
}

func fillsRequest(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	v := b.Post(t, ann, algorithms())
	b.Request(t, bob, book.RequestDraft{Name: "Algorithms", Course: "CSC 172"})
	b.Request(t, bob, book.RequestDraft{Name: "Topology", Course: "MTH 240"})
	statuses := func() (out []book.RequestStatus) {
		all, _ := must.Get2(b.Requests.ListMine(t.Context(), bob, market.Page{}))(t)
		for _, r := range all {
			out = append(out, r.Status)
		}
		return out
	}
	b.Buy(t, bob, v.ID)
	if got := statuses(); !slices.Equal(got, []book.RequestStatus{book.Open, book.Filled}) {
		t.Errorf("after buying: %v", got)
	}
	second := b.Post(t, ann, algorithms())
	if n := count(b.NotificationsOf(t, bob), notification.MatchFound); n != 1 {
		t.Errorf("a filled request was matched: notified %d times, want 1", n)
	}
	must.Get(b.Orders.Cancel(t.Context(), dean, v.ID, "no show"))(t)
	if got := statuses(); !slices.Equal(got, []book.RequestStatus{book.Open, book.Open}) {
		t.Errorf("after the cancellation: %v", got)
	}
	matches, _ := must.Get2(b.Requests.ListMatches(t.Context(), bob, market.Page{}))(t)
	if len(matches) != 2 || matches[0].Book.ID != second.ID {
		t.Errorf("the reopened request found %+v", matches)
	}
	b.Post(t, ann, algorithms())
	if n := count(b.NotificationsOf(t, bob), notification.MatchFound); n != 3 {
		t.Errorf("notified %d times, want 3", n)
	}
}

func fees(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	for price, fee := range map[money.Amount]money.Amount{1: 0, 9: 0, 10: 1, 29: 1, 30: 2, 999: 50, 1_000_000: 50_000} {
		r := b.Buy(t, bob, b.Post(t, ann, Draft("Calculus", "MTH 161", price)).ID)
		if r.Orders[0].Fee != fee || r.Total != price+fee {
			t.Errorf("on %d the fee is %d, want %d", price, r.Orders[0].Fee, fee)
		}
	}
}

func tooLate(t *testing.T, b *MarketFixture) {
	ann, bob, eve := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	must.Do(t, b.Carts.Add(t.Context(), eve, v.ID))
	b.Buy(t, bob, v.ID)
	refused(t, must.Err(b.Checkout.Do(t.Context(), eve, buying.Basket{})), book.ErrNotAvailable)
	if notified := b.NotificationsOf(t, eve); !slices.Equal(notified, []notification.Kind{notification.BookGone}) {
		t.Errorf("eve was notified of %v", notified)
	}
}

func agreedTotal(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	seen, dearer := money.Amount(1050), money.Amount(2000)
	must.Get(b.Listings.Update(t.Context(), ann, v.ID, book.Patch{Price: &dearer}))(t)
	basket := buying.Basket{Books: []book.ID{v.ID}, Total: &seen, Key: market.IdempotencyKey{Value: "k"}}
	for range 2 {
		_, err := b.Checkout.Do(t.Context(), bob, basket)
		refused(t, err, buying.ErrPriceChanged)
		var changed *buying.PriceChangedError
		if !errors.As(err, &changed) || changed.Total != 2100 {
			t.Errorf("the new total is %+v", changed)
		}
	}
	agreed := dearer + b.Checkout.Fee(dearer)
	basket.Total, basket.Key = &agreed, market.IdempotencyKey{}
	r := must.Get(b.Checkout.Do(t.Context(), bob, basket))(t)
	if len(r.Orders) != 1 || r.Total != 2100 {
		t.Errorf("bought %d for %d", len(r.Orders), r.Total)
	}
}
