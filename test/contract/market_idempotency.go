package contract

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketIdempotency(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a book is posted once by a key, and again by another":    postedOnce,
		"a book is requested once by a key, and again by another": requestedOnce,
		"a refused call can be corrected under the same key":      refusedThenDone,
		"a repeated key returns the book as it was posted":        postedAgain,
		"a repeated key returns the request and its matches":      requestedAgain,
		"a key used with another body is refused":                 onceForOneBody,
		"a key that posted a book cannot buy one":                 postedNotBought,
		"an invalid key is refused":                               badOnceKeys,
	})
}

func postedOnce(t *testing.T, b *MarketFixture) {
	ann, bob, d := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), Draft("Calculus", "MTH 161", 1000)
	post := func(by user.Caller, key string, want int) {
		t.Helper()
		must.Get2(b.Listings.PostWithKey(t.Context(), by, market.IdempotencyKey{Value: key}, d))(t)
		mine, _ := must.Get2(b.Listings.ListMine(t.Context(), by, market.Page{}))(t)
		if n := count(b.NotificationsOf(t, by), notification.BookPosted); len(mine) != want || n != want {
			t.Errorf("%d books are posted and notified %d times, want %d", len(mine), n, want)
		}
	}
	post(ann, "first", 1)
	post(ann, "first", 1)
	post(bob, "first", 1)
	post(ann, "second", 2)
	post(ann, "", 3)
	post(ann, "", 4)
	b.Clock.Advance(market.IdempotencyKeyLife + time.Second)
	post(ann, "first", 5)
}

func requestedOnce(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	for i, key := range []string{"first", "first", "second", ""} {
		must.Get2(b.Requests.AddWithKey(t.Context(), bob, market.IdempotencyKey{Value: key}, book.RequestDraft{Name: "Calculus", Course: "MTH 161"}))(t)
		requests, _ := must.Get2(b.Requests.ListMine(t.Context(), bob, market.Page{}))(t)
		matches, _ := must.Get2(b.Requests.ListMatches(t.Context(), bob, market.Page{}))(t)
		if want := max(1, i); len(requests) != want || len(matches) != want {
			t.Errorf("%d requests with %d matches after %q, want %d", len(requests), len(matches), key, want)
		}
	}
}

func postedAgain(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	post := func(want bool) market.BookView {
		t.Helper()
		v, replayed := must.Get2(b.Listings.PostWithKey(t.Context(), ann, market.IdempotencyKey{Value: "key", BodyHash: [32]byte{1}}, Draft("Calculus", "MTH 161", 1000)))(t)
		if replayed != want {
			t.Errorf("replayed: %v, want %v", replayed, want)
		}
		return v
	}
	first := post(false)
	b.Clock.Advance(time.Hour)
	price := money.Amount(2000)
	must.Get(b.Listings.Update(t.Context(), ann, first.ID, book.Patch{Price: &price}))(t)
	b.Buy(t, bob, first.ID)
	if again := post(true); !reflect.DeepEqual(again, first) {
		t.Errorf("first %+v\nagain %+v", first, again)
	}
}

func requestedAgain(t *testing.T, b *MarketFixture) {
	ann, bob, eve := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular)
	gone := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.Post(t, ann, Draft("Calculus", "MTH 161", 2000))
	ask := func(want bool) finding.RequestResult {
		t.Helper()
		asked, replayed := must.Get2(b.Requests.AddWithKey(t.Context(), bob, market.IdempotencyKey{Value: "key", BodyHash: [32]byte{1}}, book.RequestDraft{Name: "Calculus", Course: "MTH 161"}))(t)
		if replayed != want {
			t.Errorf("replayed: %v, want %v", replayed, want)
		}
		return asked
	}
	first := ask(false)
	b.Clock.Advance(time.Hour)
	b.Post(t, ann, Draft("Calculus", "MTH 161", 3000)) // posted later: a match with a notification, but not part of the replayed response
	if again := ask(true); len(first.Matches) != 2 || !reflect.DeepEqual(again, first) {
		t.Errorf("first %+v\nagain %+v", first, again)
	}
	b.Buy(t, eve, gone.ID)
	must.Do(t, b.Requests.Delete(t.Context(), bob, first.Request.ID))
	if again := ask(true); again.Request != first.Request || len(again.Matches) != 1 || again.Matches[0].Book.ID == gone.ID {
		t.Errorf("first %+v\nagain %+v", first, again)
	}
}

func onceForOneBody(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	do := func(by user.Caller, hash byte) (error, error) {
		once := market.IdempotencyKey{Value: "key", BodyHash: [32]byte{hash}}
		_, _, err := b.Listings.PostWithKey(t.Context(), by, once, Draft("Calculus", "MTH 161", 1000))
		once.Value = "other key"
		_, _, err2 := b.Requests.AddWithKey(t.Context(), by, once, book.RequestDraft{Name: "Physics", Course: "PHY 121"})
		return err, err2
	}
	for _, by := range []user.Caller{ann, bob} {
		err, err2 := do(by, 1)
		must.Do(t, errors.Join(err, err2))
		err, err2 = do(by, 2)
		refused(t, err, market.ErrKeyReused)
		refused(t, err2, market.ErrKeyReused)
		err, err2 = do(by, 1)
		must.Do(t, errors.Join(err, err2))
	}
}

func refusedThenDone(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	for range book.MaxOpenRequests - 1 {
		b.Request(t, ann, book.RequestDraft{Name: "Calculus", Course: "MTH 161"})
	}
	last, _ := b.Request(t, ann, book.RequestDraft{Name: "Calculus", Course: "MTH 161"})
	one := book.RequestDraft{Name: "Physics", Course: "PHY 121"}
	ask := func(key string) error {
		return must.Err(b.Requests.AddWithKey(t.Context(), ann, market.IdempotencyKey{Value: key}, one))
	}
	refused(t, ask("key"), book.ErrTooManyRequests)
	must.Do(t, b.Requests.Delete(t.Context(), ann, last.ID))
	must.Do(t, ask("key"))
	refused(t, ask("other"), book.ErrTooManyRequests)
	must.Do(t, ask("key"))
}

func postedNotBought(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v := b.Post(t, bob, Draft("Calculus", "MTH 161", 1000))
	must.Get2(b.Listings.PostWithKey(t.Context(), ann, market.IdempotencyKey{Value: "key"}, Draft("Physics", "PHY 121", 1000)))(t)
	refused(t, must.Err(b.Checkout.Do(t.Context(), ann, buying.Basket{Books: []book.ID{v.ID}, Key: market.IdempotencyKey{Value: "key", BodyHash: [32]byte{1}}})), market.ErrKeyReused)
}

func badOnceKeys(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	for _, key := range []string{strings.Repeat("k", 256), "a\x00b", "a\nb", "\xff"} {
		_, _, err := b.Listings.PostWithKey(t.Context(), ann, market.IdempotencyKey{Value: key}, Draft("Calculus", "MTH 161", 1000))
		if !errors.Is(err, market.ErrKey) {
			t.Errorf("%q: %v, want %v", key, err, market.ErrKey)
		}
	}
	refused(t, must.Err(b.Listings.PostWithKey(t.Context(), user.Caller{}, market.IdempotencyKey{Value: "key"}, Draft("Calculus", "MTH 161", 1000))), user.ErrUnauthenticated)
}
