package contract

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

func marketOnce(t *testing.T, open func(*testing.T) *Bazaar) {
	each(t, open, map[string]func(*testing.T, *Bazaar){
		"a book is posted once by a key, and again by another":    postedOnce,
		"a book is requested once by a key, and again by another": requestedOnce,
		"what is refused under a key can be put right under it":   refusedThenDone,
		"a key that posted a book buys nothing":                   postedNotBought,
		"a key that is too long or not text is refused":           badOnceKeys,
	})
}

func postedOnce(t *testing.T, b *Bazaar) {
	ann, bob, d := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), Draft("Calculus", "MTH 161", 1000)
	post := func(by user.Caller, key string, want int) {
		t.Helper()
		succeed(t, b.Shelf.PostOnce(t.Context(), by, key, d))
		mine, _, err := b.Shelf.Mine(t.Context(), by, market.Page{})
		succeed(t, err)
		if n := count(b.Told(t, by), notification.BookPosted); len(mine) != want || n != want {
			t.Errorf("%d books are posted and told of %d times, want %d", len(mine), n, want)
		}
	}
	post(ann, "first", 1)
	post(ann, "first", 1)
	post(bob, "first", 1)
	post(ann, "second", 2)
	post(ann, "", 3)
	post(ann, "", 4)
	b.Clock.Advance(market.ReplyLife + time.Second)
	post(ann, "first", 5)
}

func requestedOnce(t *testing.T, b *Bazaar) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	for i, key := range []string{"first", "first", "second", ""} {
		succeed(t, b.Wanted.RequestOnce(t.Context(), bob, key, book.Want{Name: "Calculus", Course: "MTH 161"}))
		requests, _, err := b.Wanted.Mine(t.Context(), bob, market.Page{})
		succeed(t, err)
		matches, _, err := b.Wanted.Matches(t.Context(), bob, market.Page{})
		succeed(t, err)
		if want := max(1, i); len(requests) != want || len(matches) != want {
			t.Errorf("%d requests with %d matches after %q, want %d", len(requests), len(matches), key, want)
		}
	}
}

func refusedThenDone(t *testing.T, b *Bazaar) {
	ann := b.Join(t, "ann", user.Regular)
	for range book.MaxOpenRequests - 1 {
		b.Request(t, ann, book.Want{Name: "Calculus", Course: "MTH 161"})
	}
	last, _ := b.Request(t, ann, book.Want{Name: "Calculus", Course: "MTH 161"})
	one := book.Want{Name: "Physics", Course: "PHY 121"}
	refused(t, b.Wanted.RequestOnce(t.Context(), ann, "key", one), book.ErrTooManyRequests)
	succeed(t, b.Wanted.Delete(t.Context(), ann, last.ID))
	succeed(t, b.Wanted.RequestOnce(t.Context(), ann, "key", one))
	refused(t, b.Wanted.RequestOnce(t.Context(), ann, "other", one), book.ErrTooManyRequests)
}

func postedNotBought(t *testing.T, b *Bazaar) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v := b.Post(t, bob, Draft("Calculus", "MTH 161", 1000))
	succeed(t, b.Shelf.PostOnce(t.Context(), ann, "key", Draft("Physics", "PHY 121", 1000)))
	_, err := b.Checkout.Do(t.Context(), ann, market.Basket{Books: []book.ID{v.ID}, Key: "key", BodyHash: [32]byte{1}})
	refused(t, err, market.ErrKeyReused)
}

func badOnceKeys(t *testing.T, b *Bazaar) {
	ann := b.Join(t, "ann", user.Regular)
	for _, key := range []string{strings.Repeat("k", 256), "a\x00b", "a\nb", "\xff"} {
		err := b.Shelf.PostOnce(t.Context(), ann, key, Draft("Calculus", "MTH 161", 1000))
		if !errors.Is(err, market.ErrKey) {
			t.Errorf("%q: %v", key, err)
		}
	}
	err := b.Shelf.PostOnce(t.Context(), user.Caller{}, "key", Draft("Calculus", "MTH 161", 1000))
	refused(t, err, user.ErrUnauthenticated)
}
