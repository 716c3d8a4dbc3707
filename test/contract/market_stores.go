package contract

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// marketStores checks the promises that the activities rely on but cannot show.
func marketStores(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a step that fails leaves nothing":                           stepFails,
		"a step whose caller has left does nothing":                  stepCancelled,
		"a book is saved only in the status it was held in":          saveGuarded,
		"a book that is not for sale is not searched":                addUnlisted,
		"a book keeps every detail, zero or not":                     bookRoundTrip,
		"a book has one live order at most":                          oneLiveOrder,
		"an order is saved only in the status it was held in":        saleGuarded,
		"a key is claimed once until its reply is too old":           claimOnce,
		"chores are taken in their order and once":                   choresOnce,
		"notifications are numbered by person without gaps":          numbered,
		"requests are walked along their keys without a miss":        walkKeys,
		"a pair is new once, also after it was dropped":              pairOnce,
		"what is read stops when the caller leaves":                  readCancelled,
		"the frequency of a term looks at the newest books for sale": frequency,
	})
}

// step runs do in one step of the store.
func (b *MarketFixture) atomically(t *testing.T, do func(context.Context, market.Stores) error) error {
	t.Helper()
	return b.Ports.Atomically(t.Context(), do)
}

func (b *MarketFixture) aBook(seller user.Caller, d book.Draft, t *testing.T) book.Book {
	t.Helper()
	details, err := d.Check()
	succeed(t, err)
	return book.Post(book.ID(b.IDs.Next()), seller.ID, "University of Rochester", details, b.Clock.Now())
}

var errBoom = errors.New("boom")

func stepFails(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	one := b.aBook(ann, Draft("Calculus", "MTH 161", 1000), t)
	err := b.atomically(t, func(ctx context.Context, s market.Stores) error {
		succeed(t, s.Books.AddBook(ctx, one))
		succeed(t, s.Notifications.AddNotifications(ctx, []notification.Notification{notification.NewWelcome(ann.ID, b.Clock.Now())}))
		succeed(t, s.Carts.AddToCart(ctx, ann.ID, one.ID, 100, b.Clock.Now()))
		return errBoom
	})
	if !errors.Is(err, errBoom) {
		t.Errorf("the step's error came back as %v", err)
	}
	views, err := b.Ports.FindBookViews(t.Context(), one.ID)
	succeed(t, err)
	if len(views) != 0 || len(b.NotificationsOf(t, ann)) != 0 {
		t.Error("a step that failed left something")
	}
}

func stepCancelled(t *testing.T, b *MarketFixture) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := b.Ports.Atomically(ctx, func(context.Context, market.Stores) error { return nil })
	if err == nil {
		t.Error("a step went on though its caller had left")
	}
}

func readCancelled(t *testing.T, b *MarketFixture) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.Ports.ListBooksForSale(ctx, market.Criteria{}, market.DefaultOrder, market.Position{}, 10)
	if err == nil {
		t.Error("a list was read though its caller had left")
	}
}

func saveGuarded(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	one := b.aBook(ann, Draft("Calculus", "MTH 161", 1000), t)
	succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error { return s.Books.AddBook(ctx, one) }))
	changed := one
	succeed(t, changed.Unlist())
	err := b.atomically(t, func(ctx context.Context, s market.Stores) error { return s.Books.UpdateBook(ctx, changed, book.Bought) })
	if !errors.Is(err, book.ErrNotAvailable) {
		t.Errorf("a book in another status was saved: %v", err)
	}
	succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error {
		return s.Books.UpdateBook(ctx, changed, book.ForSale)
	}))
	succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error { // and back to status 0, which is a value
		return s.Books.UpdateBook(ctx, one, book.Unlisted)
	}))
	views, err := b.Ports.FindBookViews(t.Context(), one.ID)
	succeed(t, err)
	if len(views) != 1 || views[0].Status != book.ForSale {
		t.Errorf("saved as for sale, read as %+v", views)
	}
}

