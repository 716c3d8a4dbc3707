package market_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/desk"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/poll"
)

// who is the lowest role that may call a use case.
type who int

const (
	anyone who = iota
	students
	admins
	owners
)

type call struct {
	who who
	do  func(context.Context, *contract.MarketFixture, user.Caller) error
}

// calls has all use cases.
var calls = map[string]call{
	"Listings.Post": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Listings.Post(ctx, by, contract.Draft("Calculus", "MTH 161", 1000))
		return err
	}},
	"Listings.PostWithKey": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, _, err := b.Listings.PostWithKey(ctx, by, market.IdempotencyKey{Value: "key"}, contract.Draft("Calculus", "MTH 161", 1000))
		return err
	}},
	"CourseLists.Import": {admins, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.CourseLists.Import(ctx, by, course.List{University: "Campus", Term: "fall"}, []byte("course,title,name\nCSC 172,,\n"), false)
		return err
	}},
	"CourseLists.List": {admins, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, _, err := b.CourseLists.List(ctx, by, market.Page{})
		return err
	}},
	"CourseLists.Remove": {admins, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		return b.CourseLists.Remove(ctx, by, course.List{University: "Campus", Term: "fall"})
	}},
	"Courses.Terms": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Courses.Terms(ctx, by, "")
		return err
	}},
	"Courses.Find": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, _, err := b.Courses.Find(ctx, by, finding.Term{}, "csc", market.Page{})
		return err
	}},
	"Courses.Mine": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Courses.Mine(ctx, by, finding.Term{})
		return err
	}},
	"Courses.Choose": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		return b.Courses.Choose(ctx, by, finding.Term{}, nil)
	}},
	"Courses.RequestBooks": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Courses.RequestBooks(ctx, by, []course.ID{1})
		return err
	}},
	"Courses.Used": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Courses.Used(ctx, by)
		return err
	}},
	"Listings.PostAll": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, _, err := b.Listings.PostAll(ctx, by, market.IdempotencyKey{}, []book.Draft{contract.Draft("Calculus", "MTH 161", 1000)})
		return err
	}},
	"Listings.Update": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Listings.Update(ctx, by, 1, book.Patch{})
		return err
	}},
	"Listings.Unlist": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Listings.Unlist(ctx, by, 1)
		return err
	}},
	"Listings.Relist": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Listings.Relist(ctx, by, 1)
		return err
	}},
	"Listings.ListMine": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, _, err := b.Listings.ListMine(ctx, by, market.Page{})
		return err
	}},
	"Catalogue.List": {anyone, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, _, err := b.Catalogue.List(ctx, by, finding.Filter{}, market.Page{})
		return err
	}},
	"Catalogue.ListByOffset": {anyone, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Catalogue.ListByOffset(ctx, by, 1, 0)
		return err
	}},
	"Catalogue.Get": {anyone, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Catalogue.Get(ctx, by, 1)
		return err
	}},
	"Discovery.Browse": {anyone, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Discovery.Browse(ctx, by, "", finding.Filter{}, market.Page{})
		return err
	}},
	"Discovery.Title": {anyone, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Discovery.Title(ctx, by, "9780262033848", finding.Filter{}, market.Page{})
		return err
	}},
	"Discovery.ListOthers": {anyone, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Discovery.ListOthers(ctx, by, book.Book{Details: book.Details{Name: "Calculus"}})
		return err
	}},
	"Discovery.Suggest": {anyone, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Discovery.Suggest(ctx, by, finding.Filter{})
		return err
	}},
	"Discovery.FindSeller": {anyone, func(ctx context.Context, b *contract.MarketFixture, _ user.Caller) error {
		_, err := b.Discovery.FindSeller(ctx, 1)
		return err
	}},
	"Catalogue.Search": {anyone, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, _, err := b.Catalogue.Search(ctx, by, "calculus", finding.Filter{}, market.Page{})
		return err
	}},
	"Requests.Add": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, _, err := b.Requests.Add(ctx, by, book.RequestDraft{Name: "Calculus", Course: "MTH 161"})
		return err
	}},
	"Requests.AddWithKey": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, _, err := b.Requests.AddWithKey(ctx, by, market.IdempotencyKey{Value: "key"}, book.RequestDraft{Name: "Calculus", Course: "MTH 161"})
		return err
	}},
	"Requests.ListMine": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, _, err := b.Requests.ListMine(ctx, by, market.Page{})
		return err
	}},
	"Requests.Delete": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		return b.Requests.Delete(ctx, by, 1)
	}},
	"Requests.ListMatches": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, _, err := b.Requests.ListMatches(ctx, by, market.Page{})
		return err
	}},
	"Carts.Add": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		return b.Carts.Add(ctx, by, 1)
	}},
	"Carts.Remove": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		return b.Carts.Remove(ctx, by, 1)
	}},
	"Carts.Clear": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		return b.Carts.Clear(ctx, by)
	}},
	"Carts.Count": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Carts.Count(ctx, by)
		return err
	}},
	"Carts.List": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, _, err := b.Carts.List(ctx, by, market.Page{})
		return err
	}},
	"Checkout.Do": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Checkout.Do(ctx, by, buying.Basket{})
		return err
	}},
	"Orders.ListPurchased": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, _, err := b.Orders.ListPurchased(ctx, by, market.Page{})
		return err
	}},
	"Orders.ListSold": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, _, err := b.Orders.ListSold(ctx, by, market.Page{})
		return err
	}},
	"Orders.ListHistory": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, _, err := b.Orders.ListHistory(ctx, by, order.BuyerSide, market.Page{})
		return err
	}},
	"Orders.ListOwn": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, _, err := b.Orders.ListOwn(ctx, by, buying.OwnOrders{}, market.Page{})
		return err
	}},
	"Orders.Get": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Orders.Get(ctx, by, 1)
		return err
	}},
	"Orders.Withdraw": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Orders.Withdraw(ctx, by, 1, "because")
		return err
	}},
	"Orders.Queue": {admins, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, _, err := b.Orders.Queue(ctx, by, buying.ToCheck, market.Page{})
		return err
	}},
	"Orders.Review": {admins, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Orders.Review(ctx, by, []order.ID{1})
		return err
	}},
	"Orders.ConfirmAll": {admins, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Orders.ConfirmAll(ctx, by, []order.ID{1})
		return err
	}},
	"Desks.List": {admins, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Desks.List(ctx, by)
		return err
	}},
	"Desks.Save": {admins, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		return b.Desks.Save(ctx, by, desk.Desk{University: "Campus", Place: "Library", Hours: "10:00–16:00"})
	}},
	"Desks.Remove": {admins, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		return b.Desks.Remove(ctx, by, "Campus")
	}},
	"Orders.Confirm": {admins, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Orders.Confirm(ctx, by, 1)
		return err
	}},
	"Orders.Settle": {admins, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Orders.Settle(ctx, by, 1)
		return err
	}},
	"Orders.SetPaid": {admins, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Orders.SetPaid(ctx, by, 1)
		return err
	}},
	"Orders.Cancel": {admins, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Orders.Cancel(ctx, by, 1, "because")
		return err
	}},
	"Orders.ListAll": {admins, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, _, err := b.Orders.ListAll(ctx, by, buying.OrderFilter{}, market.Page{})
		return err
	}},
	"Notifications.List": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, _, err := b.Notifications.List(ctx, by, market.Page{})
		return err
	}},
	"Notifications.MarkRead": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		return b.Notifications.MarkRead(ctx, by, nil)
	}},
	"Notifications.ListAfter": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Notifications.ListAfter(ctx, by, 0)
		return err
	}},
	"Notifications.LatestID": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Notifications.LatestID(ctx, by)
		return err
	}},
	"Notifications.CountUnread": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Notifications.CountUnread(ctx, by)
		return err
	}},
	"Statistics.ForUser": {students, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Statistics.ForUser(ctx, by)
		return err
	}},
	"Statistics.Dashboard": {admins, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Statistics.Dashboard(ctx, by, "")
		return err
	}},
	"Statistics.OfPeriod": {admins, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.Statistics.OfPeriod(ctx, by, "", time.Time{}, time.Time{})
		return err
	}},
	"ExpireListings.Preview": {owners, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.ExpireListings.Preview(ctx, by, 62)
		return err
	}},
	"ExpireListings.Do": {owners, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, err := b.ExpireListings.Do(ctx, by, 62, false)
		return err
	}},
	"Listings.ListByStatus": {admins, func(ctx context.Context, b *contract.MarketFixture, by user.Caller) error {
		_, _, err := b.Listings.ListByStatus(ctx, by, book.ForSale, market.Page{})
		return err
	}},
}

