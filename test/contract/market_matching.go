package contract

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketMatching(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a post finds the requests that it matches":               postFinds,
		"a request finds the books that it matches":               requestFinds,
		"a match is notified once":                                matchNotifiedOnce,
		"a revised book is matched again":                         revisedMatches,
		"a book matches very many requests without a loss":        manyRequests,
		"a request matches very many books without a loss":        manyBooks,
		"only matches for sale are listed":                        matchesForSale,
		"a request is deleted with its matches":                   deleteRequest,
		"the matches of a filled request are not listed":          filledMatches,
		"another purchase does not fill a filled request again":   filledOnce,
		"a stored request is answered even if a later read fails": requestAnswered,
		"invalid requests are refused field by field":             badRequest,
		"the open requests of a student are limited":              tooManyRequests,
		"matches and requests are read page by page":              matchPages,
		"traditional and simplified characters match":             simplifiedMatches,
		"very many users are notified that a book is gone":        manyWaiting,
	})
}

// pairings are requests with the reason why a book matches them, if it does.
var pairings = []struct {
	want   book.RequestDraft
	reason book.Reason // empty: no match
}{
	{book.RequestDraft{Name: "Whatever", Course: "X 1", ISBN: "0-262-03384-4"}, book.ByISBN},
	{book.RequestDraft{Name: "Whatever", Course: "csc-172"}, book.ByCourse},
	{book.RequestDraft{Name: "Whatever", Course: "C S C 1 7 2"}, book.ByCourse},
	{book.RequestDraft{Name: "the algorithms: INTRODUCTION", Course: "X 1"}, book.ByTitle},
	{book.RequestDraft{Name: "Algorithms", Course: "X 1"}, book.ByTitle},
	{book.RequestDraft{Name: "Introduction to Biology", Course: "X 1"}, ""},
	{book.RequestDraft{Name: "Algorithm", Course: "X 1"}, ""},
	{book.RequestDraft{Name: "!", Course: "?"}, ""},
	{book.RequestDraft{Name: "Algorithms", Course: "CSC 172", Edition: new(3)}, book.ByCourse},
	{book.RequestDraft{Name: "Algorithms", Course: "CSC 172", Edition: new(4)}, ""},
	{book.RequestDraft{Name: "Algorithms", Course: "CSC 172", MaxPrice: new(money.Amount(4550))}, book.ByCourse},
	{book.RequestDraft{Name: "Algorithms", Course: "CSC 172", MaxPrice: new(money.Amount(4549))}, ""},
}

func algorithms() book.Draft {
	d := Draft("Introduction to Àlgorithms", "CSC 172", 4550)
	d.ISBN = "9780262033848"
	return d
}

func postFinds(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	owners := make([]user.Caller, len(pairings))
	for i, p := range pairings {
		owners[i] = b.Join(t, fmt.Sprint("reader", i), user.Regular)
		b.Request(t, owners[i], p.want)
	}
	b.Request(t, ann, book.RequestDraft{Name: "Algorithms", Course: "CSC 172"}) // her own
	v := b.Post(t, ann, algorithms())
	for i, p := range pairings {
		b.expectMatch(t, owners[i], fmt.Sprintf("reader%d@rochester.edu", i), v.ID, p.reason)
	}
	b.expectMatch(t, ann, "ann@rochester.edu", v.ID, "")
}

// expectMatch checks the listed match, the notification and the mail of a user.
func (b *MarketFixture) expectMatch(t *testing.T, who user.Caller, email string, id book.ID, reason book.Reason) {
	t.Helper()
	matches, _ := must.Get2(b.Requests.ListMatches(t.Context(), who, market.Page{}))(t)
	notified := slices.Contains(b.NotificationsOf(t, who), notification.MatchFound)
	mailed := slices.Contains(b.MailsTo(t, user.Email(email)), message.MatchFound)
	found := len(matches) == 1 && matches[0].Book.ID == id && matches[0].Reason == reason
	if expected := reason != ""; found != expected || len(matches) > 1 || notified != expected || mailed != expected {
		t.Errorf("%s: want %q; %d matches, notified %v, mailed %v", email, reason, len(matches), notified, mailed)
	}
}

