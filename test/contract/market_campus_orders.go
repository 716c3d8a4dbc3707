package contract

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketCampusOrders(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"admins of a campus list its orders and books":         listsOfACampus,
		"lists of a campus have pages and a search":            pagesOfACampus,
		"sales elsewhere are out of reach":                     salesElsewhere,
		"books elsewhere are out of reach":                     booksElsewhere,
		"an order stays where its book was sold":               ordersStay,
		"a buyer elsewhere does not move the sale":             buyersElsewhere,
		"statistics are those of the campus":                   statisticsOfACampus,
		"admins trade at their campus and elsewhere as anyone": adminsTradeToo,
	})
}

// twoSales has a sale at each of two universities, and an admin of the first.
type twoSales struct {
	dean, owner                  user.Caller
	hereSeller, thereSeller, bob user.Caller
	here, there                  order.Order
}

func (b *MarketFixture) twoSales(t *testing.T) twoSales {
	t.Helper()
	c := twoSales{
		dean: b.campusAdmin(t, "dean", "Université de Lyon"), owner: b.Join(t, "root", user.Owner), bob: b.Join(t, "bob", user.Regular),
		hereSeller: b.JoinAt(t, "ann", "universite de lyon", user.Regular), thereSeller: b.JoinAt(t, "eve", "Universität Köln", user.Regular),
	}
	c.here = b.sell(t, c.hereSeller, c.bob, "Topology")
	c.there = b.sell(t, c.thereSeller, c.bob, "Algebra")
	return c
}

func (b *MarketFixture) sell(t *testing.T, seller, buyer user.Caller, name string) order.Order {
	t.Helper()
	return b.Buy(t, buyer, b.Post(t, seller, Draft(name, "MTH 440", 1000)).ID).Orders[0].Order
}

