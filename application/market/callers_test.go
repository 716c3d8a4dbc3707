package market_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
)

// who may call an activity.
type who int

const (
	anyone who = iota
	students
	admins
	owners
)

type call struct {
	who who
	do  func(context.Context, *contract.Bazaar, user.Caller) error
}

// calls are all activities.
var calls = map[string]call{
	"Shelf.Post": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, err := b.Shelf.Post(ctx, by, contract.Draft("Calculus", "MTH 161", 1000))
		return err
	}},
	"Shelf.PostOnce": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, _, err := b.Shelf.PostOnce(ctx, by, market.Once{Key: "key"}, contract.Draft("Calculus", "MTH 161", 1000))
		return err
	}},
	"Shelf.Update": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, err := b.Shelf.Update(ctx, by, 1, book.Patch{})
		return err
	}},
	"Shelf.Delete": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, err := b.Shelf.Delete(ctx, by, 1)
		return err
	}},
	"Shelf.Reactivate": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, err := b.Shelf.Reactivate(ctx, by, 1)
		return err
	}},
	"Shelf.Mine": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, _, err := b.Shelf.Mine(ctx, by, market.Page{})
		return err
	}},
	"Catalogue.List": {anyone, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, _, err := b.Catalogue.List(ctx, by, market.Filter{}, market.Page{})
		return err
	}},
	"Catalogue.Skip": {anyone, func(ctx context.Context, b *contract.Bazaar, _ user.Caller) error {
		_, err := b.Catalogue.Skip(ctx, 1, 0)
		return err
	}},
	"Catalogue.Get": {anyone, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, err := b.Catalogue.Get(ctx, by, 1)
		return err
	}},
	"Catalogue.Search": {anyone, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, _, err := b.Catalogue.Search(ctx, by, "calculus", market.Filter{}, market.Page{})
		return err
	}},
	"Wanted.Request": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, _, err := b.Wanted.Request(ctx, by, book.Want{Name: "Calculus", Course: "MTH 161"})
		return err
	}},
	"Wanted.RequestOnce": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, _, err := b.Wanted.RequestOnce(ctx, by, market.Once{Key: "key"}, book.Want{Name: "Calculus", Course: "MTH 161"})
		return err
	}},
	"Wanted.Mine": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, _, err := b.Wanted.Mine(ctx, by, market.Page{})
		return err
	}},
	"Wanted.Delete": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		return b.Wanted.Delete(ctx, by, 1)
	}},
	"Wanted.Matches": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, _, err := b.Wanted.Matches(ctx, by, market.Page{})
		return err
	}},
	"Carts.Add":    {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error { return b.Carts.Add(ctx, by, 1) }},
	"Carts.Remove": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error { return b.Carts.Remove(ctx, by, 1) }},
	"Carts.Clear":  {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error { return b.Carts.Clear(ctx, by) }},
	"Carts.Items": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, _, err := b.Carts.Items(ctx, by, market.Page{})
		return err
	}},
	"Checkout.Do": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, err := b.Checkout.Do(ctx, by, market.Basket{})
		return err
	}},
	"Orders.Purchased": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, _, err := b.Orders.Purchased(ctx, by, market.Page{})
		return err
	}},
	"Orders.Sold": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, _, err := b.Orders.Sold(ctx, by, market.Page{})
		return err
	}},
	"Orders.History": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, _, err := b.Orders.History(ctx, by, order.BuyerSide, market.Page{})
		return err
	}},
	"Orders.Confirm": {admins, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, err := b.Orders.Confirm(ctx, by, 1)
		return err
	}},
	"Orders.SetPaid": {admins, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, err := b.Orders.SetPaid(ctx, by, 1)
		return err
	}},
	"Orders.Cancel": {admins, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, err := b.Orders.Cancel(ctx, by, 1, "because")
		return err
	}},
	"Orders.Transactions": {admins, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, _, err := b.Orders.Transactions(ctx, by, market.OrderFilter{}, market.Page{})
		return err
	}},
	"Notices.List": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, _, err := b.Notices.List(ctx, by, market.Page{})
		return err
	}},
	"Notices.MarkRead": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		return b.Notices.MarkRead(ctx, by, nil)
	}},
	"Notices.After": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, err := b.Notices.After(ctx, by, 0)
		return err
	}},
	"Notices.Latest": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, err := b.Notices.Latest(ctx, by)
		return err
	}},
	"Notices.Unread": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, err := b.Notices.Unread(ctx, by)
		return err
	}},
	"Statistics.OfUser": {students, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, err := b.Statistics.OfUser(ctx, by)
		return err
	}},
	"Statistics.OfMarket": {admins, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, err := b.Statistics.OfMarket(ctx, by)
		return err
	}},
	"Tidying.Deactivate": {owners, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, err := b.Tidying.Deactivate(ctx, by, 62, false)
		return err
	}},
	"Tidying.BooksWithStatus": {admins, func(ctx context.Context, b *contract.Bazaar, by user.Caller) error {
		_, _, err := b.Tidying.BooksWithStatus(ctx, by, book.ForSale, market.Page{})
		return err
	}},
}

