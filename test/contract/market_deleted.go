package contract

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/pushing"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// marketDeleted checks requests that were authenticated before the caller was deleted and
// run afterwards, and what others do that concerns a deleted user.
func marketDeleted(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a deleted user cannot change anything":              deletedActs,
		"a deleted admin cannot change an order":             deletedAdmin,
		"a deleted user is neither notified nor mailed":      deletedNotNotified,
		"two users deleted at once do not notify each other": deletedTogether,
		"the other side of an order is told who has left":    leaversTold,
		"a job does not notify a deleted user":               deletedUserJobs,
		"a job does not match the book of a deleted seller":  deletedSellerJobs,
		"a deleted request cannot be locked":                 lockDeletedRequest,
	})
}

// deletedActs calls everything that a student can call.
func deletedActs(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	mine, theirs := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)), b.Post(t, bob, Draft("Physics", "PHY 121", 1000))
	r, _ := b.Request(t, ann, book.RequestDraft{Name: "Biology", Course: "BIO 110"})
	b.DeleteUser(t, ann)
	mails := len(b.Mails(t))
	for name, act := range map[string]func(context.Context) error{
		"post": func(ctx context.Context) error {
			return must.Err(b.Listings.Post(ctx, ann, Draft("Algebra", "MTH 165", 1000)))
		},
		"post once": func(ctx context.Context) error {
			return must.Err(b.Listings.PostWithKey(ctx, ann, market.IdempotencyKey{Value: "key"}, Draft("Algebra", "MTH 165", 1000)))
		},
		"update": func(ctx context.Context) error { return must.Err(b.Listings.Update(ctx, ann, mine.ID, book.Patch{})) },
		"unlist": func(ctx context.Context) error { _, err := b.Listings.Unlist(ctx, ann, mine.ID); return err },
		"relist": func(ctx context.Context) error { _, err := b.Listings.Relist(ctx, ann, mine.ID); return err },
		"request": func(ctx context.Context) error {
			return must.Err(b.Requests.Add(ctx, ann, book.RequestDraft{Name: "Physics", Course: "PHY 121"}))
		},
		"delete a request": func(ctx context.Context) error { return b.Requests.Delete(ctx, ann, r.ID) },
		"add to the cart":  func(ctx context.Context) error { return b.Carts.Add(ctx, ann, theirs.ID) },
		"clear the cart":   func(ctx context.Context) error { return b.Carts.Clear(ctx, ann) },
		"buy": func(ctx context.Context) error {
			return must.Err(b.Checkout.Do(ctx, ann, buying.Basket{Books: []book.ID{theirs.ID}}))
		},
		"buy once": func(ctx context.Context) error {
			return must.Err(b.Checkout.Do(ctx, ann, buying.Basket{Books: []book.ID{theirs.ID}, Key: market.IdempotencyKey{Value: "other"}}))
		},
		"get the welcome": func(ctx context.Context) error { _, err := b.Notifications.LatestID(ctx, ann); return err },
	} {
		must.Refuse(t, act(t.Context()), user.ErrUnauthenticated, name)
	}
	b.CheckNothingLeft(t, ann)
	if found := b.search(t, "physics"); len(found) != 1 || len(b.Mails(t)) != mails {
		t.Errorf("%v is for sale, and %d mails were sent", found, len(b.Mails(t))-mails)
	}
}

// CheckNothingLeft fails the test if a deleted user has anything in the market except
// orders.
func (b *MarketFixture) CheckNothingLeft(t testing.TB, who user.Caller) {
	t.Helper()
	all := slices.Concat(walk(t, market.MaxLimit, func(p market.Page) ([]market.BookView, market.Cursor, error) {
		return b.Catalogue.List(t.Context(), user.Caller{}, finding.Filter{}, p)
	})...)
	if slices.ContainsFunc(all, func(v market.BookView) bool { return v.Seller == who.ID }) {
		t.Error("a book is for sale")
	}
	requests := must.Get(b.Ports.ListRequestsOf(t.Context(), who.ID, 0, 10))(t)
	items := must.Get(b.Ports.ListCartItems(t.Context(), who.ID))(t)
	notified := must.Get(b.Ports.ListNotificationsAfter(t.Context(), who.ID, 0, 10))(t)
	if len(requests)+len(items)+len(notified) != 0 {
		t.Errorf("requests %+v, cart %+v, notifications %+v", requests, items, notified)
	}
}

func deletedAdmin(t *testing.T, b *MarketFixture) {
	_, _, dean, v := b.aSale(t)
	owner := b.Join(t, "owner", user.Owner)
	b.DeleteUser(t, dean)
	b.DeleteUser(t, owner)
	refused(t, must.Err(b.Orders.Confirm(t.Context(), dean, v.ID)), user.ErrUnauthenticated)
	refused(t, must.Err(b.Orders.SetPaid(t.Context(), dean, v.ID)), user.ErrUnauthenticated)
	refused(t, must.Err(b.Orders.Cancel(t.Context(), dean, v.ID, "because")), user.ErrUnauthenticated)
	refused(t, must.Err(b.ExpireListings.Do(t.Context(), owner, 0, false)), user.ErrUnauthenticated)
	if len(b.Audits(t)) != 0 {
		t.Errorf("audited %+v", b.Audits(t))
	}
}

