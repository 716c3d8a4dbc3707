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
	"github.com/octavo-books/octavo/test/must"
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

type (
	ctx     = context.Context
	fixture = contract.MarketFixture
	caller  = user.Caller
)

type call struct {
	who who
	do  func(ctx, *fixture, caller) error
}

// calls has all use cases.
var calls = map[string]call{
	"Listings.Post": {students, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Listings.Post(ctx, by, contract.Draft("Calculus", "MTH 161", 1000)))
	}},
	"Listings.PostWithKey": {students, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Listings.PostWithKey(ctx, by, market.IdempotencyKey{Value: "key"}, contract.Draft("Calculus", "MTH 161", 1000)))
	}},
	"CourseLists.Import": {admins, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.CourseLists.Import(ctx, by, course.List{University: "Campus", Term: "fall"}, []byte("course,title,name\nCSC 172,,\n"), false))
	}},
	"CourseLists.List": {admins, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.CourseLists.List(ctx, by, market.Page{}))
	}},
	"CourseLists.Remove": {admins, func(ctx ctx, b *fixture, by caller) error {
		return b.CourseLists.Remove(ctx, by, course.List{University: "Campus", Term: "fall"})
	}},
	"Courses.Terms": {students, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.Courses.Terms(ctx, by, "")) }},
	"Courses.Find": {students, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Courses.Find(ctx, by, finding.Term{}, "csc", market.Page{}))
	}},
	"Courses.Mine":   {students, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.Courses.Mine(ctx, by, finding.Term{})) }},
	"Courses.Choose": {students, func(ctx ctx, b *fixture, by caller) error { return b.Courses.Choose(ctx, by, finding.Term{}, nil) }},
	"Courses.RequestBooks": {students, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Courses.RequestBooks(ctx, by, []course.ID{1}))
	}},
	"Courses.Used": {students, func(ctx context.Context, b *fixture, by user.Caller) error { return must.Err(b.Courses.Used(ctx, by)) }},
	"Listings.PostAll": {students, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Listings.PostAll(ctx, by, market.IdempotencyKey{}, []book.Draft{contract.Draft("Calculus", "MTH 161", 1000)}))
	}},
	"Listings.Update": {students, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Listings.Update(ctx, by, 1, book.Patch{}))
	}},
	"Listings.Unlist": {students, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.Listings.Unlist(ctx, by, 1)) }},
	"Listings.Relist": {students, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.Listings.Relist(ctx, by, 1)) }},
	"Listings.ListMine": {students, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Listings.ListMine(ctx, by, market.Page{}))
	}},
	"Catalogue.List": {anyone, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Catalogue.List(ctx, by, finding.Filter{}, market.Page{}))
	}},
	"Catalogue.ListByOffset": {anyone, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.Catalogue.ListByOffset(ctx, by, 1, 0)) }},
	"Catalogue.Get":          {anyone, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.Catalogue.Get(ctx, by, 1)) }},
	"Discovery.Browse": {anyone, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Discovery.Browse(ctx, by, "", finding.Filter{}, market.Page{}))
	}},
	"Discovery.Title": {anyone, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Discovery.Title(ctx, by, "9780262033848", finding.Filter{}, market.Page{}))
	}},
	"Discovery.ListOthers": {anyone, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Discovery.ListOthers(ctx, by, book.Book{Details: book.Details{Name: "Calculus"}}))
	}},
	"Discovery.Suggest": {anyone, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Discovery.Suggest(ctx, by, finding.Filter{}))
	}},
	"Discovery.FindSeller": {anyone, func(ctx ctx, b *fixture, _ caller) error { return must.Err(b.Discovery.FindSeller(ctx, 1)) }},
	"Catalogue.Suggest":    {anyone, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.Catalogue.Suggest(ctx, by, "calculus")) }},
	"Catalogue.Search": {anyone, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Catalogue.Search(ctx, by, "calculus", finding.Filter{}, market.Page{}))
	}},
	"Requests.Add": {students, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Requests.Add(ctx, by, book.RequestDraft{Name: "Calculus", Course: "MTH 161"}))
	}},
	"Requests.AddWithKey": {students, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Requests.AddWithKey(ctx, by, market.IdempotencyKey{Value: "key"}, book.RequestDraft{Name: "Calculus", Course: "MTH 161"}))
	}},
	"Requests.ListMine": {students, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Requests.ListMine(ctx, by, market.Page{}))
	}},
	"Requests.Delete": {students, func(ctx context.Context, b *fixture, by user.Caller) error { return b.Requests.Delete(ctx, by, 1) }},
	"Requests.ListMatches": {students, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Requests.ListMatches(ctx, by, market.Page{}))
	}},
	"Carts.Add":    {students, func(ctx context.Context, b *fixture, by user.Caller) error { return b.Carts.Add(ctx, by, 1) }},
	"Carts.Remove": {students, func(ctx context.Context, b *fixture, by user.Caller) error { return b.Carts.Remove(ctx, by, 1) }},
	"Carts.Clear":  {students, func(ctx context.Context, b *fixture, by user.Caller) error { return b.Carts.Clear(ctx, by) }},
	"Carts.Count":  {students, func(ctx context.Context, b *fixture, by user.Caller) error { return must.Err(b.Carts.Count(ctx, by)) }},
	"Carts.List":   {students, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.Carts.List(ctx, by, market.Page{})) }},
	"Checkout.Do":  {students, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.Checkout.Do(ctx, by, buying.Basket{})) }},
	"Orders.ListPurchased": {students, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Orders.ListPurchased(ctx, by, market.Page{}))
	}},
	"Orders.ListSold": {students, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.Orders.ListSold(ctx, by, market.Page{})) }},
	"Orders.ListHistory": {students, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Orders.ListHistory(ctx, by, order.BuyerSide, market.Page{}))
	}},
	"Orders.ListOwn": {students, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Orders.ListOwn(ctx, by, buying.OwnOrders{}, market.Page{}))
	}},
	"Orders.Get":      {students, func(ctx context.Context, b *fixture, by user.Caller) error { return must.Err(b.Orders.Get(ctx, by, 1)) }},
	"Orders.Withdraw": {students, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.Orders.Withdraw(ctx, by, 1, "because")) }},
	"Orders.Queue": {admins, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Orders.Queue(ctx, by, buying.ToCheck, market.Page{}))
	}},
	"Orders.Review": {admins, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.Orders.Review(ctx, by, []order.ID{1})) }},
	"Orders.ConfirmAll": {admins, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Orders.ConfirmAll(ctx, by, []order.ID{1}))
	}},
	"Desks.List": {admins, func(ctx context.Context, b *fixture, by user.Caller) error { return must.Err(b.Desks.List(ctx, by)) }},
	"Desks.Save": {admins, func(ctx ctx, b *fixture, by caller) error {
		return b.Desks.Save(ctx, by, desk.Desk{University: "Campus", Place: "Library", Hours: "10:00–16:00"})
	}},
	"Desks.Remove":   {admins, func(ctx context.Context, b *fixture, by user.Caller) error { return b.Desks.Remove(ctx, by, "Campus") }},
	"Orders.Confirm": {admins, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.Orders.Confirm(ctx, by, 1)) }},
	"Orders.Settle":  {admins, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.Orders.Settle(ctx, by, 1)) }},
	"Orders.SetPaid": {admins, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.Orders.SetPaid(ctx, by, 1)) }},
	"Orders.Cancel":  {admins, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.Orders.Cancel(ctx, by, 1, "because")) }},
	"Orders.ListAll": {admins, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Orders.ListAll(ctx, by, buying.OrderFilter{}, market.Page{}))
	}},
	"Notifications.List": {students, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Notifications.List(ctx, by, market.Page{}))
	}},
	"Notifications.MarkRead":    {students, func(ctx ctx, b *fixture, by caller) error { return b.Notifications.MarkRead(ctx, by, nil) }},
	"Notifications.ListAfter":   {students, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.Notifications.ListAfter(ctx, by, 0)) }},
	"Notifications.LatestID":    {students, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.Notifications.LatestID(ctx, by)) }},
	"Notifications.CountUnread": {students, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.Notifications.CountUnread(ctx, by)) }},
	"Statistics.ForUser":        {students, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.Statistics.ForUser(ctx, by)) }},
	"Statistics.Dashboard":      {admins, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.Statistics.Dashboard(ctx, by, "")) }},
	"Statistics.OfPeriod": {admins, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Statistics.OfPeriod(ctx, by, "", time.Time{}, time.Time{}))
	}},
	"ExpireListings.Preview": {owners, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.ExpireListings.Preview(ctx, by, 62)) }},
	"ExpireListings.Do":      {owners, func(ctx ctx, b *fixture, by caller) error { return must.Err(b.ExpireListings.Do(ctx, by, 62, false)) }},
	"Listings.ListByStatus": {admins, func(ctx ctx, b *fixture, by caller) error {
		return must.Err(b.Listings.ListByStatus(ctx, by, book.ForSale, market.Page{}))
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
		must.Refuse(t, c.do(ctx, b, owner), context.Canceled, name)
	}
	must.Refuse(t, must.Err(b.Ledger.Check(ctx)), context.Canceled, "Ledger.Check")
	must.Refuse(t, must.Err(b.Jobs.RunOne(ctx)), context.Canceled, "Worker.RunOne")
}

