package contract

import (
	"errors"
	"slices"
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
	"pgregory.net/rapid"
)

// MarketLife takes books through random sequences of actions. It checks after each that it
// succeeded if and only if the status machine allows it, and that books, orders, statistics
// and the ledger agree.
func MarketLife(t *testing.T, open func(*testing.T) MarketBackend) {
	b := NewMarketFixture(open(t))
	l := &life{
		MarketFixture: b, t: t,
		seller: b.Join(t, "ann", user.Regular), buyer: b.Join(t, "bob", user.Regular),
		dean: b.Join(t, "dean", user.Admin), owner: b.Join(t, "owner", user.Owner),
	}
	rapid.Check(t, func(r *rapid.T) {
		l.book = b.Post(t, l.seller, Draft("Calculus", "MTH 161", money.Amount(rapid.IntRange(1, 5000).Draw(r, "price")))).Book
		l.status = book.ForSale
		for range rapid.IntRange(1, 15).Draw(r, "length") {
			l.live(r, rapid.SampledFrom(lifeActs).Draw(r, "act"))
		}
		b.CheckLedger(r)
	})
}

// life is one book with its expected status.
type life struct {
	*MarketFixture
	t                          *testing.T
	seller, buyer, dean, owner user.Caller
	book                       book.Book
	status                     book.Status
}

// act is an action on a book, with the statuses that allow it and the status that it leads
// to.
type act struct {
	name string
	do   func(*life) error
	from []book.Status
	to   func(book.Status) book.Status
}

func becomes(s book.Status) func(book.Status) book.Status {
	return func(book.Status) book.Status { return s }
}

func stays(s book.Status) book.Status { return s }

var lifeActs = []act{
	{"buy", func(l *life) error {
		return must.Err(l.Checkout.Do(l.t.Context(), l.buyer, buying.Basket{Books: []book.ID{l.book.ID}}))
	}, []book.Status{book.ForSale}, becomes(book.Bought)},
	{"buy one's own", func(l *life) error {
		return must.Err(l.Checkout.Do(l.t.Context(), l.seller, buying.Basket{Books: []book.ID{l.book.ID}}))
	}, nil, stays},
	{"put into the cart", func(l *life) error { return l.Carts.Add(l.t.Context(), l.buyer, l.book.ID) }, []book.Status{book.ForSale}, stays},
	{"confirm", func(l *life) error { _, err := l.Orders.Confirm(l.t.Context(), l.dean, l.book.ID); return err }, []book.Status{book.Bought}, becomes(book.Verified)},
	{"pay", func(l *life) error { _, err := l.Orders.SetPaid(l.t.Context(), l.dean, l.book.ID); return err }, []book.Status{book.Verified}, becomes(book.Delivered)},
	{"cancel", func(l *life) error {
		return must.Err(l.Orders.Cancel(l.t.Context(), l.dean, l.book.ID, "because"))
	}, []book.Status{book.Bought, book.Verified}, becomes(book.ForSale)},
	{"delete", func(l *life) error { _, err := l.Listings.Unlist(l.t.Context(), l.seller, l.book.ID); return err }, []book.Status{book.ForSale}, becomes(book.Unlisted)},
	{"reactivate", func(l *life) error { _, err := l.Listings.Relist(l.t.Context(), l.seller, l.book.ID); return err }, []book.Status{book.Unlisted}, becomes(book.ForSale)},
	{"update", func(l *life) error {
		return must.Err(l.Listings.Update(l.t.Context(), l.seller, l.book.ID, book.Patch{Comments: new("worn")}))
	}, []book.Status{book.ForSale, book.Unlisted}, stays},
	{"deactivate all", func(l *life) error {
		return must.Err(l.ExpireListings.Do(l.t.Context(), l.owner, 0, false))
	}, []book.Status{book.ForSale, book.Bought, book.Verified, book.Delivered, book.Unlisted}, func(s book.Status) book.Status {
		if s == book.ForSale {
			return book.Unlisted
		}
		return s
	}},
}

func (l *life) live(r *rapid.T, a act) {
	err := a.do(l)
	allowed := slices.Contains(a.from, l.status)
	if allowed != (err == nil) {
		r.Fatalf("%s in status %d: %v", a.name, l.status, err)
	}
	if err != nil && fault.KindOf(err) != fault.Conflict {
		r.Fatalf("%s in status %d is refused as %v", a.name, l.status, err)
	}
	if allowed {
		l.status = a.to(l.status)
	}
	views, err := l.Ports.FindBookViews(l.t.Context(), l.book.ID)
	if err != nil || len(views) != 1 {
		r.Fatalf("%v, %v", views, err)
	}
	v := views[0]
	if v.Status != l.status || (v.Order != nil) != v.Status.Sold() || v.Order != nil && v.Order.Status != order.Status(v.Status) {
		r.Fatalf("after %s: %+v, want status %d", a.name, v, l.status)
	}
	l.agree(r, v)
}

// agree checks the lists and statistics that show the book.
func (l *life) agree(r *rapid.T, v market.BookView) {
	_, err := l.Catalogue.Get(l.t.Context(), user.Caller{}, v.ID)
	if (err == nil) != (v.Status == book.ForSale) || err != nil && !errors.Is(err, book.ErrNotFound) {
		r.Fatalf("strangers get %v in status %d", err, v.Status)
	}
	bought, _, err := l.Orders.ListPurchased(l.t.Context(), l.buyer, market.Page{Limit: market.MaxLimit})
	if err != nil || slices.ContainsFunc(bought, func(b market.BookView) bool { return b.ID == v.ID }) != v.Status.Sold() {
		r.Fatalf("the purchases do not agree with status %d: %v", v.Status, err)
	}
	mine, err1 := l.Statistics.ForUser(l.t.Context(), l.seller)
	theirs, err2 := l.Statistics.ForUser(l.t.Context(), l.buyer)
	if err := errors.Join(err1, err2); err != nil || mine.Sold != theirs.Bought || mine.Made > theirs.Spent {
		r.Fatalf("sold %+v, bought %+v, %v", mine, theirs, err)
	}
}
