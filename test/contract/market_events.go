package contract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
)

func marketEvents(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a book has events from its post to its delivery":          eventsOfABook,
		"a cancelled order offers the book again":                  eventsOfACancellation,
		"a book that goes off sale has an event that says why":     eventsOfUnlisting,
		"a match has an event, once":                               eventsOfAMatch,
		"an event commits if and only if its change does":          eventsCommitWithChanges,
		"a refused or repeated call has no event":                  noEventsOfRepetitions,
		"no event contains names or texts of people":               eventsWithoutPeople,
		"without a webhook service there are no events":            noEventsUnlessPublished,
		"the event of an order has the body that is in the manual": eventBody,
	})
}

// wantEvents checks the events about a book, a request or a user.
func (b *MarketFixture) wantEvents(t *testing.T, id fmt.Stringer, want ...event.Type) {
	t.Helper()
	if got := fake.EventsAbout(b.Events(t), id.String()); !slices.Equal(got, want) {
		t.Errorf("events are %v, want %v", got, want)
	}
}

func eventsOfABook(t *testing.T, b *MarketFixture) {
	_, _, dean, v := b.aSale(t)
	must.Get(b.Orders.Confirm(t.Context(), dean, v.ID))(t)
	must.Get(b.Orders.SetPaid(t.Context(), dean, v.ID))(t)
	b.wantEvents(t, v.ID, event.BookPosted, event.OrderPlaced, event.OrderVerified, event.OrderDelivered)
}

// reasons lists the reason or the refund of each event of a type.
func (b *MarketFixture) reasons(t *testing.T, of event.Type) (all []string) {
	t.Helper()
	for _, e := range b.Events(t) {
		var body struct {
			Data struct {
				Reason   string
				Refunded bool
			}
		}
		must.Do(t, json.Unmarshal(e.Body, &body))
		if e.Type == of {
			all = append(all, fmt.Sprint(body.Data.Reason, body.Data.Refunded))
		}
	}
	return all
}

func eventsOfACancellation(t *testing.T, b *MarketFixture) {
	_, bob, dean, v := b.aSale(t)
	must.Get(b.Orders.Cancel(t.Context(), dean, v.ID, "the cover is missing"))(t)
	b.Buy(t, bob, v.ID)
	must.Get(b.Orders.Confirm(t.Context(), dean, v.ID))(t)
	must.Get(b.Orders.Cancel(t.Context(), dean, v.ID, "the cover is missing"))(t)
	b.wantEvents(t, v.ID, event.BookPosted, event.OrderPlaced, event.OrderCancelled, event.BookPosted,
		event.OrderPlaced, event.OrderVerified, event.OrderCancelled, event.BookPosted)
	if got := b.reasons(t, event.OrderCancelled); !slices.Equal(got, []string{"false", "true"}) {
		t.Errorf("refunds are %v", got)
	}
	if got := b.reasons(t, event.BookPosted); !slices.Equal(got, []string{"postedfalse", "order_cancelledfalse", "order_cancelledfalse"}) {
		t.Errorf("reasons are %v", got)
	}
}

func eventsOfUnlisting(t *testing.T, b *MarketFixture) {
	ann, owner := b.Join(t, "ann", user.Regular), b.Join(t, "owner", user.Owner)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	must.Get(b.Listings.Unlist(t.Context(), ann, v.ID))(t)
	must.Get(b.Listings.Relist(t.Context(), ann, v.ID))(t)
	_, err := b.ExpireListings.Do(t.Context(), owner, 0, true) // a dry run
	must.Do(t, err)
	must.Get(b.ExpireListings.Do(t.Context(), owner, 0, false))(t)
	must.Get(b.Listings.Relist(t.Context(), ann, v.ID))(t)
	b.DeleteUser(t, ann)
	b.wantEvents(t, v.ID, event.BookPosted, event.BookUnlisted, event.BookPosted, event.BookUnlisted, event.BookPosted, event.BookUnlisted)
	if got := b.reasons(t, event.BookUnlisted); !slices.Equal(got, []string{"sellerfalse", "expiredfalse", "seller_deletedfalse"}) {
		t.Errorf("reasons are %v", got)
	}
}

func eventsOfAMatch(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	r, _ := b.Request(t, bob, book.RequestDraft{Name: "Algorithms", Course: "CSC 172"})
	v := b.Post(t, ann, algorithms())
	must.Get(b.Listings.Unlist(t.Context(), ann, v.ID))(t)
	_, err := b.Listings.Relist(t.Context(), ann, v.ID) // matches again, which has no event
	must.Do(t, err)
	b.wantEvents(t, r.ID, event.RequestMatched)
	b.wantEvents(t, bob.ID, event.RequestMatched)
	b.wantEvents(t, v.ID, event.BookPosted, event.RequestMatched, event.BookUnlisted, event.BookPosted)
}

// brokenStore rolls back every transaction at its end.
type brokenStore struct{ market.Store }

var errBroken = errors.New("broken")

func (s brokenStore) Atomically(ctx context.Context, do func(context.Context, market.Stores) error) error {
	return s.Store.Atomically(ctx, func(ctx context.Context, in market.Stores) error { return errors.Join(do(ctx, in), errBroken) })
}