func bookRoundTrip(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	d := Draft("Les misérables “II” — 50% off_\\", "C/C++", 1)
	d.ISBN, d.Comments, d.Condition, d.Date = "0-306-40615-2", "Two\nlines, a 'quote' and a \"quote\"", "like new", time.Unix(0, 0)
	one := b.aBook(ann, d, t)
	succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error { return s.Books.AddBook(ctx, one) }))
	views, err := b.Ports.FindBookViews(t.Context(), one.ID, 404)
	succeed(t, err)
	if len(views) != 1 || views[0].Book != one || views[0].SellerName != "ann" {
		t.Errorf("stored %+v\nread   %+v", one, views)
	}
	succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error {
		held, err := s.Books.LockBooks(ctx, 404, one.ID, one.ID)
		if len(held) != 1 || held[0] != one {
			t.Errorf("held %+v", held)
		}
		return err
	}))
}

func (b *MarketFixture) sold(t *testing.T) (book.Book, order.Order) {
	t.Helper()
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	one := b.aBook(ann, Draft("Calculus", "MTH 161", 1000), t)
	was := one
	succeed(t, one.Buy(bob.ID))
	o := order.Place(order.ID(b.IDs.Next()), one, Fee, b.Clock.Now())
	succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error {
		return errors.Join(s.Books.AddBook(ctx, was), s.Books.UpdateBook(ctx, one, book.ForSale), s.Orders.AddOrder(ctx, o))
	}))
	return one, o
}

func oneLiveOrder(t *testing.T, b *MarketFixture) {
	one, o := b.sold(t)
	second := order.Place(order.ID(b.IDs.Next()), one, Fee, b.Clock.Now())
	add := func(ctx context.Context, s market.Stores) error { return s.Orders.AddOrder(ctx, second) }
	if err := b.atomically(t, add); !errors.Is(err, book.ErrNotAvailable) {
		t.Errorf("a second live order was stored: %v", err)
	}
	was := o.Status
	entries, err := o.Cancel("a mistake", b.Clock.Now())
	succeed(t, err)
	succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error { return s.Orders.UpdateOrder(ctx, o, was, entries) }))
	succeed(t, b.atomically(t, add))
}

func saleGuarded(t *testing.T, b *MarketFixture) {
	one, o := b.sold(t)
	entries, err := o.Verify(b.Clock.Now())
	succeed(t, err)
	err = b.atomically(t, func(ctx context.Context, s market.Stores) error {
		return s.Orders.UpdateOrder(ctx, o, order.Verified, entries)
	})
	if !errors.Is(err, order.ErrTransition) {
		t.Errorf("an order in another status was saved: %v", err)
	}
	succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error {
		return s.Orders.UpdateOrder(ctx, o, order.Placed, entries)
	}))
	succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error {
		held, err := s.Orders.LockOrder(ctx, one.ID)
		if held != o {
			t.Errorf("stored %+v\nread   %+v", o, held)
		}
		if _, err := s.Orders.LockOrder(ctx, 404); !errors.Is(err, order.ErrNotFound) {
			t.Errorf("an order of no book: %v", err)
		}
		placed, err2 := s.Orders.FindOrders(ctx, []order.ID{o.ID})
		if len(placed) != 1 || placed[0] != o {
			t.Errorf("read %+v", placed)
		}
		return errors.Join(err, err2)
	}))
}

func claimOnce(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	claim := func(who user.Caller, at time.Time) (kept *market.StoredResponse) {
		succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) (err error) {
			kept, err = s.IdempotencyKeys.ClaimKey(ctx, who.ID, "key", at.Add(-market.IdempotencyKeyLife), at)
			if err != nil || kept != nil {
				return err
			}
			return s.IdempotencyKeys.SaveResponse(ctx, who.ID, "key", market.StoredResponse{BodyHash: [32]byte{7}, Refusal: "r", Created: []int64{1, 2}, Books: []book.ID{3}})
		}))
		return kept
	}
	now := b.Clock.Now()
	if claim(ann, now) != nil || claim(bob, now) != nil {
		t.Error("a key was kept before it was used")
	}
	kept := claim(ann, now.Add(market.IdempotencyKeyLife))
	if kept == nil || kept.BodyHash != [32]byte{7} || kept.Refusal != "r" || len(kept.Created) != 2 || len(kept.Books) != 1 || !kept.At.Equal(now) {
		t.Errorf("kept %+v", kept)
	}
	if claim(ann, now.Add(market.IdempotencyKeyLife+time.Second)) != nil {
		t.Error("a reply was kept for too long")
	}
}

