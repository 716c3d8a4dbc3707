package contract

import (
	"errors"
	"slices"
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketHistory(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"admins see what has happened to a book":               bookHistory,
		"only an admin relists what an admin has unlisted":     heldBooks,
		"several books are unlisted, each with its own result": unlistSeveral,
		"others cannot see the history or unlist":              historyRefused,
		"admins find books by id, ISBN and title":              booksFound,
	})
}

func booksFound(t *testing.T, b *MarketFixture) {
	const isbn = "9783319110790"
	ann, zoe, dean := b.Join(t, "ann", user.Regular), b.JoinAt(t, "zoe", "Elsewhere", user.Regular), b.Join(t, "dean", user.Admin)
	sold, gone := Draft("Linear Algebra", "MTH 165", 1000), Draft("Linear  ALGEBRA, Done Right", "MTH 235", 1000)
	sold.ISBN, gone.ISBN = isbn, isbn
	first, second, third := b.Post(t, ann, sold), b.Post(t, ann, gone), b.Post(t, zoe, gone)
	must.Get(b.Listings.Unlist(t.Context(), ann, second.ID))(t)
	must.Get(b.Listings.Unlist(t.Context(), zoe, third.ID))(t)
	here := b.campusAdmin(t, "here", "university of rochester")
	for _, c := range []struct {
		by    user.Caller
		typed string
		want  []book.ID
	}{
		{dean, isbn, []book.ID{third.ID, second.ID, first.ID}}, {here, "978-3-319-11079-0", []book.ID{second.ID, first.ID}},
		{dean, "https://shop.example/dp/3319110799?s=1", []book.ID{third.ID, second.ID, first.ID}},
		{dean, "linear alg", []book.ID{third.ID, second.ID}}, {here, "Linéar Algebra", []book.ID{second.ID}}, {dean, "algebra", nil},
		{dean, third.ID.String(), []book.ID{third.ID}}, {here, third.ID.String(), nil}, {here, first.ID.String(), []book.ID{first.ID}},
		{dean, " ", nil}, {dean, "\x00", nil}, {dean, "999999999999", nil},
	} {
		found := must.Get(b.BookAdmin.Find(t.Context(), c.by, c.typed, 10))(t)
		if got := convert(found, func(v market.BookView) book.ID { return v.ID }); !slices.Equal(got, c.want) {
			t.Errorf("%q finds %v for %+v, want %v", c.typed, got, c.by, c.want)
		}
	}
	if found := must.Get(b.BookAdmin.Find(t.Context(), dean, isbn, 2))(t); len(found) != 2 {
		t.Errorf("found %d of at most 2", len(found))
	}
	if _, err := b.BookAdmin.Find(t.Context(), ann, isbn, 10); !errors.Is(err, user.ErrForbidden) {
		t.Errorf("a student looks for books: %v", err)
	}
}

func bookHistory(t *testing.T, b *MarketFixture) {
	ann, bob, cat, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "cat", user.Regular), b.Join(t, "dean", user.Admin)
	request, _ := b.Request(t, cat, book.RequestDraft{Name: "Calculus", Course: "MTH 161"})
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	other := b.Post(t, ann, Draft("Physics", "PHY 121", 1000))
	price := money.Amount(900)
	must.Get(b.Listings.Update(t.Context(), ann, v.ID, book.Patch{Price: &price}))(t)
	must.Get(b.Listings.Update(t.Context(), ann, v.ID, book.Patch{Price: &price, Comments: new("The same price.")}))(t)
	must.Get(b.Listings.Unlist(t.Context(), ann, v.ID))(t)
	must.Get(b.Listings.Relist(t.Context(), ann, v.ID))(t)
	first := b.Buy(t, bob, v.ID).Orders[0]
	must.Get(b.Orders.Withdraw(t.Context(), bob, first.ID, "Found it."))(t)
	second := b.Buy(t, cat, v.ID).Orders[0]
	b.Buy(t, bob, other.ID)

	h := must.Get(b.BookAdmin.History(t.Context(), dean, v.ID))(t)
	orders := func(o market.OrderView) order.ID { return o.ID }
	if h.ID != v.ID || h.Status != book.Bought || !slices.Equal(convert(h.Orders, orders), []order.ID{second.ID, first.ID}) || h.Orders[1].Reason != "Found it." || h.Orders[0].BuyerParty.FirstName != "cat" {
		t.Errorf("the book is %+v, its orders %+v", h.Book, h.Orders)
	}
	if len(h.Matches) != 1 || h.Matches[0].Request.ID != request.ID || h.Matches[0].Request.Owner != cat.ID || h.Matches[0].Request.Status != book.Filled {
		t.Errorf("the matches are %+v", h.Matches)
	}
	var changes []string
	for _, c := range h.Changes {
		changes = append(changes, c.Action+" "+c.Detail)
		if c.Actor != ann.ID || c.Target != v.ID.String() {
			t.Errorf("the entry is %+v", c)
		}
	}
	if want := []string{"book.relisted ", "book.unlisted ", "book.repriced 10.00 → 9.00 USD"}; !slices.Equal(changes, want) {
		t.Errorf("the changes are %q, want %q", changes, want)
	}
}