func TestEveryActivityKnowsWhoMayCallIt(t *testing.T) {
	b := contract.NewBazaar(open(t))
	guest := b.Join(t, "guest", user.Regular)
	guest.Student = false
	callers := []struct {
		name    string
		by      user.Caller
		may     func(who) bool
		refusal func(who) error
	}{
		{"nobody", user.Caller{}, func(w who) bool { return w == anyone }, func(who) error { return user.ErrUnauthenticated }},
		{"a guest", guest, func(w who) bool { return w == anyone }, func(w who) error {
			if w == students {
				return user.ErrProfileNeeded
			}
			return user.ErrForbidden
		}},
		{"a student", b.Join(t, "ann", user.Regular), func(w who) bool { return w <= students }, func(who) error { return user.ErrForbidden }},
		{"an admin", b.Join(t, "dean", user.Admin), func(w who) bool { return w <= admins }, func(who) error { return user.ErrForbidden }},
		{"the owner", b.Join(t, "owner", user.Owner), func(who) bool { return true }, func(who) error { return nil }},
	}
	for name, c := range calls {
		for _, caller := range callers {
			err := c.do(t.Context(), b, caller.by)
			for _, refusal := range []error{user.ErrUnauthenticated, user.ErrProfileNeeded, user.ErrForbidden} {
				want := !caller.may(c.who) && errors.Is(caller.refusal(c.who), refusal)
				if errors.Is(err, refusal) != want {
					t.Errorf("%s by %s: %v", name, caller.name, err)
				}
			}
		}
	}
}

func TestEveryActivityStopsWhenItsCallerHasLeft(t *testing.T) {
	b := contract.NewBazaar(open(t))
	owner := b.Join(t, "owner", user.Owner)
	b.Post(t, owner, contract.Draft("Calculus", "MTH 161", 1000))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range calls {
		if err := c.do(ctx, b, owner); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := b.Ledger.Check(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Ledger.Check: %v", err)
	}
	if _, err := b.Chores.Work(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Chores.Work: %v", err)
	}
}

func TestBadPagesAreRefusedEverywhere(t *testing.T) {
	b := contract.NewBazaar(open(t))
	dean := b.Join(t, "dean", user.Admin)
	bad := market.Page{Limit: 201}
	for name, read := range map[string]func() error{
		"Mine": func() error { _, _, err := b.Shelf.Mine(t.Context(), dean, bad); return err },
		"Search": func() error {
			_, _, err := b.Catalogue.Search(t.Context(), dean, "x", market.Filter{}, bad)
			return err
		},
		"Requests":  func() error { _, _, err := b.Wanted.Mine(t.Context(), dean, bad); return err },
		"Matches":   func() error { _, _, err := b.Wanted.Matches(t.Context(), dean, bad); return err },
		"Purchased": func() error { _, _, err := b.Orders.Purchased(t.Context(), dean, bad); return err },
		"History": func() error {
			_, _, err := b.Orders.History(t.Context(), dean, order.BuyerSide, bad)
			return err
		},
		"Transactions": func() error {
			_, _, err := b.Orders.Transactions(t.Context(), dean, market.OrderFilter{}, bad)
			return err
		},
		"Notices":    func() error { _, _, err := b.Notices.List(t.Context(), dean, bad); return err },
		"WithStatus": func() error { _, _, err := b.Tidying.BooksWithStatus(t.Context(), dean, book.ForSale, bad); return err },
	} {
		if err := read(); !errors.Is(err, market.ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestChoresAreDoneInTheBackgroundUntilTheProgramEnds(t *testing.T) {
	b := contract.NewBazaar(open(t))
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	chores := market.NewChores(b.Kit, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); chores.Run(ctx) }()
	for range 150 {
		b.Request(t, bob, book.Want{Name: "Calculus", Course: "MTH 161"})
	}
	ring, stop := b.Notices.Listen(bob)
	defer stop()
	b.Post(t, ann, contract.Draft("Calculus", "MTH 161", 1000))
	deadline := time.After(20 * time.Second)
	for count(b.Told(t, bob), notification.MatchFound) < 150 {
		select {
		case <-ring:
		case <-deadline:
			t.Fatal("the rest of the matching was never done")
		}
	}
	cancel()
	<-ended
}

func count(all []notification.Kind, kind notification.Kind) (n int) {
	for _, k := range all {
		if k == kind {
			n++
		}
	}
	return n
}