func choresOnce(t *testing.T, b *MarketFixture) {
	first := market.Job{ID: b.IDs.Next(), Kind: market.MatchBook, Subject: 7, Key: "w:it", After: 9}
	second := market.Job{ID: b.IDs.Next(), Kind: market.NotifyBookGone, Subject: 8}
	succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error {
		return errors.Join(s.Jobs.AddJob(ctx, second), s.Jobs.AddJob(ctx, first))
	}))
	for _, want := range []market.Job{first, second, {}} {
		succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error {
			got, found, err := s.Jobs.TakeJob(ctx)
			if got != want || found != (want.ID != 0) {
				t.Errorf("took %+v, want %+v", got, want)
			}
			return err
		}))
	}
}

func numbered(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	about := func(who user.Caller, title string) notification.Notification {
		return notification.About(notification.BookPosted, who.ID, 5, title, b.Clock.Now())
	}
	tell := func(all ...notification.Notification) {
		succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error { return s.Notifications.AddNotifications(ctx, all) }))
	}
	tell(about(bob, "a"), about(ann, "b"), about(bob, "c"))
	tell(about(ann, "d"))
	succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error {
		return s.Notifications.AddWelcome(ctx, ann.ID, b.Clock.Now())
	}))
	for _, who := range []user.Caller{ann, bob} {
		all, err := b.Ports.ListNotificationsAfter(t.Context(), who.ID, 0, 10)
		succeed(t, err)
		if len(all) != 3 || all[0].Kind != notification.Welcome || all[0].ID != 1 {
			t.Fatalf("told %+v", all)
		}
		for i, n := range all[1:] {
			if int(n.ID) != i+2 || n.User != who.ID || n.Book != 5 || !n.CreatedAt.Equal(b.Clock.Now()) || !n.ReadAt.IsZero() {
				t.Errorf("number %d is %+v", i+1, n)
			}
		}
	}
}

func (b *MarketFixture) aRequest(t *testing.T, owner user.Caller, w book.RequestDraft, under ...book.IndexEntry) book.Request {
	t.Helper()
	wish, err := w.Check()
	succeed(t, err)
	r := book.Request{ID: book.RequestID(b.IDs.Next()), Owner: owner.ID, RequestDetails: wish, CreatedAt: b.Clock.Now()}
	succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error {
		return errors.Join(s.Requests.AddRequest(ctx, r, book.MaxOpenRequests), s.Requests.IndexRequest(ctx, r.ID, under))
	}))
	return r
}