func deletedNotNotified(t *testing.T, b *MarketFixture) {
	ann, bob, dean, v := b.aSale(t)
	b.DeleteUser(t, ann)
	b.DeleteUser(t, bob)
	mails := len(b.Mails(t))
	must.Get(b.Orders.Confirm(t.Context(), dean, v.ID))(t)
	must.Get(b.Orders.Cancel(t.Context(), dean, v.ID, "the accounts are deleted"))(t)
	b.CheckNothingLeft(t, ann)
	b.CheckNothingLeft(t, bob)
	if n := len(b.Mails(t)); n != mails {
		t.Errorf("%d mails were sent", n-mails)
	}
	b.CheckLedger(t)
}

func leaversTold(t *testing.T, b *MarketFixture) {
	ann, bob, eve := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular)
	b.Buy(t, bob, b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)).ID)
	b.Buy(t, ann, b.Post(t, eve, Draft("Physics", "PHY 121", 1000)).ID)
	told := func(who user.Caller, name string, n int, by string) {
		t.Helper()
		mails := b.mailsOf(t, name, message.TraderLeft)
		if count(b.NotificationsOf(t, who), notification.TraderLeft) != n || len(mails) != n {
			t.Fatalf("%s is told %v, want %d times", name, b.NotificationsOf(t, who), n)
		}
		if n > 0 && (mails[n-1].Params[message.ParamBy] != by || mails[n-1].Params[message.ParamOrder] == "") {
			t.Errorf("%s is told %v", name, mails[n-1].Params)
		}
	}
	b.leave(t, ann)
	told(bob, "bob", 1, message.BySeller)
	told(eve, "eve", 1, message.ByBuyer)
	b.DeleteUser(t, ann)
	told(bob, "bob", 2, message.BySeller)
	told(eve, "eve", 2, message.ByBuyer)
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
		return b.Deps.OnUsersDeleted(ctx, s.Stores, []user.ID{bob.ID, eve.ID}, b.Clock.Now())
	}))
	b.CheckNothingLeft(t, bob)
	if len(b.mailsOf(t, "bob", message.TraderLeft)) != 2 || len(b.mailsOf(t, "eve", message.TraderLeft)) != 2 {
		t.Error("those who have left are mailed")
	}
}

func deletedTogether(t *testing.T, b *MarketFixture) {
	ann, bob, eve := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular)
	first, second := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)), b.Post(t, bob, Draft("Physics", "PHY 121", 1000))
	must.Do(t, b.Carts.Add(t.Context(), bob, first.ID))
	must.Do(t, b.Carts.Add(t.Context(), ann, second.ID))
	must.Do(t, b.Carts.Add(t.Context(), eve, second.ID))
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
		return b.Deps.OnUsersDeleted(ctx, s.Stores, []user.ID{ann.ID, bob.ID}, b.Clock.Now())
	}))
	b.CheckNothingLeft(t, ann)
	b.CheckNothingLeft(t, bob)
	if notified := b.NotificationsOf(t, eve); !slices.Equal(notified, []notification.Kind{notification.BookGone}) {
		t.Errorf("the waiting user was notified of %v", notified)
	}
}

func deletedUserJobs(t *testing.T, b *MarketFixture) {
	ann, bob, eve := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular)
	for i := range 300 {
		owner := bob
		if i%2 == 0 {
			owner = eve
		}
		b.aRequest(t, owner, book.RequestDraft{Name: "Algorithms", Course: "CSC 172"}, book.IndexEntry{Key: "c:csc172"})
	}
	b.Post(t, ann, algorithms())
	b.DeleteUser(t, bob)
	mails := len(b.Mails(t))
	b.RunAllJobs(t)
	b.CheckNothingLeft(t, bob)
	if n := count(b.NotificationsOf(t, eve), notification.MatchFound); n != 150 || len(b.Mails(t)) > mails+100 {
		t.Errorf("the other user was notified %d times, and %d mails were sent", n, len(b.Mails(t))-mails)
	}
}

func deletedSellerJobs(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	for range 300 {
		b.aRequest(t, bob, book.RequestDraft{Name: "Algorithms", Course: "CSC 172"}, book.IndexEntry{Key: "c:csc172"})
	}
	b.Post(t, ann, algorithms())
	before := count(b.NotificationsOf(t, bob), notification.MatchFound)
	b.DeleteUser(t, ann)
	b.RunAllJobs(t)
	if n := count(b.NotificationsOf(t, bob), notification.MatchFound); n != before {
		t.Errorf("%d matches more", n-before)
	}
}

