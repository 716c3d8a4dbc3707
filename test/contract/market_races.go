package contract

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// MarketRaces runs use cases concurrently. It is most useful with -race and over a database.
func MarketRaces(t *testing.T, open func(*testing.T) MarketBackend) {
	each(t, func(t *testing.T) *MarketFixture { return NewMarketFixture(open(t)) }, map[string]func(*testing.T, *MarketFixture){
		"one of a hundred buyers gets the book":                 raceOneBook,
		"overlapping carts are bought completely or not at all": raceCarts,
		"books and ledger agree after any concurrent calls":     raceEverything,
		"one key buys once":                                                   raceKey,
		"one key posts once and requests once":                                racePostsAndRequests,
		"a concurrent post and request match once":                            raceMatching,
		"concurrent notifications leave no gap":                               raceNotifications,
		"concurrent runners run each job once":                                raceJobs,
		"a cart filled concurrently has at most a hundred books":              raceFullCart,
		"concurrent requests for the books of a course make each once":        raceCourseBooks,
		"courses are chosen or deleted, and nobody has chosen a deleted one":  raceChoices,
		"concurrent requests cannot exceed the limit":                         raceFullRequests,
		"a user who is deleted during their own calls leaves nothing":         raceDeleted,
		"a sale is cancelled or confirmed, once":                              raceWithdrawals,
		"concurrent cancellations cannot exceed the limit":                    raceManyWithdrawals,
		"of many confirmations of a hand-over one succeeds":                   raceHandovers,
		"concurrent checkouts cannot exceed the limit of open purchases":      raceManyPurchases,
		"an order is handed over or cancelled":                                raceHandoverAndCancel,
		"a buyer or seller is suspended while admins decide about the orders": raceSuspended,
		"a seller who leaves while buyers make offers has none left":          raceLeavingSeller,
		"a seller leaves while people write about a book":                     raceLeavingAddressee,
		"concurrent guesses cannot exceed the tries":                          raceGuesses,
		"of concurrent proposals one is open":                                 raceProposals,
		"each book that admins unlist at once is told its seller once":        raceUnlistings,
		"a removed place to meet does not come back when another saves it":    racePlaces,
	})
}

func (b *MarketFixture) joinMany(t *testing.T, n int) []user.Caller {
	t.Helper()
	all := make([]user.Caller, n)
	for i := range all {
		all[i] = b.Join(t, fmt.Sprint("student", i), user.Regular)
	}
	return all
}

func raceOneBook(t *testing.T, b *MarketFixture) {
	v := b.Post(t, b.Join(t, "ann", user.Regular), Draft("Calculus", "MTH 161", 1000))
	buyers := b.joinMany(t, 100)
	errs := make([]error, len(buyers))
	must.Together(len(buyers), func(i int) { _, errs[i] = b.Checkout.Do(t.Context(), buyers[i], buying.Basket{Books: []book.ID{v.ID}}) })
	won := 0
	for _, err := range errs {
		var lost *buying.UnavailableError
		switch {
		case err == nil:
			won++
		case !errors.As(err, &lost):
			t.Errorf("a loser got %v", err)
		}
	}
	if won != 1 {
		t.Errorf("%d buyers got the book, want 1", won)
	}
	b.CheckLedger(t)
}

func raceCarts(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	forSale := make([]book.ID, 40)
	for i := range forSale {
		forSale[i] = b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)).ID
	}
	buyers := b.joinMany(t, 20)
	must.Together(len(buyers), func(i int) {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		for range 4 {
			var want []book.ID
			for _, n := range random.Perm(len(forSale))[:3] {
				want = append(want, forSale[n])
			}
			r, err := b.Checkout.Do(t.Context(), buyers[i], buying.Basket{Books: want, AllowPartial: i%2 == 0})
			if err != nil && !errors.Is(err, book.ErrNotAvailable) {
				t.Errorf("buyer %d: %v", i, err)
			}
			if err == nil && len(r.Orders)+len(r.Unavailable) != len(want) {
				t.Errorf("buyer %d got %+v for %v", i, r, want)
			}
		}
	})
	b.CheckLedger(t)
	sold := 0
	for _, who := range buyers {
		bought, _ := must.Get2(b.Orders.ListPurchased(t.Context(), who, market.Page{Limit: market.MaxLimit}))(t)
		sold += len(bought)
	}
	s := must.Get(b.Statistics.ForUser(t.Context(), ann))(t)
	if s.Sold != sold || sold+len(b.search(t, "calculus")) != len(forSale) {
		t.Errorf("the seller sold %d, the buyers have %d, of %d", s.Sold, sold, len(forSale))
	}
}

