package contract

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketListings(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a posted book is listed with its details":                    postedBook,
		"only students post":                                          onlyStudents,
		"an invalid draft is refused field by field":                  badDraft,
		"the seller can revise a book that is not sold":               revise,
		"only the seller can change a book":                           notTheirs,
		"an unlisted book is hidden until it is relisted":             unlistAndRelist,
		"users who wait for a book are notified when it is gone":      bookGone,
		"only seller, buyer and admins see a sold book":               soldVisibility,
		"the owner expires old listings and the sellers are notified": expire,
		"a dry run unlists nothing":                                   dryRun,
		"books listed long ago are counted up to a bound":             expiryCounts,
		"only the owner expires listings, and only with a valid age":  expireRefused,
		"admins list the books by status":                             byStatus,
		"a relisted book moves to the seller's present university":    relistMoves,
		"the seller cannot change a sold book":                        soldNotChanged,
		"many listings expire in several transactions":                expireMany,
		"a deleted user's books, requests and cart are removed":       userDeleted,
	})
}

func postedBook(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	d := Draft("Introduction to Algorithms", "CSC 172", 4550)
	d.ISBN, d.Comments, d.Authors = "978-0-262-03384-8", "Some notes", "Cormen; Leiserson"
	v := b.Post(t, ann, d)
	want := market.BookView{SellerName: "ann", Book: book.Book{
		ID: v.ID, Seller: ann.ID, University: "University of Rochester", Status: book.ForSale,
		CreatedAt: v.CreatedAt, ListedAt: v.CreatedAt,
		Details: book.Details{
			Name: "Introduction to Algorithms", Course: "CSC 172", Edition: 3, Price: 4550, Condition: book.Good,
			Date: d.Date, Comments: "Some notes", ISBN: "9780262033848", Authors: "Cormen; Leiserson",
		},
	}}
	if !reflect.DeepEqual(v, want) {
		t.Errorf("posted %+v\nwant   %+v", v, want)
	}
	got := must.Get(b.Catalogue.Get(t.Context(), user.Caller{}, v.ID))(t)
	listed, next := must.Get2(b.Catalogue.List(t.Context(), user.Caller{}, finding.Filter{}, market.Page{}))(t)
	if !reflect.DeepEqual(got, want) || len(listed) != 1 || !reflect.DeepEqual(listed[0], want) || next != "" {
		t.Errorf("got    %+v\nlisted %+v", got, listed)
	}
	if notified := b.NotificationsOf(t, ann); !slices.Equal(notified, []notification.Kind{notification.BookPosted}) {
		t.Errorf("the seller was notified of %v", notified)
	}
}

func onlyStudents(t *testing.T, b *MarketFixture) {
	refused(t, must.Err(b.Listings.Post(t.Context(), user.Caller{}, Draft("Calculus", "MTH 161", 1000))), user.ErrUnauthenticated)
	ann := b.Join(t, "ann", user.Regular)
	ann.Student = false
	refused(t, must.Err(b.Listings.Post(t.Context(), ann, Draft("Calculus", "MTH 161", 1000))), user.ErrProfileNeeded)
}

// refused fails the test unless err is want.
func refused(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}

func badDraft(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	_, err := b.Listings.Post(t.Context(), ann, book.Draft{ISBN: "123", Comments: "\a"})
	refused(t, err, book.ErrInvalid)
	for _, field := range []string{"name", "course", "edition", "price", "condition", "date", "ISBN", "Comments"} {
		if fault.As(err).Fields[field] == "" {
			t.Errorf("no explanation for %s", field)
		}
	}
}