func TestInvalidPagesAreRefusedEverywhere(t *testing.T) {
	b := contract.NewMarketFixture(open(t))
	dean := b.Join(t, "dean", user.Admin)
	bad := market.Page{Limit: 201}
	for name, read := range map[string]func() error{
		"Mine":          func() error { _, _, err := b.Listings.ListMine(t.Context(), dean, bad); return err },
		"Search":        func() error { return must.Err(b.Catalogue.Search(t.Context(), dean, "x", finding.Filter{}, bad)) },
		"Requests":      func() error { _, _, err := b.Requests.ListMine(t.Context(), dean, bad); return err },
		"Matches":       func() error { _, _, err := b.Requests.ListMatches(t.Context(), dean, bad); return err },
		"Own":           func() error { _, _, err := b.Orders.ListOwn(t.Context(), dean, buying.OwnOrders{}, bad); return err },
		"Queue":         func() error { _, _, err := b.Orders.Queue(t.Context(), dean, buying.ToCheck, bad); return err },
		"Purchased":     func() error { _, _, err := b.Orders.ListPurchased(t.Context(), dean, bad); return err },
		"History":       func() error { return must.Err(b.Orders.ListHistory(t.Context(), dean, order.BuyerSide, bad)) },
		"Transactions":  func() error { return must.Err(b.Orders.ListAll(t.Context(), dean, buying.OrderFilter{}, bad)) },
		"Notifications": func() error { _, _, err := b.Notifications.List(t.Context(), dean, bad); return err },
		"WithStatus":    func() error { _, _, err := b.Listings.ListByStatus(t.Context(), dean, book.ForSale, bad); return err },
	} {
		must.Refuse(t, read(), market.ErrLimit, name)
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