func raceEverything(t *testing.T, b *MarketFixture) {
	ann, dean, owner := b.Join(t, "ann", user.Regular), b.Join(t, "dean", user.Admin), b.Join(t, "owner", user.Owner)
	buyers := b.joinMany(t, 4)
	forSale := make([]book.ID, 5)
	for i := range forSale {
		forSale[i] = b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)).ID
	}
	must.Together(12, func(i int) {
		random := rand.New(rand.NewPCG(2, uint64(i)))
		for range 15 {
			id := forSale[random.IntN(len(forSale))]
			var err error
			switch buyer := buyers[random.IntN(len(buyers))]; random.IntN(8) {
			case 0, 1:
				_, err = b.Checkout.Do(t.Context(), buyer, buying.Basket{Books: forSale, AllowPartial: true})
			case 2:
				_, err = b.Listings.Unlist(t.Context(), ann, id)
			case 3:
				_, err = b.Listings.Relist(t.Context(), ann, id)
			case 4:
				_, err = b.Orders.Cancel(t.Context(), dean, id, "because")
			case 5:
				_, err = b.Orders.Confirm(t.Context(), dean, id)
			case 6:
				_, err = b.ExpireListings.Do(t.Context(), owner, 0, false)
			case 7:
				err = b.Carts.Add(t.Context(), buyer, id)
			}
			if err != nil && fault.KindOf(err) != fault.Conflict {
				t.Errorf("failed with %v", err)
			}
		}
	})
	b.CheckLedger(t)
}

func raceKey(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	receipts := make([]buying.Receipt, 20)
	must.Together(len(receipts), func(i int) {
		r, err := b.Checkout.Do(t.Context(), bob, buying.Basket{Books: []book.ID{v.ID}, Key: market.IdempotencyKey{Value: "k"}})
		if err != nil {
			t.Errorf("call %d: %v", i, err)
		}
		receipts[i] = r
	})
	first := 0
	for _, r := range receipts {
		if !r.Replayed {
			first++
		}
		if len(r.Orders) != 1 || r.Orders[0] != receipts[0].Orders[0] {
			t.Errorf("answers differ: %+v", r)
		}
	}
	if first != 1 {
		t.Errorf("%d calls bought, want 1", first)
	}
}

func racePostsAndRequests(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	errs := make([]error, 40)
	must.Together(len(errs), func(i int) {
		if i%2 == 0 {
			_, _, errs[i] = b.Listings.PostWithKey(t.Context(), ann, market.IdempotencyKey{Value: "a book"}, Draft("Calculus", "MTH 161", 1000))
		} else {
			_, _, errs[i] = b.Requests.AddWithKey(t.Context(), ann, market.IdempotencyKey{Value: "a request"}, book.RequestDraft{Name: "Physics", Course: "PHY 121"})
		}
	})
	must.Do(t, errors.Join(errs...))
	books, _ := must.Get2(b.Listings.ListMine(t.Context(), ann, market.Page{}))(t)
	requests, _ := must.Get2(b.Requests.ListMine(t.Context(), ann, market.Page{}))(t)
	if len(books) != 1 || len(requests) != 1 {
		t.Errorf("%d books and %d requests", len(books), len(requests))
	}
}

func raceMatching(t *testing.T, b *MarketFixture) {
	sellers, readers := b.joinMany(t, 8), []user.Caller(nil)
	for i := range 8 {
		readers = append(readers, b.Join(t, fmt.Sprint("reader", i), user.Regular))
	}
	must.Together(16, func(i int) {
		for n := range 4 {
			course := fmt.Sprint("X ", n)
			var err error
			if i < 8 {
				_, err = b.Listings.Post(t.Context(), sellers[i], Draft("Linear Algebra and its Applications", course, 1000))
			} else {
				_, _, err = b.Requests.Add(t.Context(), readers[i-8], book.RequestDraft{Name: "linear algebra applications", Course: course})
			}
			if err != nil {
				t.Errorf("%d: %v", i, err)
			}
		}
	})
	b.RunAllJobs(t)
	for i, who := range readers {
		matches := slices.Concat(walk(t, 200, func(p market.Page) ([]market.MatchView, market.Cursor, error) {
			return b.Requests.ListMatches(t.Context(), who, p)
		})...)
		if want := 8 * 4 * 4; len(matches) != want || count(b.NotificationsOf(t, who), notification.MatchFound) != want {
			t.Errorf("reader %d has %d matches and was notified %d times, want %d", i, len(matches), count(b.NotificationsOf(t, who), notification.MatchFound), want)
		}
	}
}