func revise(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	d := Draft("Calculus", "MTH 161", 1000)
	d.ISBN = "9780262033848"
	v := b.Post(t, ann, d)
	name, none := "Multivariable Calculus", ""
	got := must.Get(b.Listings.Update(t.Context(), ann, v.ID, book.Patch{Name: &name, ISBN: &none}))(t)
	if got.Name != name || got.ISBN != "" || got.Course != "MTH 161" || got.Price != 1000 {
		t.Errorf("revised to %+v", got)
	}
	for text, n := range map[string]int{"multivariable": 1, "9780262033848": 0} {
		if found := b.search(t, text); len(found) != n {
			t.Errorf("%q finds %d, want %d", text, len(found), n)
		}
	}
	blank := " "
	refused(t, must.Err(b.Listings.Update(t.Context(), ann, v.ID, book.Patch{Name: &blank})), book.ErrInvalid)
}

// search returns the names of the books that an anonymous search finds.
func (b *MarketFixture) search(t testing.TB, text string) []string {
	t.Helper()
	views, _ := must.Get2(b.Catalogue.Search(t.Context(), user.Caller{}, text, finding.Filter{}, market.Page{}))(t)
	names := make([]string, len(views))
	for i, v := range views {
		names[i] = v.Name
	}
	return names
}

func notTheirs(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	refused(t, must.Err(b.Listings.Unlist(t.Context(), bob, v.ID)), book.ErrNotYours)
	refused(t, must.Err(b.Listings.Unlist(t.Context(), ann, 404)), book.ErrNotFound)
	must.Get(b.Listings.Unlist(t.Context(), ann, v.ID))(t)
	_, err := b.Listings.Relist(t.Context(), bob, v.ID) // bob may not see it, so the error must not reveal it
	refused(t, err, book.ErrNotFound)
}

func unlistAndRelist(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	refused(t, must.Err(b.Listings.Relist(t.Context(), ann, v.ID)), book.ErrTransition)
	gone := must.Get(b.Listings.Unlist(t.Context(), ann, v.ID))(t)
	if gone.Status != book.Unlisted || len(b.search(t, "calculus")) != 0 {
		t.Errorf("status %d, found %v", gone.Status, b.search(t, "calculus"))
	}
	refused(t, must.Err(b.Listings.Unlist(t.Context(), ann, v.ID)), book.ErrTransition)
	refused(t, must.Err(b.Catalogue.Get(t.Context(), user.Caller{}, v.ID)), book.ErrNotFound)
	b.Clock.Advance(time.Hour)
	back := must.Get(b.Listings.Relist(t.Context(), ann, v.ID))(t)
	if back.Status != book.ForSale || !back.ListedAt.Equal(b.Clock.Now()) || !back.CreatedAt.Equal(v.CreatedAt) || len(b.search(t, "calculus")) != 1 {
		t.Errorf("back as %+v", back)
	}
}

func bookGone(t *testing.T, b *MarketFixture) {
	ann, bob, eve := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.Request(t, bob, book.RequestDraft{Name: "Calculus", Course: "MTH 161"})
	must.Do(t, b.Carts.Add(t.Context(), bob, v.ID))
	must.Do(t, b.Carts.Add(t.Context(), eve, v.ID))
	must.Get(b.Listings.Unlist(t.Context(), ann, v.ID))(t)
	want := []notification.Kind{notification.RequestRecorded, notification.MatchFound, notification.BookGone}
	if notified := b.NotificationsOf(t, bob); !slices.Equal(notified, want) {
		t.Errorf("bob was notified of %v, want %v", notified, want)
	}
	if notified := b.NotificationsOf(t, eve); !slices.Equal(notified, []notification.Kind{notification.BookGone}) {
		t.Errorf("eve was notified of %v", notified)
	}
}

func soldVisibility(t *testing.T, b *MarketFixture) {
	ann, bob, eve, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular), b.Join(t, "dean", user.Admin)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.Buy(t, bob, v.ID)
	for _, stranger := range []user.Caller{eve, {}} {
		refused(t, must.Err(b.Catalogue.Get(t.Context(), stranger, v.ID)), book.ErrNotFound)
	}
	for _, who := range []user.Caller{ann, bob, dean} {
		seen := must.Get(b.Catalogue.Get(t.Context(), who, v.ID))(t)
		if seen.Order == nil || seen.Order.BuyerParty.LastName != "Of bob" || seen.Order.SellerParty.LastName != "Of ann" {
			t.Fatalf("%d sees %+v", who.ID, seen.Order)
		}
		if paid := seen.Order.SellerParty.PaymentUsername; (paid != "") != (who == dean) {
			t.Errorf("%d sees payment name %q", who.ID, paid)
		}
	}
}

