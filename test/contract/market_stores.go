package contract

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// marketStores checks the promises of the stores that tests of use cases do not cover.
func marketStores(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a transaction that fails changes nothing":            failedTransaction,
		"a transaction with a cancelled context does nothing": cancelledTransaction,
		"a book is updated only in the expected status":       updateBookGuarded,
		"a book that is not for sale is not indexed":          unlistedNotIndexed,
		"every field of a book is stored, zero or not":        bookRoundTrip,
		"a book has at most one live order":                   oneLiveOrder,
		"an order is updated only in the expected status":     updateOrderGuarded,
		"a key is claimed once until its response expires":    claimOnce,
		"notifications are numbered by user without gaps":     numbered,
		"many users are notified at once":                     manyNotified,
		"transactions notify the same users at the same time": manyNotifiedConcurrently,
		"a scan by keys finds every request":                  scanKeys,
		"a match is new once, even after it was invalidated":  matchNewOnce,
		"of many matches stored at once each is new or old":   manyMatchesAtOnce,
		"a read stops when its context is cancelled":          readCancelled,
		"terms are counted in the newest books for sale":      countedTerms,
	})
}

// Stores are what one transaction may change, in all rooms.
type Stores struct {
	market.Stores
	Selling  selling.Store
	Buying   buying.Store
	Finding  finding.Store
	Guarding guarding.Store
	Talking  talking.Store
}

// atomically runs do in one transaction.
func (b *MarketFixture) atomically(t *testing.T, do func(context.Context, Stores) error) error {
	t.Helper()
	return b.Ports.Atomically(t.Context(), func(ctx context.Context, s market.Stores) error { return do(ctx, b.storesOf(s)) })
}

// storesOf adds the stores of the rooms.
func (b *MarketFixture) storesOf(s market.Stores) Stores {
	p := b.Ports
	return Stores{
		Stores: s, Selling: p.SellingStore(s), Buying: p.BuyingStore(s), Finding: p.FindingStore(s), Guarding: p.GuardingStore(s),
		Talking: p.TalkingStore(s),
	}
}

func (b *MarketFixture) aBook(seller user.Caller, d book.Draft, t *testing.T) book.Book {
	t.Helper()
	details := must.Get(d.Check(money.Currency{}, d.Date))(t)
	return book.Post(book.ID(b.IDs.Next()), seller.ID, "University of Rochester", details, b.Clock.Now())
}

var errBoom = errors.New("boom")

func failedTransaction(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	one := b.aBook(ann, Draft("Calculus", "MTH 161", 1000), t)
	err := b.atomically(t, func(ctx context.Context, s Stores) error {
		must.Do(t, s.Selling.AddBook(ctx, one))
		must.Do(t, must.Err(s.AddNotifications(ctx, []notification.Notification{notification.NewWelcome(ann.ID, b.Clock.Now())})))
		must.Do(t, s.Buying.AddToCart(ctx, ann.ID, one, 100, b.Clock.Now()))
		return errBoom
	})
	if !errors.Is(err, errBoom) {
		t.Errorf("the error of the transaction came back as %v, want %v", err, errBoom)
	}
	views := must.Get(b.Ports.FindBookViews(t.Context(), one.ID))(t)
	if len(views) != 0 || len(b.NotificationsOf(t, ann)) != 0 {
		t.Error("a failed transaction changed something")
	}
}

func cancelledTransaction(t *testing.T, b *MarketFixture) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := b.Ports.Atomically(ctx, func(context.Context, market.Stores) error { return nil })
	if err == nil {
		t.Error("a transaction ran with a cancelled context")
	}
}

func readCancelled(t *testing.T, b *MarketFixture) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.Ports.ListBooksForSale(ctx, finding.Criteria{}, finding.DefaultOrder, market.Position{}, 10)
	if err == nil {
		t.Error("a list was read with a cancelled context")
	}
}

func updateBookGuarded(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	one := b.aBook(ann, Draft("Calculus", "MTH 161", 1000), t)
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error { return s.Selling.AddBook(ctx, one) }))
	changed := one
	must.Do(t, changed.Unlist())
	err := b.atomically(t, func(ctx context.Context, s Stores) error { return s.UpdateBook(ctx, changed, book.Bought) })
	if !errors.Is(err, book.ErrNotAvailable) {
		t.Errorf("a book in another status was updated: %v, want %v", err, book.ErrNotAvailable)
	}
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error { return s.UpdateBook(ctx, changed, book.ForSale) }))
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error { // status 0 is a value, not a missing one
		return s.UpdateBook(ctx, one, book.Unlisted)
	}))
	views := must.Get(b.Ports.FindBookViews(t.Context(), one.ID))(t)
	if len(views) != 1 || views[0].Status != book.ForSale {
		t.Errorf("stored as for sale, read as %+v", views)
	}
}