func walkKeys(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	course, word := book.IndexEntry{Key: "c:csc172"}, book.IndexEntry{Key: "w:algorithms", Words: book.NewBloomFilter([]string{"algorithms"})}
	want := map[market.IndexCursor]bool{}
	for i := range 7 {
		under := []book.IndexEntry{course, word}[:1+i%2]
		r := b.aRequest(t, ann, book.RequestDraft{Name: "Algorithms", Course: "CSC 172"}, under...)
		for _, f := range under {
			want[market.IndexCursor{Key: f.Key, Request: r.ID}] = true
		}
		unfit := word
		unfit.Words |= book.NewBloomFilter([]string{"biology"})
		b.aRequest(t, ann, book.RequestDraft{Name: "Biology of Algorithms", Course: "BIO 1"}, unfit, book.IndexEntry{Key: "w:biology"})
	}
	look := market.MatchQuery{Keys: []string{"w:algorithms", "c:csc172", "i:9780306406157"}, Words: word.Words, MaxEntries: 5, Limit: 3}
	for ended := false; !ended; {
		var found []market.IndexedRequest
		before := look.After
		succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) (err error) {
			found, look.After, err = s.Matches.FindRequestsByKeys(ctx, look)
			return err
		}))
		for _, f := range found {
			if !want[f.At] || f.Request.ID != f.At.Request || f.Request.Name != "Algorithms" {
				t.Errorf("found %+v", f)
			}
			delete(want, f.At)
		}
		if ended = look.After == (market.IndexCursor{}); look.After == before && !ended || len(found) > look.Limit {
			t.Fatalf("found %d after %+v, and stopped at %+v", len(found), before, look.After)
		}
	}
	if len(want) != 0 {
		t.Errorf("never found: %v", want)
	}
}

func pairOnce(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	one := b.aBook(ann, Draft("Calculus", "MTH 161", 1000), t)
	r := b.aRequest(t, bob, book.RequestDraft{Name: "Calculus", Course: "MTH 161"})
	succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error { return s.Books.AddBook(ctx, one) }))
	put := func(reason book.Reason) (fresh bool) {
		succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) (err error) {
			fresh, err = s.Matches.AddMatch(ctx, book.Match{ID: b.IDs.Next(), Book: one.ID, Request: r.ID, Owner: bob.ID, Reason: reason, CreatedAt: b.Clock.Now()})
			return err
		}))
		return fresh
	}
	if !put(book.ByTitle) || put(book.ByTitle) {
		t.Error("a pair must be new the first time only")
	}
	succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error { return s.Matches.InvalidateMatches(ctx, one.ID) }))
	matches, err := b.Ports.ListMatchesOf(t.Context(), bob.ID, 0, 10)
	succeed(t, err)
	if len(matches) != 0 {
		t.Error("a dropped pair is still shown")
	}
	if put(book.ByCourse) {
		t.Error("a pair that was dropped is new again")
	}
	matches, err = b.Ports.ListMatchesOf(t.Context(), bob.ID, 0, 10)
	succeed(t, err)
	if len(matches) != 1 || matches[0].Reason != book.ByCourse || matches[0].Request != r || matches[0].Book.Book != one {
		t.Errorf("read %+v", matches)
	}
}

func frequency(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	var ids []book.ID
	for range 5 {
		ids = append(ids, b.Post(t, ann, Draft("Linear Algebra", "MTH 165", 1000)).ID)
	}
	_, err := b.Listings.Unlist(t.Context(), ann, ids[4])
	succeed(t, err)
	for _, c := range []struct {
		term   string
		count  int
		oldest book.ID
	}{{"algebra", 3, ids[1]}, {"topology", 0, 0}} {
		succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error {
			count, oldest, err := s.Requests.SampleTerm(ctx, c.term, 3)
			if count != c.count || oldest != c.oldest {
				t.Errorf("%s: %d, oldest %d; want %d, %d", c.term, count, oldest, c.count, c.oldest)
			}
			return err
		}))
	}
}

func addUnlisted(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	one := b.aBook(ann, Draft("Calculus", "MTH 161", 1000), t)
	succeed(t, one.Unlist())
	succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error { return s.Books.AddBook(ctx, one) }))
	found, err := b.Ports.FindBooksByWords(t.Context(), [][]string{{"calculus"}}, market.Criteria{}, 10)
	succeed(t, err)
	exact, err := b.Ports.FindBooksByCourseOrTitle(t.Context(), "mth161", "calculus", market.Criteria{}, 10)
	succeed(t, err)
	if len(found)+len(exact) != 0 {
		t.Errorf("found %v and %v", found, exact)
	}
	succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error {
		count, _, err := s.Requests.SampleTerm(ctx, "calculus", 10)
		if count != 0 {
			t.Errorf("counted %d times", count)
		}
		return err
	}))
}