func convert[A, B any](all []A, of func(A) B) (out []B) {
	for _, a := range all {
		out = append(out, of(a))
	}
	return out
}

func heldBooks(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	must.Do(t, b.Carts.Add(t.Context(), bob, v.ID))
	must.Refuse(t, b.BookAdmin.Relist(t.Context(), dean, v.ID), book.ErrTransition, "a book for sale is relisted")
	done := must.Get(b.BookAdmin.Unlist(t.Context(), dean, []book.ID{v.ID, v.ID, 404}, " Not a textbook. "))(t)
	if len(done) != 1 || done[0].Err != nil || done[0].Book.ID != v.ID {
		t.Errorf("unlisted %+v", done)
	}
	notified := b.NotificationsOf(t, ann)
	if !slices.Contains(notified, notification.BookUnlisted) || !slices.Contains(b.NotificationsOf(t, bob), notification.BookGone) {
		t.Errorf("notified the seller of %v", notified)
	}
	mails := b.Mails(t)
	if last := mails[len(mails)-1]; last.Kind != message.BookUnlisted || last.Params[message.ParamReason] != "Not a textbook." {
		t.Errorf("the mail is %+v", last)
	}
	must.Refuse(t, must.Err(b.Listings.Relist(t.Context(), ann, v.ID)), book.ErrHeld, "the seller relists")
	price := money.Amount(900)
	must.Get(b.Listings.Update(t.Context(), ann, v.ID, book.Patch{Price: &price}))(t)
	must.Do(t, b.BookAdmin.Relist(t.Context(), dean, v.ID))
	if found := b.search(t, "calculus"); len(found) != 1 {
		t.Errorf("found %v", found)
	}
	must.Get(b.Listings.Unlist(t.Context(), ann, v.ID))(t)
	must.Refuse(t, b.BookAdmin.Relist(t.Context(), dean, v.ID), book.ErrTransition, "an admin relists what the seller has unlisted")
	must.Get(b.Listings.Relist(t.Context(), ann, v.ID))(t)
}

func unlistSeveral(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	first, sold, last := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)), b.Post(t, ann, Draft("Physics", "PHY 121", 1000)), b.Post(t, ann, Draft("Algebra", "MTH 165", 1000))
	b.Buy(t, bob, sold.ID)
	done := must.Get(b.BookAdmin.Unlist(t.Context(), dean, []book.ID{last.ID, sold.ID, first.ID}, "Spam"))(t)
	if len(done) != 3 || done[0].Err != nil || !errors.Is(done[1].Err, book.ErrTransition) || done[2].Err != nil || done[0].Book.ID != last.ID {
		t.Errorf("unlisted %+v", done)
	}
	for _, id := range []book.ID{first.ID, sold.ID, last.ID} {
		h := must.Get(b.BookAdmin.History(t.Context(), dean, id))(t)
		held := id != sold.ID
		if h.Held != held || (len(h.Changes) == 1) != held || held && (h.Changes[0].Action != "book.unlisted" || h.Changes[0].Detail != "Spam" || h.Changes[0].Actor != dean.ID) {
			t.Errorf("the history of %d is %+v", id, h)
		}
	}
	must.Refuse(t, must.Err(b.BookAdmin.Unlist(t.Context(), dean, []book.ID{first.ID}, " ")), order.ErrReason, "without a reason")
	must.Refuse(t, must.Err(b.BookAdmin.Unlist(t.Context(), dean, make([]book.ID, market.MaxBulk+1), "Spam")), guarding.ErrTooManyToUnlist, "too many")
}

func historyRefused(t *testing.T, b *MarketFixture) {
	ann, dean := b.Join(t, "ann", user.Regular), b.Join(t, "dean", user.Admin)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	_, err1 := b.BookAdmin.History(t.Context(), ann, v.ID)
	_, err2 := b.BookAdmin.Unlist(t.Context(), ann, []book.ID{v.ID}, "Spam")
	for _, err := range []error{err1, err2, b.BookAdmin.Relist(t.Context(), ann, v.ID)} {
		if !errors.Is(err, user.ErrForbidden) {
			t.Errorf("a student: %v, want %v", err, user.ErrForbidden)
		}
	}
	must.Refuse(t, must.Err(b.BookAdmin.ListPosted(t.Context(), ann, ann.ID)), user.ErrForbidden, "a student lists books")
	if posted, err := b.BookAdmin.ListPosted(t.Context(), dean, ann.ID); err != nil || len(posted) != 1 || posted[0].ID != v.ID {
		t.Errorf("an admin lists %v, %v", posted, err)
	}
	must.Refuse(t, must.Err(b.BookAdmin.History(t.Context(), dean, 404)), book.ErrNotFound, "no such book")
}