func bookRoundTrip(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	d := Draft("Les misérables “II” — 50% off_\\", "C/C++", 1)
	d.ISBN, d.Comments, d.Condition, d.Date = "0-306-40615-2", "Two\nlines, a 'quote' and a \"quote\"", "like new", time.Unix(0, 0)
	one := b.aBook(ann, d, t)
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error { return s.Selling.AddBook(ctx, one) }))
	views := must.Get(b.Ports.FindBookViews(t.Context(), one.ID, 404))(t)
	if len(views) != 1 || views[0].Book != one || views[0].SellerName != "ann" {
		t.Errorf("stored %+v\nread   %+v", one, views)
	}
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
		locked, err := s.LockBooks(ctx, 404, one.ID, one.ID)
		if len(locked) != 1 || locked[0] != one {
			t.Errorf("locked %+v", locked)
		}
		return err
	}))
}

func (b *MarketFixture) sold(t *testing.T) (book.Book, order.Order) {
	t.Helper()
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	one := b.aBook(ann, Draft("Calculus", "MTH 161", 1000), t)
	was := one
	must.Do(t, one.Buy(bob.ID))
	o := order.Place(order.ID(b.IDs.Next()), one, Fee, b.Clock.Now())
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
		return errors.Join(s.Selling.AddBook(ctx, was), s.UpdateBook(ctx, one, book.ForSale), s.Buying.AddOrder(ctx, o))
	}))
	return one, o
}

func oneLiveOrder(t *testing.T, b *MarketFixture) {
	one, o := b.sold(t)
	second := order.Place(order.ID(b.IDs.Next()), one, Fee, b.Clock.Now())
	add := func(ctx context.Context, s Stores) error { return s.Buying.AddOrder(ctx, second) }
	must.Refuse(t, b.atomically(t, add), book.ErrNotAvailable, "a second live order was stored")
	was := o.Status
	entries := must.Get(o.Cancel(o.Buyer, "a mistake", b.Clock.Now()))(t)
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error { return s.Buying.UpdateOrder(ctx, o, was, entries) }))
	must.Do(t, b.atomically(t, add))
}

func updateOrderGuarded(t *testing.T, b *MarketFixture) {
	one, o := b.sold(t)
	entries := must.Get(o.Verify(o.Seller, b.Clock.Now()))(t)
	err := b.atomically(t, func(ctx context.Context, s Stores) error {
		return s.Buying.UpdateOrder(ctx, o, order.Verified, entries)
	})
	if !errors.Is(err, order.ErrTransition) {
		t.Errorf("an order in another status was updated: %v, want %v", err, order.ErrTransition)
	}
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error { return s.Buying.UpdateOrder(ctx, o, order.Placed, entries) }))
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
		locked, err := s.Buying.LockOrder(ctx, one.ID)
		if locked != o {
			t.Errorf("stored %+v\nread   %+v", o, locked)
		}
		must.Refuse(t, must.Err(s.Buying.LockOrder(ctx, 404)), order.ErrNotFound, "an order of no book")
		if found := must.Get(s.Buying.FindLiveOrder(ctx, one.ID))(t); found != locked {
			t.Errorf("without a lock: %+v, want %+v", found, locked)
		}
		must.Refuse(t, must.Err(s.Buying.FindLiveOrder(ctx, 404)), order.ErrNotFound, "an order of no book, without a lock")
		placed, err2 := s.FindOrders(ctx, []order.ID{o.ID})
		if len(placed) != 1 || placed[0] != o {
			t.Errorf("read %+v", placed)
		}
		return errors.Join(err, err2)
	}))
}

func claimOnce(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	claim := func(who user.Caller, at time.Time) (stored *market.StoredResponse) {
		must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) (err error) {
			stored, err = s.ClaimKey(ctx, who.ID, "key", at.Add(-market.IdempotencyKeyLife), at)
			if err != nil || stored != nil {
				return err
			}
			return s.SaveResponse(ctx, who.ID, "key", market.StoredResponse{BodyHash: [32]byte{7}, Refusal: "r", Created: []int64{1, 2}, Books: []book.ID{3}})
		}))
		return stored
	}
	now := b.Clock.Now()
	if claim(ann, now) != nil || claim(bob, now) != nil {
		t.Error("a new key has a response")
	}
	stored := claim(ann, now.Add(market.IdempotencyKeyLife))
	if stored == nil || stored.BodyHash != [32]byte{7} || stored.Refusal != "r" || len(stored.Created) != 2 || len(stored.Books) != 1 || !stored.At.Equal(now) {
		t.Errorf("stored %+v", stored)
	}
	if claim(ann, now.Add(market.IdempotencyKeyLife+time.Second)) != nil {
		t.Error("an expired response was returned")
	}
}

