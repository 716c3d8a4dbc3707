package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketOrders(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"an admin confirms an order, then pays it":                confirmAndPay,
		"transitions out of order are refused":                    outOfTurn,
		"only admins change an order":                             onlyAdmins,
		"a cancellation relists the book and notifies both sides": cancelPlaced,
		"a cancellation after the charge refunds the buyer":       cancelCharged,
		"the book of a deleted seller is not relisted":            cancelDeserted,
		"a change for one order does not apply to the next":       onlyTheSaleRead,
		"purchases and sales include their orders":                traded,
		"both sides see why an order was cancelled":               cancelledHistory,
		"admins search all orders":                                transactions,
		"the ledger check finds inconsistencies":                  ledgerInconsistencies,
	})
}

// aSale is a sale from ann to bob; dean is an admin.
func (b *MarketFixture) aSale(t *testing.T) (ann, bob, dean user.Caller, v market.BookView) {
	ann, bob, dean = b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	v = b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.Buy(t, bob, v.ID)
	return ann, bob, dean, v
}

func confirmAndPay(t *testing.T, b *MarketFixture) {
	ann, bob, dean, v := b.aSale(t)
	o := must.Get(b.Orders.Confirm(t.Context(), dean, v.ID))(t)
	if o.Status != order.Verified || !o.VerifiedAt.Equal(b.Clock.Now()) || o.BuyerParty.PaymentUsername != "pay-bob" {
		t.Errorf("confirmed %+v", o)
	}
	b.CheckLedger(t)
	o = must.Get(b.Orders.SetPaid(t.Context(), dean, v.ID))(t)
	if o.Status != order.Delivered || !o.DeliveredAt.Equal(b.Clock.Now()) {
		t.Errorf("paid %+v", o)
	}
	b.CheckLedger(t)
	buyer := []notification.Kind{notification.PurchasePlaced, notification.ConditionVerified, notification.BookDelivered}
	seller := []notification.Kind{notification.BookPosted, notification.BookSold, notification.ConditionVerified, notification.PaymentSent}
	if !slices.Equal(b.NotificationsOf(t, bob), buyer) || !slices.Equal(b.NotificationsOf(t, ann), seller) {
		t.Errorf("notified the buyer of %v, the seller of %v", b.NotificationsOf(t, bob), b.NotificationsOf(t, ann))
	}
	buyerMail := []message.Kind{message.PurchasePlaced, message.ConditionVerified, message.BookDelivered}
	sellerMail := []message.Kind{message.BookSold, message.PaymentSent}
	if !slices.Equal(b.MailsTo(t, "bob@rochester.edu"), buyerMail) || !slices.Equal(b.MailsTo(t, "ann@rochester.edu"), sellerMail) {
		t.Errorf("mailed the buyer %v, the seller %v", b.MailsTo(t, "bob@rochester.edu"), b.MailsTo(t, "ann@rochester.edu"))
	}
	var acts []string
	for _, e := range b.Audits(t) {
		acts = append(acts, e.Action+" "+e.Target)
	}
	if want := []string{"order.confirmed " + v.ID.String(), "order.paid " + v.ID.String()}; !slices.Equal(acts, want) {
		t.Errorf("the audit log has %v, want %v", acts, want)
	}
}

func outOfTurn(t *testing.T, b *MarketFixture) {
	_, _, dean, v := b.aSale(t)
	offered := b.Post(t, b.Join(t, "eve", user.Regular), Draft("Physics", "PHY 121", 1000))
	confirm := func(id book.ID) error { _, err := b.Orders.Confirm(t.Context(), dean, id); return err }
	pay := func(id book.ID) error { _, err := b.Orders.SetPaid(t.Context(), dean, id); return err }
	cancel := func(id book.ID) error { _, err := b.Orders.Cancel(t.Context(), dean, id, "why not"); return err }
	for _, do := range []func(book.ID) error{confirm, pay, cancel} {
		refused(t, do(404), book.ErrNotFound)
		refused(t, do(offered.ID), book.ErrTransition)
	}
	refused(t, pay(v.ID), book.ErrTransition)
	must.Do(t, confirm(v.ID))
	refused(t, confirm(v.ID), book.ErrTransition)
	must.Do(t, pay(v.ID))
	for _, do := range []func(book.ID) error{confirm, pay, cancel} {
		refused(t, do(v.ID), book.ErrTransition)
	}
	b.CheckLedger(t)
}