func TestEveryUseCaseChecksItsCaller(t *testing.T) {
	b := contract.NewMarketFixture(open(t))
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

func TestEveryUseCaseStopsWhenItsContextIsCancelled(t *testing.T) {
	b := contract.NewMarketFixture(open(t))
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
	if _, err := b.Jobs.RunOne(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Worker.RunOne: %v", err)
	}
}

func TestInvalidPagesAreRefusedEverywhere(t *testing.T) {
	b := contract.NewMarketFixture(open(t))
	dean := b.Join(t, "dean", user.Admin)
	bad := market.Page{Limit: 201}
	for name, read := range map[string]func() error{
		"Mine": func() error { _, _, err := b.Listings.ListMine(t.Context(), dean, bad); return err },
		"Search": func() error {
			_, _, err := b.Catalogue.Search(t.Context(), dean, "x", finding.Filter{}, bad)
			return err
		},
		"Requests":  func() error { _, _, err := b.Requests.ListMine(t.Context(), dean, bad); return err },
		"Matches":   func() error { _, _, err := b.Requests.ListMatches(t.Context(), dean, bad); return err },
		"Own":       func() error { _, _, err := b.Orders.ListOwn(t.Context(), dean, buying.OwnOrders{}, bad); return err },
		"Queue":     func() error { _, _, err := b.Orders.Queue(t.Context(), dean, buying.ToCheck, bad); return err },
		"Purchased": func() error { _, _, err := b.Orders.ListPurchased(t.Context(), dean, bad); return err },
		"History": func() error {
			_, _, err := b.Orders.ListHistory(t.Context(), dean, order.BuyerSide, bad)
			return err
		},
		"Transactions": func() error {
			_, _, err := b.Orders.ListAll(t.Context(), dean, buying.OrderFilter{}, bad)
			return err
		},
		"Notifications": func() error { _, _, err := b.Notifications.List(t.Context(), dean, bad); return err },
		"WithStatus":    func() error { _, _, err := b.Listings.ListByStatus(t.Context(), dean, book.ForSale, bad); return err },
	} {
		if err := read(); !errors.Is(err, market.ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestJobsRunInTheBackgroundUntilTheProgramEnds(t *testing.T) {
	b := contract.NewMarketFixture(open(t))
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); b.Jobs.Run(ctx) }()
	for range 150 {
		b.Request(t, bob, book.RequestDraft{Name: "Calculus", Course: "MTH 161"})
	}
	signals, stop := b.Signals(bob)
	defer stop()
	b.Post(t, ann, contract.Draft("Calculus", "MTH 161", 1000))
	deadline := time.After(poll.Limit)
	for count(b.NotificationsOf(t, bob), notification.MatchFound) < 150 {
		select {
		case <-signals:
		case <-deadline:
			t.Fatal("the job never finished the matching")
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