func numbered(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	about := func(who user.Caller, title string) notification.Notification {
		return notification.About(notification.BookPosted, who.ID, 5, title, b.Clock.Now())
	}
	add := func(all ...notification.Notification) {
		must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error { return must.Err(s.AddNotifications(ctx, all)) }))
	}
	add(about(bob, "a"), about(ann, "b"), about(bob, "c"))
	add(about(ann, "d"))
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error { return s.Talking.AddWelcome(ctx, ann.ID, b.Clock.Now()) }))
	for _, who := range []user.Caller{ann, bob} {
		all := must.Get(b.Ports.ListNotificationsAfter(t.Context(), who.ID, 0, 10))(t)
		if len(all) != 3 || all[0].Kind != notification.Welcome || all[0].ID != 1 {
			t.Fatalf("notifications %+v", all)
		}
		for i, n := range all[1:] {
			if int(n.ID) != i+2 || n.User != who.ID || n.Book != 5 || !n.CreatedAt.Equal(b.Clock.Now()) || !n.ReadAt.IsZero() {
				t.Errorf("number %d is %+v", i+1, n)
			}
		}
	}
}

func (b *MarketFixture) aRequest(t *testing.T, owner user.Caller, d book.RequestDraft, entries ...book.IndexEntry) book.Request {
	t.Helper()
	details := must.Get(d.Check(money.Currency{}))(t)
	r := book.Request{ID: book.RequestID(b.IDs.Next()), Owner: owner.ID, RequestDetails: details, CreatedAt: b.Clock.Now()}
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
		return errors.Join(s.Finding.AddRequest(ctx, r, book.MaxOpenRequests), s.Finding.IndexRequest(ctx, r.ID, entries))
	}))
	return r
}

func scanKeys(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	course, word := book.IndexEntry{Key: "c:csc172"}, book.IndexEntry{Key: "w:algorithms", Words: book.NewBloomFilter([]string{"algorithms"})}
	want := map[finding.IndexCursor]bool{}
	for i := range 7 {
		entries := []book.IndexEntry{course, word}[:1+i%2]
		r := b.aRequest(t, ann, book.RequestDraft{Name: "Algorithms", Course: "CSC 172"}, entries...)
		for _, e := range entries {
			want[finding.IndexCursor{Key: e.Key, Request: r.ID}] = true
		}
		narrower := word
		narrower.Words |= book.NewBloomFilter([]string{"biology"})
		b.aRequest(t, ann, book.RequestDraft{Name: "Biology of Algorithms", Course: "BIO 1"}, narrower, book.IndexEntry{Key: "w:biology"})
	}
	q := finding.MatchQuery{Keys: []string{"w:algorithms", "c:csc172", "i:9780306406157"}, Words: word.Words, MaxEntries: 5, Limit: 3}
	for ended := false; !ended; {
		var found []finding.IndexedRequest
		var end finding.IndexCursor
		before := q.After
		must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) (err error) {
			found, end, err = s.Finding.FindRequestsByKeys(ctx, q)
			return err
		}))
		q.After = end
		for _, f := range found {
			if !want[f.At] || f.Request.ID != f.At.Request || f.Request.Name != "Algorithms" {
				t.Errorf("found %+v", f)
			}
			delete(want, f.At)
		}
		if ended = q.After == (finding.IndexCursor{}); q.After == before && !ended || len(found) > q.Limit {
			t.Fatalf("found %d after %+v, and stopped at %+v", len(found), before, q.After)
		}
	}
	if len(want) != 0 {
		t.Errorf("never found: %v", want)
	}
}

func countedTerms(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	b.Post(t, ann, Draft("Topology", "MTH 265", 1000))
	for range 3 {
		b.Post(t, ann, Draft("Linear Algebra", "MTH 165", 1000))
	}
	b.Post(t, ann, Draft("Abstract Algebra", "MTH 236", 1000))
	must.Get(b.Listings.Unlist(t.Context(), ann, b.Post(t, ann, Draft("Linear Algebra", "MTH 165", 1000)).ID))(t)
	for n, want := range map[int][]int{2: {0, 1, 2, 0}, 4: {0, 3, 4, 0}, 100: {1, 3, 4, 0}} {
		must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
			counts, err := s.Finding.CountBooksWith(ctx, []string{"topology", "linear", "algebra", "chemistry"}, n)
			if !slices.Equal(counts, want) {
				t.Errorf("of the newest %d books %v have the words, want %v", n, counts, want)
			}
			return err
		}))
	}
}

func unlistedNotIndexed(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	one := b.aBook(ann, Draft("Calculus", "MTH 161", 1000), t)
	must.Do(t, one.Unlist())
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error { return s.Selling.AddBook(ctx, one) }))
	found := must.Get(b.Ports.FindBooksByWords(t.Context(), [][]string{{"calculus"}}, finding.Criteria{}, 10))(t)
	exact := must.Get(b.Ports.FindBooksByCourseOrTitle(t.Context(), "mth161", "calculus", finding.Criteria{}, 10))(t)
	if len(found)+len(exact) != 0 {
		t.Errorf("found %v and %v", found, exact)
	}
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
		counts, err := s.Finding.CountBooksWith(ctx, []string{"calculus"}, 10)
		if !slices.Equal(counts, []int{0}) {
			t.Errorf("counted %v books, want 0", counts)
		}
		return err
	}))
}