func lockDeletedRequest(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	one, two := b.aRequest(t, ann, book.RequestDraft{Name: "Calculus", Course: "MTH 161"}), b.aRequest(t, ann, book.RequestDraft{Name: "Physics", Course: "PHY 121"})
	must.Do(t, b.Requests.Delete(t.Context(), ann, one.ID))
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
		existing, err := s.Finding.LockRequests(ctx, one.ID, two.ID, 404)
		if !slices.Equal(existing, []book.RequestID{two.ID}) {
			t.Errorf("there are %v", existing)
		}
		return err
	}))
}

// marketExport checks the export of a user's own data.
func marketExport(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"an export contains the user's books, requests, orders, cart and notifications": exportOwn,
		"an export keeps the newest entries of long lists":                              exportLong,
	})
}

// exportedData is what people read in their exports.
type exportedData struct {
	Books                  []selling.ExportedBook
	LastFile               *selling.ExportedFile
	Requests               []finding.ExportedRequest
	SavedSearches          []finding.ExportedSearch
	Courses                []finding.ExportedCourse
	Purchases, Sales       []buying.ExportedOrder
	Cart                   []buying.ExportedCartItem
	Ratings                []buying.ExportedRating
	Meetings               []buying.ExportedMeeting
	Offers, OffersReceived []buying.ExportedOffer
	Notifications          []talking.ExportedNotification
	Conversations          []talking.ExportedConversation
	Messages               []talking.ExportedMessage
	Blocked                []talking.ExportedBlock
	Reports                []guarding.ExportedReport
	PushSubscriptions      []pushing.ExportedSubscription
	QuietHours             pushing.ExportedQuiet
	Truncated              []string
	Currency               string
}

func (b *MarketFixture) export(t *testing.T, of user.Caller, limit int) (all exportedData) {
	t.Helper()
	data := must.Get(rooms.NewExport(b.Ports, money.Currency{}).ExportData(t.Context(), of.ID, limit))(t)
	read := json.NewDecoder(bytes.NewReader(must.Get(json.Marshal(data))(t)))
	read.DisallowUnknownFields()
	must.Do(t, read.Decode(&all))
	return all
}

func exportOwn(t *testing.T, b *MarketFixture) {
	ann, bob, _, sold := b.aSale(t)
	v := b.Post(t, ann, Draft("Organic Chemistry", "CHM 203", 1000))
	must.Do(t, b.Carts.Add(t.Context(), bob, v.ID))
	b.Request(t, bob, book.RequestDraft{Name: "Biology", Course: "BIO 110"})
	b.report(t, bob, about(v))
	seller, buyer := b.export(t, ann, 1000), b.export(t, bob, 1000)
	if len(seller.Books) != 2 || len(seller.Sales) != 1 || len(seller.Purchases)+len(seller.Requests)+len(seller.Cart) != 0 || len(seller.Notifications) == 0 {
		t.Errorf("the seller's is %+v", seller)
	}
	if len(buyer.Purchases) != 1 || buyer.Purchases[0].BookID != sold.ID.String() || len(buyer.Requests) != 1 || len(buyer.Cart) != 1 || len(buyer.Books) != 0 {
		t.Errorf("the buyer's is %+v", buyer)
	}
	if len(seller.Reports) != 0 || len(buyer.Reports) != 1 || buyer.Reports[0].Kind != "book" || buyer.Reports[0].TargetID != v.ID.String() || !buyer.Reports[0].Open {
		t.Errorf("the reports are %+v and %+v", seller.Reports, buyer.Reports)
	}
	for _, o := range []buying.ExportedOrder{seller.Sales[0], buyer.Purchases[0]} {
		if o.Settlement != "operator" || (o.Handover == "") != (o.HandedOverAt == nil) || (o.Handover == "") != (o.VerifiedAt == nil) {
			t.Errorf("the order is %+v", o)
		}
	}
	text := must.Get(json.Marshal(buyer))(t)
	for _, of := range []string{"pay-ann", "CPU ann", "ann@rochester.edu"} {
		if strings.Contains(string(text), of) {
			t.Errorf("the buyer's export has the seller's %q", of)
		}
	}
}

func exportLong(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	var newest market.BookView
	for range 3 {
		newest = b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	}
	out := b.export(t, ann, 2)
	if len(out.Books) != 2 || out.Books[0].ID != newest.ID.String() || len(out.Truncated) == 0 || out.Truncated[0] != "books" {
		t.Errorf("export is %+v", out)
	}
}

// Erase deletes an account from the auth database.
func Erase(ctx context.Context, from authrooms.Storage, now time.Time, who user.ID) error {
	return from.Atomically(ctx, func(ctx context.Context, in auth.Stores) error {
		return from.AccountStore(in).EraseUsers(ctx, []user.ID{who}, now)
	})
}