// fullStore stores no event.
type fullStore struct{ market.Store }

type fullOutbox struct{ market.Stores }

func (s fullOutbox) RecordSideEffects(ctx context.Context, e market.SideEffects) error {
	if len(e.Events) > 0 {
		return errBroken
	}
	return s.Stores.RecordSideEffects(ctx, e)
}

func (s fullStore) Atomically(ctx context.Context, do func(context.Context, market.Stores) error) error {
	return s.Store.Atomically(ctx, func(ctx context.Context, in market.Stores) error { return do(ctx, fullOutbox{in}) })
}

func eventsCommitWithChanges(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	for name, store := range map[string]market.Store{"the commit": brokenStore{b.Deps.Store}, "the event": fullStore{b.Deps.Store}} {
		deps := b.Deps
		deps.Store = store
		if _, err := b.Over(deps).Listings.Post(t.Context(), ann, algorithms()); !errors.Is(err, errBroken) {
			t.Errorf("a post of which %s fails: %v, want %v", name, err, errBroken)
		}
		if _, err := b.Over(deps).Checkout.Do(t.Context(), bob, buying.Basket{Books: []book.ID{v.ID}}); !errors.Is(err, errBroken) {
			t.Errorf("a checkout of which %s fails: %v, want %v", name, err, errBroken)
		}
		b.wantEvents(t, ann.ID, event.BookPosted)
		if mine, _, err := b.Listings.ListMine(t.Context(), ann, market.Page{}); err != nil || len(mine) != 1 || mine[0].Status != book.ForSale {
			t.Errorf("when %s fails, the seller has %+v, %v", name, mine, err)
		}
	}
}

func noEventsOfRepetitions(t *testing.T, b *MarketFixture) {
	ann, bob, eve := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular)
	key := market.IdempotencyKey{Value: "once"}
	v, _ := must.Get2(b.Listings.PostWithKey(t.Context(), ann, key, Draft("Calculus", "MTH 161", 1000)))(t)
	_, replayed, err := b.Listings.PostWithKey(t.Context(), ann, key, Draft("Calculus", "MTH 161", 1000))
	if must.Do(t, err); !replayed {
		t.Error("the second post was not a repetition")
	}
	b.Buy(t, bob, v.ID)
	must.Refuse(t, must.Err(b.Checkout.Do(t.Context(), eve, buying.Basket{Books: []book.ID{v.ID}})), book.ErrNotAvailable, "a sold book is")
	if _, err := b.Listings.Unlist(t.Context(), ann, v.ID); err == nil {
		t.Error("a sold book was unlisted")
	}
	b.wantEvents(t, v.ID, event.BookPosted, event.OrderPlaced)
}

func eventsWithoutPeople(t *testing.T, b *MarketFixture) {
	_, bob, dean, v := b.aSale(t)
	ann := b.Join(t, "anna", user.Regular)
	b.Request(t, bob, book.RequestDraft{Name: "Algorithms", Course: "CSC 172"})
	d := algorithms()
	d.Comments = "call me at 555-0100"
	w := b.Post(t, ann, d)
	must.Get(b.Orders.Confirm(t.Context(), dean, v.ID))(t)
	must.Get(b.Orders.Cancel(t.Context(), dean, v.ID, "bob was rude"))(t)
	must.Get(b.Listings.Unlist(t.Context(), ann, w.ID))(t)
	for _, e := range b.Events(t) {
		for _, s := range []string{"@", "ann", "bob", "dean", "CPU", "pay-", "192.0.2.7", "rude", "555"} {
			if strings.Contains(string(e.Body), s) {
				t.Errorf("%s contains %q: %s", e.Type, s, e.Body)
			}
		}
	}
}

func noEventsUnlessPublished(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	b.Deps.PublishEvents = false
	must.Get(b.Over(b.Deps).Listings.Post(t.Context(), ann, algorithms()))(t)
	b.DeleteUser(t, ann)
	if all := b.Events(t); len(all) != 0 {
		t.Errorf("events are %v", all)
	}
}

func eventBody(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	d := Draft("Introduction to Algorithms", "CSC 172", 4250)
	d.ISBN = "0-262-03384-4"
	v := b.Post(t, ann, d)
	at := b.Clock.Now()
	order := b.Buy(t, bob, v.ID).Orders[0]
	all := b.Events(t)
	last := all[len(all)-1]
	want := fmt.Sprintf(`{"id":"%d","type":"order.placed","timestamp":"%s","data":{"bookId":"%d","buyerId":"%d",`+
		`"fee":{"amount":213,"currency":"USD"},"isbn":"9780262033848","orderId":"%d","price":{"amount":4250,"currency":"USD"},`+
		`"sellerId":"%d","title":"Introduction to Algorithms","total":{"amount":4463,"currency":"USD"}}}`,
		last.ID, at.UTC().Format("2006-01-02T15:04:05.000000Z"), v.ID, bob.ID, order.ID, ann.ID)
	if string(last.Body) != want {
		t.Errorf("got  %s\nwant %s", last.Body, want)
	}
}