func simplifiedMatches(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	for _, titles := range [][2]string{{"經濟學", "经济学"}, {"微积分", "微積分"}, {"線性代數", "線性代數"}} {
		b.Post(t, ann, Draft(titles[0], "X 1", 4550))
		if _, matches := b.Request(t, bob, book.RequestDraft{Name: titles[1], Course: "Y 2"}); len(matches) != 1 {
			t.Errorf("a request for %s matches %d books with the title %s", titles[1], len(matches), titles[0])
		}
		b.Post(t, ann, Draft(titles[0], "X 1", 4560))
		if matches, _ := must.Get2(b.Requests.ListMatches(t.Context(), bob, market.Page{}))(t); len(matches) == 0 || matches[0].Book.Price != 4560 {
			t.Errorf("a post of %s finds no request for %s", titles[0], titles[1])
		}
	}
}

func requestFinds(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	v := b.Post(t, ann, algorithms())
	for i, p := range pairings {
		name := fmt.Sprint("reader", i)
		who := b.Join(t, name, user.Regular)
		r, matches := b.Request(t, who, p.want)
		if (len(matches) == 1) != (p.reason != "") || len(matches) == 1 && (matches[0].Request != r || matches[0].Book.Book != v.Book || matches[0].Reason != p.reason) {
			t.Errorf("%s: answered %+v", name, matches)
		}
		b.expectMatch(t, who, name+"@rochester.edu", v.ID, p.reason)
	}
	_, own := b.Request(t, ann, book.RequestDraft{Name: "Algorithms", Course: "CSC 172"})
	if len(own) != 0 {
		t.Error("a user's own book matches the user's request")
	}
}

func count[T comparable](all []T, what T) (n int) {
	for _, x := range all {
		if x == what {
			n++
		}
	}
	return n
}

func matchNotifiedOnce(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	b.Request(t, bob, book.RequestDraft{Name: "Algorithms", Course: "CSC 172", ISBN: "9780262033848"}) // matches for three reasons
	v := b.Post(t, ann, algorithms())
	must.Get(b.Listings.Unlist(t.Context(), ann, v.ID))(t)
	must.Get(b.Listings.Relist(t.Context(), ann, v.ID))(t)
	must.Get(b.Listings.Update(t.Context(), ann, v.ID, book.Patch{Price: new(money.Amount(100))}))(t)
	b.RunAllJobs(t)
	if n := count(b.NotificationsOf(t, bob), notification.MatchFound); n != 1 {
		t.Errorf("notified %d times, want 1", n)
	}
	if n := count(b.MailsTo(t, "bob@rochester.edu"), message.MatchFound); n != 1 {
		t.Errorf("mailed %d times, want 1", n)
	}
	for _, m := range b.Mails(t) {
		if m.Kind == message.MatchFound && (m.Params[message.ParamBook] != v.Name || m.Params[message.ParamReason] != "isbn" || m.Params[message.ParamPrice] != "45.50") {
			t.Errorf("the mail says %v", m.Params)
		}
	}
}

func revisedMatches(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	b.Request(t, bob, book.RequestDraft{Name: "Topology", Course: "MTH 240"})
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	must.Get(b.Listings.Update(t.Context(), ann, v.ID, book.Patch{Name: new("Topology")}))(t)
	b.expectMatch(t, bob, "bob@rochester.edu", v.ID, book.ByTitle)
	must.Get(b.Listings.Update(t.Context(), ann, v.ID, book.Patch{Name: new("Calculus")}))(t)
	matches, _ := must.Get2(b.Requests.ListMatches(t.Context(), bob, market.Page{}))(t)
	if len(matches) != 0 {
		t.Error("a match that is no longer valid is still listed")
	}
}