func onlyAdmins(t *testing.T, b *MarketFixture) {
	ann, bob, _, v := b.aSale(t)
	for _, who := range []user.Caller{ann, bob} {
		refused(t, must.Err(b.Orders.Confirm(t.Context(), who, v.ID)), user.ErrForbidden)
		refused(t, must.Err(b.Orders.SetPaid(t.Context(), who, v.ID)), user.ErrForbidden)
		refused(t, must.Err(b.Orders.Cancel(t.Context(), who, v.ID, "please")), user.ErrForbidden)
		refused(t, must.Err(b.Orders.ListAll(t.Context(), who, buying.OrderFilter{}, market.Page{})), user.ErrForbidden)
	}
}

func onlyTheSaleRead(t *testing.T, b *MarketFixture) {
	_, bob, dean, v := b.aSale(t)
	read := func() *buying.Orders {
		t.Helper()
		views, _ := must.Get2(b.Orders.ListPurchased(t.Context(), bob, market.Page{}))(t)
		return b.Orders.ForOrder(views[0].Order.ID)
	}
	old := read()
	must.Get(old.Cancel(t.Context(), dean, v.ID, "no show"))(t)
	b.Buy(t, bob, v.ID)
	_, cancel := old.Cancel(t.Context(), dean, v.ID, "no show")
	_, confirm := old.Confirm(t.Context(), dean, v.ID)
	_, pay := old.SetPaid(t.Context(), dean, v.ID)
	for _, err := range []error{cancel, confirm, pay} {
		refused(t, err, book.ErrTransition)
	}
	must.Get(read().Confirm(t.Context(), dean, v.ID))(t)
	b.CheckLedger(t)
}

func cancelPlaced(t *testing.T, b *MarketFixture) {
	ann, bob, dean, v := b.aSale(t)
	eve := b.Join(t, "eve", user.Regular)
	b.Request(t, eve, book.RequestDraft{Name: "Calculus", Course: "X 1"})
	for _, bad := range []string{"", "  ", "a\x00b", strings.Repeat("x", 501)} {
		refused(t, must.Err(b.Orders.Cancel(t.Context(), dean, v.ID, bad)), order.ErrReason)
	}
	back := must.Get(b.Orders.Cancel(t.Context(), dean, v.ID, "never handed in"))(t)
	if back.Status != book.ForSale || back.Buyer != 0 || back.Order != nil || len(b.search(t, "calculus")) != 1 {
		t.Errorf("back as %+v", back)
	}
	b.expectMatch(t, eve, "eve@rochester.edu", v.ID, book.ByTitle)
	for _, m := range b.Mails(t) {
		if m.Kind == message.OrderCancelled && (m.Params[message.ParamReason] != "never handed in" || m.Params[message.ParamRefund] != "") {
			t.Errorf("the mail to %s says %v", m.To, m.Params)
		}
	}
	for _, who := range []user.Caller{ann, bob} {
		if notified := b.NotificationsOf(t, who); notified[len(notified)-1] != notification.OrderCancelled {
			t.Errorf("%d was notified of %v", who.ID, notified)
		}
	}
	bought, _ := must.Get2(b.Orders.ListPurchased(t.Context(), bob, market.Page{}))(t)
	if len(bought) != 0 {
		t.Error("a cancelled purchase is still listed")
	}
	b.Buy(t, eve, v.ID) // the book can be bought again
	b.CheckLedger(t)
}

func cancelCharged(t *testing.T, b *MarketFixture) {
	_, _, dean, v := b.aSale(t)
	must.Get(b.Orders.Confirm(t.Context(), dean, v.ID))(t)
	must.Get(b.Orders.Cancel(t.Context(), dean, v.ID, "water damage"))(t)
	b.CheckLedger(t)
	refunds := 0
	for _, m := range b.Mails(t) {
		if m.Kind == message.OrderCancelled && m.Params[message.ParamRefund] == "10.50" && m.To == "bob@rochester.edu" {
			refunds++
		}
	}
	if refunds != 1 {
		t.Errorf("mailed %d refunds, want 1", refunds)
	}
	s := must.Get(b.Statistics.Dashboard(t.Context(), dean, ""))(t)
	if s.MoneyMoved != 0 || s.FeesEarned != 0 {
		t.Errorf("after the refund %d moved and %d earned", s.MoneyMoved, s.FeesEarned)
	}
}