func soldNotChanged(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.Buy(t, bob, v.ID)
	refused(t, must.Err(b.Listings.Unlist(t.Context(), ann, v.ID)), book.ErrTransition)
	name := "Other"
	refused(t, must.Err(b.Listings.Update(t.Context(), ann, v.ID, book.Patch{Name: &name})), book.ErrNotEditable)
	_, err := b.Listings.Unlist(t.Context(), bob, v.ID) // the buyer may see it, but not unlist it
	refused(t, err, book.ErrNotYours)
}

func relistMoves(t *testing.T, b *MarketFixture) {
	ann := b.JoinAt(t, "ann", "Cornell University", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	must.Get(b.Listings.Unlist(t.Context(), ann, v.ID))(t)
	b.AddUser(t, user.User{
		ID: ann.ID, Email: "ann@rochester.edu", Lang: user.EN, Verified: true, CreatedAt: b.Clock.Now(),
		Profile: &user.Profile{FirstName: "ann", LastName: "Of ann", University: "MIT", CampusMailbox: "1", PaymentUsername: "p"},
	})
	back := must.Get(b.Listings.Relist(t.Context(), ann, v.ID))(t)
	if back.University != "MIT" {
		t.Errorf("listed at %s, want MIT", back.University)
	}
}

func expire(t *testing.T, b *MarketFixture) {
	ann, bob, owner := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "owner", user.Owner)
	old := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	sold := b.Post(t, ann, Draft("Physics", "PHY 121", 1000))
	b.Buy(t, bob, sold.ID)
	b.Clock.Advance(62 * 24 * time.Hour)
	b.Post(t, ann, Draft("Chemistry", "CHM 131", 1000))
	preview := must.Get(b.ExpireListings.Preview(t.Context(), owner, 62))(t)
	if preview.Count != 1 || len(preview.Books) != 1 || preview.Books[0].ID != old.ID {
		t.Errorf("the preview has %+v, want %d", preview, old.ID)
	}
	ids := must.Get(b.ExpireListings.Do(t.Context(), owner, 62, false))(t)
	if !slices.Equal(ids, []book.ID{old.ID}) {
		t.Errorf("unlisted %v, want %d", ids, old.ID)
	}
	v := must.Get(b.Catalogue.Get(t.Context(), ann, old.ID))(t)
	b.Clock.Advance(message.DigestSettles)
	b.mailDigests(t)
	notified := b.NotificationsOf(t, ann)
	if v.Status != book.Unlisted || notified[len(notified)-1] != notification.BookUnlisted || !slices.Contains(b.MailsTo(t, "ann@rochester.edu"), message.BookUnlisted) {
		t.Errorf("status %d, notified of %v", v.Status, notified)
	}
	if log := b.Audits(t); len(log) != 2 || log[0].Actor != owner.ID || log[0].Action != "books.unlisted" || log[0].IP != "192.0.2.7" || log[1].Target != old.ID.String() {
		t.Errorf("the audit log has %+v", log)
	}
}

func dryRun(t *testing.T, b *MarketFixture) {
	ann, owner := b.Join(t, "ann", user.Regular), b.Join(t, "owner", user.Owner)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	ids := must.Get(b.ExpireListings.Do(t.Context(), owner, 0, true))(t)
	if !slices.Equal(ids, []book.ID{v.ID}) || len(b.search(t, "calculus")) != 1 || len(b.Audits(t)) != 0 {
		t.Errorf("a dry run returned %v and left %v", ids, b.search(t, "calculus"))
	}
}