func raceNotifications(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	must.Together(10, func(i int) {
		for range 5 {
			if _, err := b.Listings.Post(t.Context(), ann, Draft("Calculus", "MTH 161", 1000)); err != nil {
				t.Errorf("%d: %v", i, err)
			}
			if _, err := b.Notifications.LatestID(t.Context(), ann); err != nil {
				t.Errorf("%d: %v", i, err)
			}
		}
	})
	all := must.Get(b.Ports.ListNotificationsAfter(t.Context(), ann.ID, 0, 1000))(t)
	for i, n := range all {
		if int(n.ID) != i+1 {
			t.Fatalf("number %d comes after %d", n.ID, i)
		}
	}
	if len(b.NotificationsOf(t, ann)) != 50 {
		t.Errorf("notified %d times, want 50", len(b.NotificationsOf(t, ann)))
	}
}

func raceJobs(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	for range 350 {
		b.aRequest(t, bob, book.RequestDraft{Name: "Algorithms", Course: "CSC 172"}, book.IndexEntry{Key: "c:csc172"})
	}
	b.Post(t, ann, algorithms())
	must.Together(8, func(int) {
		for range 10 {
			if _, err := b.Jobs.RunOne(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
	b.RunAllJobs(t) // a runner finds nothing while another one runs the only job
	if n := count(b.NotificationsOf(t, bob), notification.MatchFound); n != 350 {
		t.Errorf("notified %d times, want 350", n)
	}
}

func raceFullCart(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	var ids []book.ID
	for range buying.MaxCart + 8 {
		ids = append(ids, b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)).ID)
	}
	room := 4
	for _, id := range ids[:buying.MaxCart-room] {
		must.Do(t, b.Carts.Add(t.Context(), bob, id))
	}
	rest := ids[buying.MaxCart-room:]
	errs := make([]error, len(rest))
	must.Together(len(rest), func(i int) { errs[i] = b.Carts.Add(t.Context(), bob, rest[i]) })
	full := 0
	for _, err := range errs {
		if errors.Is(err, buying.ErrCartFull) {
			full++
		} else if err != nil {
			t.Error(err)
		}
	}
	r := must.Get(b.Checkout.Do(t.Context(), bob, buying.Basket{}))(t)
	left := must.Get(b.Ports.ListCartItems(t.Context(), bob.ID))(t)
	if full != len(rest)-room || len(r.Orders) != buying.MaxCart || len(left) != 0 {
		t.Errorf("%d were refused, %d bought, and %d are left in the cart", full, len(r.Orders), len(left))
	}
}

func raceFullRequests(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	room := 4
	for range book.MaxOpenRequests - room {
		b.aRequest(t, ann, book.RequestDraft{Name: "Calculus", Course: "MTH 161"})
	}
	errs := make([]error, 12)
	must.Together(len(errs), func(i int) {
		_, _, errs[i] = b.Requests.Add(t.Context(), ann, book.RequestDraft{Name: "Physics", Course: "PHY 121"})
	})
	full := 0
	for _, err := range errs {
		if errors.Is(err, book.ErrTooManyRequests) {
			full++
		} else if err != nil {
			t.Error(err)
		}
	}
	if full != len(errs)-room {
		t.Errorf("%d were refused, want %d", full, len(errs)-room)
	}
}

func raceDeleted(t *testing.T, b *MarketFixture) {
	dean, people := b.Join(t, "dean", user.Admin), b.joinMany(t, 8)
	sold := make([]book.ID, len(people))
	for i, who := range people {
		sold[i] = b.Post(t, who, Draft("Calculus", "MTH 161", 1000)).ID
		b.Buy(t, people[(i+1)%len(people)], sold[i])
	}
	must.Together(4*len(people), func(i int) {
		who, id := people[i/4], sold[i/4]
		var err error
		switch i % 4 {
		case 0:
			b.DeleteUser(t, who)
		case 1:
			_, err = b.Orders.Cancel(t.Context(), dean, id, "because")
		case 2:
			_, err = b.Listings.Post(t.Context(), who, Draft("Calculus", "MTH 161", 1000))
		case 3:
			_, _, err = b.Requests.Add(t.Context(), who, book.RequestDraft{Name: "Calculus", Course: "MTH 161"})
		}
		if err != nil && !errors.Is(err, user.ErrUnauthenticated) {
			t.Errorf("%d: %v", i, err)
		}
	})
	b.RunAllJobs(t)
	for _, who := range people {
		b.CheckNothingLeft(t, who)
	}
	b.CheckLedger(t)
}