func manyRequests(t *testing.T, b *MarketFixture) {
	ann, bob, eve := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular)
	for i := range 330 {
		b.Request(t, bob, book.RequestDraft{Name: fmt.Sprint("Algorithms ", i%3), Course: []string{"CSC 172", "X 1"}[i%2]})
	}
	b.Request(t, eve, book.RequestDraft{Name: "Algorithms 2", Course: "X 1"})
	v := b.Post(t, ann, Draft("Algorithms 1 and 2", "CSC 172", 1000))
	if steps := b.RunAllJobs(t); steps == 0 {
		t.Error("everything was matched in one transaction: it is not bounded")
	}
	pages := walk(t, 200, func(p market.Page) ([]market.MatchView, market.Cursor, error) {
		return b.Requests.ListMatches(t.Context(), bob, p)
	})
	if n := len(slices.Concat(pages...)); n != 275 { // half by course, two thirds of the rest by title
		t.Errorf("%d matches, want 275", n)
	}
	if n := count(b.NotificationsOf(t, bob), notification.MatchFound); n != 275 {
		t.Errorf("notified %d times, want 275", n)
	}
	b.expectMatch(t, eve, "eve@rochester.edu", v.ID, book.ByTitle)
}

func manyBooks(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	for i := range 250 {
		b.Post(t, ann, Draft("Algorithms", []string{"CSC 172", "X 1"}[i%2], 1000))
	}
	_, matches := b.Request(t, bob, book.RequestDraft{Name: "Algorithms", Course: "CSC 172"})
	if len(matches) == 0 || len(matches) > 100 {
		t.Errorf("%d matches at once", len(matches))
	}
	b.RunAllJobs(t)
	if n := count(b.NotificationsOf(t, bob), notification.MatchFound); n != 250 {
		t.Errorf("notified %d times, want 250", n)
	}
}

func matchesForSale(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	b.Request(t, bob, book.RequestDraft{Name: "Algorithms", Course: "CSC 172"})
	v := b.Post(t, ann, algorithms())
	must.Get(b.Listings.Unlist(t.Context(), ann, v.ID))(t)
	matches, _ := must.Get2(b.Requests.ListMatches(t.Context(), bob, market.Page{}))(t)
	if len(matches) != 0 {
		t.Error("a match that is not for sale is listed")
	}
}

func deleteRequest(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	b.Post(t, ann, algorithms())
	r, _ := b.Request(t, bob, book.RequestDraft{Name: "Algorithms", Course: "CSC 172"})
	refused(t, b.Requests.Delete(t.Context(), ann, r.ID), book.ErrRequestNotFound)
	must.Do(t, b.Requests.Delete(t.Context(), bob, r.ID))
	refused(t, b.Requests.Delete(t.Context(), bob, r.ID), book.ErrRequestNotFound)
	b.Post(t, ann, algorithms())
	matches, _ := must.Get2(b.Requests.ListMatches(t.Context(), bob, market.Page{}))(t)
	requests, _ := must.Get2(b.Requests.ListMine(t.Context(), bob, market.Page{}))(t)
	if len(matches) != 0 || len(requests) != 0 || count(b.NotificationsOf(t, bob), notification.MatchFound) != 1 {
		t.Errorf("left %d matches, %d requests, notified of %v", len(matches), len(requests), b.NotificationsOf(t, bob))
	}
}

func badRequest(t *testing.T, b *MarketFixture) {
	bob := b.Join(t, "bob", user.Regular)
	for field, w := range map[string]book.RequestDraft{
		"name":     {Name: " ", Course: "X 1"},
		"course":   {Name: "X", Course: ""},
		"ISBN":     {Name: "X", Course: "X 1", ISBN: "9780262033849"},
		"edition":  {Name: "X", Course: "X 1", Edition: new(0)},
		"maxPrice": {Name: "X", Course: "X 1", MaxPrice: new(money.Amount(0))},
	} {
		_, _, err := b.Requests.Add(t.Context(), bob, w)
		b.refusedField(t, err, field)
	}
}

func (b *MarketFixture) refusedField(t *testing.T, err error, field string) {
	t.Helper()
	refused(t, err, book.ErrInvalid.WithField(field, ""))
	if f := fields(err); len(f) != 1 || f[0] != field {
		t.Errorf("named %v, want %s", f, field)
	}
}

func tooManyRequests(t *testing.T, b *MarketFixture) {
	bob := b.Join(t, "bob", user.Regular)
	for range book.MaxOpenRequests {
		b.aRequest(t, bob, book.RequestDraft{Name: "X", Course: "X 1"})
	}
	refused(t, must.Err(b.Requests.Add(t.Context(), bob, book.RequestDraft{Name: "X", Course: "X 1"})), book.ErrTooManyRequests)
}