func expiryCounts(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	for range 3 {
		b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	}
	old := b.Clock.Now()
	b.Clock.Advance(time.Hour)
	b.Post(t, ann, Draft("Physics", "PHY 121", 1000))
	for most, want := range map[int]int{2: 2, 3: 3, 10: 3} {
		must.Do(t, b.atomically(t, func(ctx context.Context, st Stores) error {
			n, err := st.Selling.CountBooksListedBefore(ctx, old, most)
			if n != want {
				t.Errorf("at most %d: %d, want %d", most, n, want)
			}
			return err
		}))
	}
}

func expireRefused(t *testing.T, b *MarketFixture) {
	owner := b.Join(t, "owner", user.Owner)
	refused(t, must.Err(b.ExpireListings.Do(t.Context(), b.Join(t, "dean", user.Admin), 62, false)), user.ErrForbidden)
	for _, days := range []int{-1, 36_501} {
		refused(t, must.Err(b.ExpireListings.Do(t.Context(), owner, days, false)), selling.ErrDays)
	}
}

func expireMany(t *testing.T, b *MarketFixture) {
	ann, owner := b.Join(t, "ann", user.Regular), b.Join(t, "owner", user.Owner)
	for range 205 {
		b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	}
	looked := must.Get(b.ExpireListings.Do(t.Context(), owner, 0, true))(t)
	ids := must.Get(b.ExpireListings.Do(t.Context(), owner, 0, false))(t)
	if len(ids) != 205 || !slices.Equal(looked, ids) || len(b.search(t, "calculus")) != 0 {
		t.Errorf("unlisted %d after a dry run with %d", len(ids), len(looked))
	}
}

func byStatus(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.Post(t, ann, Draft("Physics", "PHY 121", 1000))
	b.Buy(t, bob, v.ID)
	sold, _ := must.Get2(b.Listings.ListByStatus(t.Context(), dean, book.Bought, market.Page{}))(t)
	if len(sold) != 1 || sold[0].ID != v.ID || sold[0].Order == nil || sold[0].Order.BuyerParty.PaymentUsername != "pay-bob" {
		t.Errorf("bought: %+v", sold)
	}
	refused(t, must.Err(b.Listings.ListByStatus(t.Context(), dean, 4, market.Page{})), market.ErrStatus)
	refused(t, must.Err(b.Listings.ListByStatus(t.Context(), ann, book.Bought, market.Page{})), user.ErrForbidden)
}

func userDeleted(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	mine, sold := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)), b.Post(t, ann, Draft("Physics", "PHY 121", 1000))
	theirs := b.Post(t, bob, Draft("Biology", "BIO 110", 1000))
	b.Buy(t, bob, sold.ID)
	b.Request(t, ann, book.RequestDraft{Name: "Biology", Course: "BIO 110"})
	must.Do(t, b.Carts.Add(t.Context(), ann, theirs.ID))
	must.Do(t, b.Carts.Add(t.Context(), bob, mine.ID))
	b.DeleteUser(t, ann)
	if got := b.search(t, "calculus"); len(got) != 0 {
		t.Errorf("still for sale: %v", got)
	}
	if notified := b.NotificationsOf(t, bob); !slices.Contains(notified, notification.BookGone) {
		t.Errorf("the user with the book in the cart was notified of %v", notified)
	}
	requests, _ := must.Get2(b.Requests.ListMine(t.Context(), ann, market.Page{}))(t)
	matches, _ := must.Get2(b.Requests.ListMatches(t.Context(), ann, market.Page{}))(t)
	items, _ := must.Get2(b.Carts.List(t.Context(), ann, market.Page{}))(t)
	if len(requests)+len(matches)+len(items)+len(b.NotificationsOf(t, ann)) != 0 {
		t.Errorf("left behind: %v, %v, %v", requests, matches, items)
	}
	if v, err := b.Catalogue.Get(t.Context(), bob, sold.ID); err != nil || v.Status != book.Bought {
		t.Errorf("the live order: %+v, %v", v, err)
	}
	b.CheckLedger(t)
}