func wantOrders(t *testing.T, what string, got []market.OrderView, err error, want ...order.ID) {
	t.Helper()
	must.Do(t, err)
	var ids []order.ID
	for _, v := range got {
		ids = append(ids, v.ID)
	}
	if !slices.Equal(ids, want) {
		t.Errorf("%s: %v, want %v", what, ids, want)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func listsOfACampus(t *testing.T, b *MarketFixture) {
	c := b.twoSales(t)
	all, _, err := b.Orders.ListAll(t.Context(), c.dean, buying.OrderFilter{}, market.Page{})
	wantOrders(t, "all orders", all, err, c.here.ID)
	placed := order.Placed
	all, _, err = b.Orders.ListAll(t.Context(), c.dean, buying.OrderFilter{Status: &placed}, market.Page{})
	wantOrders(t, "placed orders", all, err, c.here.ID)
	q, _, err := b.Orders.Queue(t.Context(), c.dean, buying.ToCheck, market.Page{})
	wantOrders(t, "the queue", q.Orders, err, c.here.ID)
	equal(t, "backlog", q.Backlog.N, 1)
	all, err = b.Orders.Review(t.Context(), c.dean, []order.ID{c.here.ID, c.there.ID})
	wantOrders(t, "the review", all, err, c.here.ID)
	books, _ := must.Get2(b.Listings.ListByStatus(t.Context(), c.dean, book.Bought, market.Page{}))(t)
	same(t, "sold books", namesOf(books), []string{"Topology"})
	all, _, err = b.Orders.ListAll(t.Context(), c.owner, buying.OrderFilter{}, market.Page{})
	wantOrders(t, "an owner's list", all, err, c.there.ID, c.here.ID)
}

func namesOf(all []market.BookView) (names []string) {
	for _, v := range all {
		names = append(names, v.Name)
	}
	return names
}

func pagesOfACampus(t *testing.T, b *MarketFixture) {
	c := b.twoSales(t)
	second := b.sell(t, c.hereSeller, c.bob, "Analysis")
	b.sell(t, c.thereSeller, c.bob, "Analysis")
	page, next, err := b.Orders.ListAll(t.Context(), c.dean, buying.OrderFilter{}, market.Page{Limit: 1})
	wantOrders(t, "the first page", page, err, second.ID)
	page, next, err = b.Orders.ListAll(t.Context(), c.dean, buying.OrderFilter{}, market.Page{Limit: 1, Cursor: next})
	wantOrders(t, "the last page", page, err, c.here.ID)
	equal(t, "a further page", next, "")
	page, _, err = b.Orders.ListAll(t.Context(), c.dean, buying.OrderFilter{Search: "analysis"}, market.Page{})
	wantOrders(t, "a search", page, err, second.ID)
	for search, want := range map[order.Code][]order.ID{c.here.ID.Code(): {c.here.ID}, c.there.ID.Code(): nil} {
		page, _, err = b.Orders.ListAll(t.Context(), c.dean, buying.OrderFilter{Search: string(search)}, market.Page{})
		wantOrders(t, "the code "+string(search), page, err, want...)
	}
	for _, draft := range []string{"Physics", "Botany"} {
		b.Post(t, c.hereSeller, Draft(draft, "X 1", 500))
		b.Post(t, c.thereSeller, Draft(draft, "X 1", 500))
	}
	books, at := must.Get2(b.Listings.ListByStatus(t.Context(), c.dean, book.ForSale, market.Page{Limit: 1}))(t)
	same(t, "the first page of books", namesOf(books), []string{"Botany"})
	books, _ = must.Get2(b.Listings.ListByStatus(t.Context(), c.dean, book.ForSale, market.Page{Limit: 5, Cursor: at}))(t)
	same(t, "the rest of the books", namesOf(books), []string{"Physics"})
}

// acts are what an admin does with the sale of a book.
func (b *MarketFixture) acts(id book.ID) map[string]func(context.Context, user.Caller) error {
	return map[string]func(context.Context, user.Caller) error{
		"confirm": func(ctx context.Context, by user.Caller) error { _, err := b.Orders.Confirm(ctx, by, id); return err },
		"settle":  func(ctx context.Context, by user.Caller) error { _, err := b.Orders.Settle(ctx, by, id); return err },
		"pay":     func(ctx context.Context, by user.Caller) error { _, err := b.Orders.SetPaid(ctx, by, id); return err },
		"cancel": func(ctx context.Context, by user.Caller) error {
			return must.Err(b.Orders.Cancel(ctx, by, id, "broken"))
		},
	}
}

func salesElsewhere(t *testing.T, b *MarketFixture) {
	c := b.twoSales(t)
	for act, do := range b.acts(c.there.Book) {
		t.Log(act)
		refused(t, do(t.Context(), c.dean), user.ErrOtherCampus)
		refused(t, b.acts(b.Post(t, c.thereSeller, Draft(act, "X 1", 500)).ID)[act](t.Context(), c.dean), user.ErrOtherCampus)
	}
	refused(t, must.Err(b.Orders.Get(t.Context(), c.dean, c.there.ID)), order.ErrNotFound)
	done := must.Get(b.Orders.ConfirmAll(t.Context(), c.dean, []order.ID{c.here.ID, c.there.ID}))(t)
	if len(done) != 1 || done[0].Order.ID != c.here.ID || done[0].Err != nil {
		t.Errorf("confirmed %+v, want the order here", done)
	}
	v := must.Get(b.Orders.Get(t.Context(), c.owner, c.there.ID))(t)
	equal(t, "status elsewhere", v.Status, order.Placed)
	v = must.Get(b.Orders.Get(t.Context(), c.dean, c.here.ID))(t)
	equal(t, "what admins see of the seller", v.SellerParty.PaymentUsername, "pay-ann")
	must.Get(b.Orders.SetPaid(t.Context(), c.dean, c.here.Book))(t)
	b.CheckLedger(t)
}

func booksElsewhere(t *testing.T, b *MarketFixture) {
	c := b.twoSales(t)
	here, there := b.Post(t, c.hereSeller, Draft("Physics", "X 1", 500)), b.Post(t, c.thereSeller, Draft("Botany", "X 1", 500))
	for _, id := range []book.ID{there.ID, c.there.Book} {
		refused(t, must.Err(b.BookAdmin.History(t.Context(), c.dean, id)), user.ErrOtherCampus)
	}
	refused(t, must.Err(b.BookAdmin.Unlist(t.Context(), c.dean, []book.ID{here.ID, there.ID}, "spam")), user.ErrOtherCampus)
	must.Get(b.BookAdmin.Unlist(t.Context(), c.owner, []book.ID{here.ID, there.ID}, "spam"))(t)
	refused(t, b.BookAdmin.Relist(t.Context(), c.dean, there.ID), user.ErrOtherCampus)
	for _, do := range b.acts(there.ID) {
		refused(t, do(t.Context(), c.dean), user.ErrOtherCampus)
	}
	must.Do(t, b.BookAdmin.Relist(t.Context(), c.dean, here.ID))
	for seller, want := range map[user.ID][]string{c.hereSeller.ID: {"Physics", "Topology"}, c.thereSeller.ID: nil} {
		posted := must.Get(b.BookAdmin.ListPosted(t.Context(), c.dean, seller))(t)
		same(t, "posted books", namesOf(posted), want)
	}
	h, err := b.BookAdmin.History(t.Context(), c.dean, c.here.Book)
	wantOrders(t, "the orders of a book", h.Orders, err, c.here.ID)
}

func ordersStay(t *testing.T, b *MarketFixture) {
	c := b.twoSales(t)
	b.moveTo(t, c.hereSeller, "Universität Köln")
	must.Get(b.Orders.Cancel(t.Context(), c.dean, c.here.Book, "broken"))(t)
	all, _, err := b.Orders.ListAll(t.Context(), c.dean, buying.OrderFilter{}, market.Page{})
	wantOrders(t, "orders", all, err, c.here.ID)
	b.Clock.Advance(time.Minute)
	must.Get(b.Listings.Unlist(t.Context(), c.hereSeller, c.here.Book))(t)
	must.Get(b.Listings.Relist(t.Context(), c.hereSeller, c.here.Book))(t)
	resold := b.Buy(t, c.bob, c.here.Book).Orders[0]
	koeln := b.campusAdmin(t, "rector", "universitat koln")
	h, err := b.BookAdmin.History(t.Context(), koeln, c.here.Book)
	wantOrders(t, "the orders of the book that the admins there see", h.Orders, err, resold.ID)
	refused(t, must.Err(b.BookAdmin.History(t.Context(), c.dean, c.here.Book)), user.ErrOtherCampus)
}

func buyersElsewhere(t *testing.T, b *MarketFixture) {
	c := b.twoSales(t)
	sold := b.sell(t, c.hereSeller, c.thereSeller, "Analysis")
	must.Get(b.Orders.Confirm(t.Context(), c.dean, sold.Book))(t)
	v := must.Get(b.Orders.Get(t.Context(), c.dean, sold.ID))(t)
	equal(t, "the buyer's mailbox", v.BuyerParty.CampusMailbox, "CPU eve")
}

func statisticsOfACampus(t *testing.T, b *MarketFixture) {
	c := b.twoSales(t)
	for _, asked := range []string{"", "UNIVERSITE DE LYON"} {
		d := must.Get(b.Statistics.Dashboard(t.Context(), c.dean, asked))(t)
		equal(t, "sold here", d.BooksByStatus[book.Bought], 1)
		p := must.Get(b.Statistics.OfPeriod(t.Context(), c.dean, asked, time.Time{}, time.Time{}))(t)
		equal(t, "sold here in the period", p.BooksByStatus[book.Bought], 1)
	}
	refused(t, must.Err(b.Statistics.Dashboard(t.Context(), c.dean, "Universität Köln")), user.ErrOtherCampus)
	refused(t, must.Err(b.Statistics.OfPeriod(t.Context(), c.dean, "Universität Köln", time.Time{}, time.Time{})), user.ErrOtherCampus)
	d := must.Get(b.Statistics.Dashboard(t.Context(), c.owner, ""))(t)
	equal(t, "sold anywhere", d.BooksByStatus[book.Bought], 2)
}

func adminsTradeToo(t *testing.T, b *MarketFixture) {
	c := b.twoSales(t)
	bought := b.sell(t, c.thereSeller, c.dean, "Analysis")
	v := must.Get(b.Orders.Get(t.Context(), c.dean, bought.ID))(t)
	equal(t, "how the seller is paid", v.SellerParty.PaymentUsername, "")
	refused(t, must.Err(b.Orders.Confirm(t.Context(), c.dean, bought.Book)), user.ErrOtherCampus)
	must.Get(b.Orders.Withdraw(t.Context(), c.dean, bought.ID, "changed my mind"))(t)
}