func matchPages(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	var want []book.ID
	for range 3 {
		b.Request(t, bob, book.RequestDraft{Name: "Algorithms", Course: "CSC 172"})
	}
	for range 3 {
		id := b.Post(t, ann, algorithms()).ID
		want = append(want, id, id, id)
	}
	slices.Reverse(want)
	var got []book.ID
	for _, page := range walk(t, 2, func(p market.Page) ([]market.MatchView, market.Cursor, error) {
		return b.Requests.ListMatches(t.Context(), bob, p)
	}) {
		for _, m := range page {
			got = append(got, m.Book.ID)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("read %v, want %v", got, want)
	}
	requests := slices.Concat(walk(t, 2, func(p market.Page) ([]book.Request, market.Cursor, error) {
		return b.Requests.ListMine(t.Context(), bob, p)
	})...)
	if len(requests) != 3 || requests[0].ID < requests[1].ID || requests[1].ID < requests[2].ID {
		t.Errorf("read %+v", requests)
	}
}

func manyWaiting(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	v := b.Post(t, ann, algorithms())
	var waiting []user.Caller
	for i := range 230 {
		who := b.Join(t, fmt.Sprint("reader", i), user.Regular)
		must.Do(t, b.Carts.Add(t.Context(), who, v.ID))
		waiting = append(waiting, who)
	}
	b.Buy(t, waiting[0], v.ID)
	if steps := b.RunAllJobs(t); steps == 0 {
		t.Error("all were notified in one transaction: it is not bounded")
	}
	for i, who := range waiting {
		if n := count(b.NotificationsOf(t, who), notification.BookGone); n != min(i, 1) {
			t.Errorf("user %d was notified %d times, want %d", i, n, min(i, 1))
		}
	}
}

func filledMatches(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	one := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.Post(t, ann, Draft("Calculus", "MTH 161", 2000))
	b.Request(t, bob, book.RequestDraft{Name: "Calculus", Course: "MTH 161"})
	listed := func(want int) {
		t.Helper()
		matches, _ := must.Get2(b.Requests.ListMatches(t.Context(), bob, market.Page{}))(t)
		s := must.Get(b.Statistics.ForUser(t.Context(), bob))(t)
		if len(matches) != want || s.OpenMatch != want {
			t.Errorf("%d matches are listed and %d counted, want %d", len(matches), s.OpenMatch, want)
		}
	}
	listed(2)
	b.Buy(t, bob, one.ID)
	listed(0)
	must.Get(b.Orders.Cancel(t.Context(), dean, one.ID, "no show"))(t)
	listed(2)
}

func filledOnce(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	one := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	two := b.Post(t, ann, Draft("Calculus", "MTH 161", 2000))
	b.Request(t, bob, book.RequestDraft{Name: "Calculus", Course: "MTH 161"})
	b.Buy(t, bob, one.ID)
	b.Buy(t, bob, two.ID)
	must.Get(b.Orders.Cancel(t.Context(), dean, two.ID, "no show"))(t)
	mine, _ := must.Get2(b.Requests.ListMine(t.Context(), bob, market.Page{}))(t)
	if len(mine) != 1 || mine[0].Status != book.Filled || mine[0].FilledBy != one.ID {
		t.Errorf("after the second purchase was cancelled the request is %+v, want it filled by %v", mine, one.ID)
	}
}

// unreadable is a catalogue whose reads fail.
type unreadable struct{ MarketPorts }

func (unreadable) FindBookViews(context.Context, ...book.ID) ([]market.BookView, error) {
	return nil, errBoom
}

// requestAnswered: a client that gets an error retries, and would then have two requests.
func requestAnswered(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	_, matches := must.Get2(rooms.New(b.Deps, unreadable{b.Ports}, rooms.Config{}).Requests.Add(t.Context(), bob, book.RequestDraft{Name: "Calculus", Course: "MTH 161"}))(t)
	if len(matches) != 1 || !reflect.DeepEqual(matches[0].Book, v) || matches[0].Reason != book.ByCourse {
		t.Errorf("found %+v, want %+v", matches, v)
	}
}