func cancelDeserted(t *testing.T, b *MarketFixture) {
	ann, _, dean, v := b.aSale(t)
	b.DeleteUser(t, ann)
	back := must.Get(b.Orders.Cancel(t.Context(), dean, v.ID, "the seller has left"))(t)
	if back.Status != book.Unlisted || len(b.search(t, "calculus")) != 0 {
		t.Errorf("back as %+v", back)
	}
	b.CheckLedger(t)
}

func traded(t *testing.T, b *MarketFixture) {
	ann, bob, dean, v := b.aSale(t)
	second := b.Post(t, ann, Draft("Physics", "PHY 121", 2000))
	b.Buy(t, bob, second.ID)
	must.Get(b.Orders.Confirm(t.Context(), dean, v.ID))(t)
	for name, read := range map[string]func(market.Page) ([]market.BookView, market.Cursor, error){
		"bought": func(p market.Page) ([]market.BookView, market.Cursor, error) {
			return b.Orders.ListPurchased(t.Context(), bob, p)
		},
		"sold": func(p market.Page) ([]market.BookView, market.Cursor, error) {
			return b.Orders.ListSold(t.Context(), ann, p)
		},
	} {
		all := slices.Concat(walk(t, 1, read)...)
		if len(all) != 2 || all[0].ID != second.ID || all[1].Order.Status != order.Verified || all[1].Order.SellerParty.Email != "ann@rochester.edu" {
			t.Errorf("%s %+v", name, all)
		}
	}
}

func cancelledHistory(t *testing.T, b *MarketFixture) {
	ann, bob, dean, v := b.aSale(t)
	must.Get(b.Orders.Cancel(t.Context(), dean, v.ID, "A page is missing."))(t)
	eve := b.Join(t, "eve", user.Regular)
	b.Buy(t, eve, v.ID)
	b.Buy(t, bob, b.Post(t, ann, Draft("Physics", "PHY 121", 2000)).ID)
	for name, c := range map[string]struct {
		by   user.Caller
		side order.Side
		want []string
	}{
		"the buyer":           {bob, order.BuyerSide, []string{"Physics 1 ", "Calculus -1 A page is missing."}},
		"the next buyer":      {eve, order.BuyerSide, []string{"Calculus 1 "}},
		"the seller":          {ann, order.SellerSide, []string{"Physics 1 ", "Calculus 1 ", "Calculus -1 A page is missing."}},
		"a seller as a buyer": {ann, order.BuyerSide, nil},
		"a buyer as a seller": {bob, order.SellerSide, nil},
		"an admin as a buyer": {dean, order.BuyerSide, nil},
	} {
		var got []string
		for _, page := range walk(t, 1, func(p market.Page) ([]market.OrderView, market.Cursor, error) {
			return b.Orders.ListHistory(t.Context(), c.by, c.side, p)
		}) {
			for _, o := range page {
				got = append(got, fmt.Sprint(o.Name, " ", int(o.Status), " ", o.Reason))
				if o.SellerParty.FirstName != "ann" || o.BuyerParty.PaymentUsername != "" || o.SellerParty.PaymentUsername != "" {
					t.Errorf("%s is shown %+v", name, o)
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s reads %q, want %q", name, got, c.want)
		}
	}
}

func transactions(t *testing.T, b *MarketFixture) {
	ann, bob, dean, v := b.aSale(t)
	eve := b.Join(t, "Éve", user.Regular)
	other := b.Post(t, ann, Draft("50% of Économie_1", "ECO 101", 2000))
	b.Buy(t, eve, other.ID)
	must.Get(b.Orders.Cancel(t.Context(), dean, v.ID, "mistake"))(t)
	_ = bob
	cancelled, placed := order.Cancelled, order.Placed
	for _, c := range []struct {
		filter buying.OrderFilter
		want   []book.ID
	}{
		{buying.OrderFilter{}, []book.ID{other.ID, v.ID}},
		{buying.OrderFilter{Status: &cancelled}, []book.ID{v.ID}},
		{buying.OrderFilter{Status: &placed}, []book.ID{other.ID}},
		{buying.OrderFilter{Search: "ECONOMIE"}, []book.ID{other.ID}},
		{buying.OrderFilter{Search: "EVE@roch"}, []book.ID{other.ID}},
		{buying.OrderFilter{Search: "OF EVE"}, []book.ID{other.ID}},
		{buying.OrderFilter{Search: "e\u0301VE"}, []book.ID{other.ID}},
		{buying.OrderFilter{Search: "Ève of"}, []book.ID{other.ID}},
		{buying.OrderFilter{Search: "\u0301"}, []book.ID{}},
		{buying.OrderFilter{Search: "of ANN"}, []book.ID{other.ID, v.ID}},
		{buying.OrderFilter{Search: "calc", Status: &cancelled}, []book.ID{v.ID}},
		{buying.OrderFilter{Search: "_"}, []book.ID{}},
		{buying.OrderFilter{Search: "cal\x00c"}, []book.ID{}},
		{buying.OrderFilter{Search: "cal\xff"}, []book.ID{}},
		{buying.OrderFilter{Search: "%"}, []book.ID{}},
		{buying.OrderFilter{Search: "' OR 1=1 --"}, []book.ID{}},
	} {
		var got []book.ID
		for _, page := range walk(t, 1, func(p market.Page) ([]market.OrderView, market.Cursor, error) {
			return b.Orders.ListAll(t.Context(), dean, c.filter, p)
		}) {
			for _, o := range page {
				got = append(got, o.Book)
			}
		}
		if !slices.Equal(got, c.want) && len(got)+len(c.want) > 0 {
			t.Errorf("%+v finds %v, want %v", c.filter, got, c.want)
		}
	}
	bad := order.Status(4)
	refused(t, must.Err(b.Orders.ListAll(t.Context(), dean, buying.OrderFilter{Status: &bad}, market.Page{})), market.ErrStatus)
	refused(t, must.Err(b.Orders.ListAll(t.Context(), dean, buying.OrderFilter{Search: strings.Repeat("x", 301)}, market.Page{})), buying.ErrSearchTooLong)
}

// tampers corrupt an order in status 2, as only direct access to the database can.
var tampers = map[string]func(context.Context, Stores, book.Book, order.Order) error{
	"an order paid out without entries": func(ctx context.Context, s Stores, _ book.Book, o order.Order) error {
		o.Status = order.Delivered
		return s.Buying.UpdateOrder(ctx, o, order.Verified, nil)
	},
	"a book ahead of its order": func(ctx context.Context, s Stores, one book.Book, _ order.Order) error {
		one.Status = book.Delivered
		return s.UpdateBook(ctx, one, book.Verified)
	},
	"a book with another buyer": func(ctx context.Context, s Stores, one book.Book, _ order.Order) error {
		one.Buyer++
		return s.UpdateBook(ctx, one, book.Verified)
	},
	"a book sold without an order": func(ctx context.Context, s Stores, one book.Book, _ order.Order) error {
		one.ID += 1_000_000
		return s.Selling.AddBook(ctx, one)
	},
	"a movement that does not sum to 0": func(ctx context.Context, s Stores, _ book.Book, o order.Order) error {
		return s.Buying.UpdateOrder(ctx, o, order.Verified, []order.Entry{{Order: o.ID, Movement: order.Payout, Account: order.Sellers, Amount: 1, At: o.CreatedAt}})
	},
}

func ledgerInconsistencies(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	before := 0
	for name, tamper := range tampers {
		v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
		b.Buy(t, bob, v.ID)
		must.Get(b.Orders.Confirm(t.Context(), dean, v.ID))(t)
		must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
			books, err1 := s.LockBooks(ctx, v.ID)
			o, err2 := s.Buying.LockOrder(ctx, v.ID)
			must.Do(t, errors.Join(err1, err2))
			return tamper(ctx, s, books[0], o)
		}))
		found := must.Get(b.Ledger.Check(t.Context()))(t)
		if len(found) <= before {
			t.Errorf("%s is not reported", name)
		}
		before = len(found)
	}
}
