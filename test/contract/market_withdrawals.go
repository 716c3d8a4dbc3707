package contract

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketWithdrawals(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a buyer's cancellation offers the book again":            buyerWithdraws,
		"a seller's cancellation takes the book off sale":         sellerWithdraws,
		"an order cannot be cancelled after the check, or twice":  withdrawLate,
		"the order of another user does not exist for the caller": withdrawOfOthers,
		"a buyer cancels at most five purchases in seven days":    tooManyWithdrawals,
		"a buyer's cancellation does not relist a deserted book":  withdrawDeserted,
		"both sides list their orders in every status":            ownOrders,
		"an order has a timeline with names":                      orderDetails,
		"notifications and mails name the order":                  orderMessages,
	})
}

// orderOf returns the newest order of a buyer.
func (b *MarketFixture) orderOf(t *testing.T, buyer user.Caller) buying.OrderDetails {
	t.Helper()
	all, _ := must.Get2(b.Orders.ListOwn(t.Context(), buyer, buying.OwnOrders{Side: order.BuyerSide}, market.Page{Limit: 1}))(t)
	if len(all) != 1 {
		t.Fatal("there is no order")
	}
	return all[0]
}

func buyerWithdraws(t *testing.T, b *MarketFixture) {
	ann, bob, _, v := b.aSale(t)
	eve := b.Join(t, "eve", user.Regular)
	b.Request(t, eve, book.RequestDraft{Name: "Calculus", Course: "X 1"})
	o := b.orderOf(t, bob)
	for _, bad := range []string{"", "  ", "a\x00b", strings.Repeat("x", 501)} {
		refused(t, must.Err(b.Orders.Withdraw(t.Context(), bob, o.ID, bad)), order.ErrReason)
	}
	got := must.Get(b.Orders.Withdraw(t.Context(), bob, o.ID, "found in the library"))(t)
	if got.Status != order.Cancelled || got.Reason != "found in the library" || got.CancelledBy != bob.ID || got.CancellerName != "bob" ||
		!got.CancelledAt.Equal(b.Clock.Now()) || got.BuyerParty.PaymentUsername != "" || got.About.Status != book.ForSale {
		t.Errorf("cancelled %+v", got)
	}
	if len(b.search(t, "calculus")) != 1 {
		t.Error("the book is not for sale again")
	}
	b.expectMatch(t, eve, "eve@rochester.edu", v.ID, book.ByTitle)
	for _, who := range []user.Caller{ann, bob} {
		if notified := b.NotificationsOf(t, who); notified[len(notified)-1] != notification.OrderCancelled {
			t.Errorf("%d was notified of %v", who.ID, notified)
		}
	}
	audits := b.Audits(t)
	if last := audits[len(audits)-1]; last.Action != "order.withdrawn" || last.Actor != bob.ID || last.Target != v.ID.String() || last.IP != "192.0.2.7" {
		t.Errorf("the audit log has %+v", last)
	}
	b.wantEvents(t, v.ID, event.BookPosted, event.OrderPlaced, event.OrderCancelled, event.BookPosted, event.RequestMatched)
	b.Buy(t, eve, v.ID)
	b.CheckLedger(t)
}

func sellerWithdraws(t *testing.T, b *MarketFixture) {
	ann, bob, _, v := b.aSale(t)
	b.Request(t, b.Join(t, "eve", user.Regular), book.RequestDraft{Name: "Calculus", Course: "X 1"})
	got := must.Get(b.Orders.Withdraw(t.Context(), ann, b.orderOf(t, bob).ID, "lost it"))(t)
	if got.Status != order.Cancelled || got.CancelledBy != ann.ID || got.CancellerName != "ann" || got.About.Status != book.Unlisted {
		t.Errorf("cancelled %+v", got)
	}
	if len(b.search(t, "calculus")) != 0 {
		t.Error("the book is for sale")
	}
	b.wantEvents(t, v.ID, event.BookPosted, event.OrderPlaced, event.OrderCancelled, event.BookUnlisted)
	if _, err := b.Listings.Relist(t.Context(), ann, v.ID); err != nil {
		t.Errorf("the seller cannot offer it again: %v", err)
	}
	b.CheckLedger(t)
}

func withdrawLate(t *testing.T, b *MarketFixture) {
	ann, bob, dean, v := b.aSale(t)
	first := b.orderOf(t, bob).ID
	withdraw := func(by user.Caller, id order.ID) error {
		return must.Err(b.Orders.Withdraw(t.Context(), by, id, "because"))
	}
	must.Do(t, withdraw(bob, first))
	refused(t, withdraw(bob, first), order.ErrTransition)
	refused(t, withdraw(ann, first), order.ErrTransition)
	b.Buy(t, bob, v.ID)
	refused(t, withdraw(bob, first), order.ErrTransition) // the next order of the book is another one
	second := b.orderOf(t, bob).ID
	must.Get(b.Orders.Confirm(t.Context(), dean, v.ID))(t)
	refused(t, withdraw(bob, second), order.ErrTransition)
	refused(t, withdraw(ann, second), order.ErrTransition)
	must.Get(b.Orders.SetPaid(t.Context(), dean, v.ID))(t)
	refused(t, withdraw(bob, second), order.ErrTransition)
	b.CheckLedger(t)
}

func withdrawOfOthers(t *testing.T, b *MarketFixture) {
	_, bob, dean, _ := b.aSale(t)
	eve := b.Join(t, "eve", user.Regular)
	id := b.orderOf(t, bob).ID
	for _, who := range []user.Caller{eve, dean} { // admins cancel with Cancel
		refused(t, must.Err(b.Orders.Withdraw(t.Context(), who, id, "because")), order.ErrNotFound)
	}
	refused(t, must.Err(b.Orders.Withdraw(t.Context(), bob, id+1_000_000, "because")), order.ErrNotFound)
	refused(t, must.Err(b.Orders.Get(t.Context(), eve, id)), order.ErrNotFound)
	refused(t, must.Err(b.Orders.Get(t.Context(), eve, 404)), order.ErrNotFound)
	own, _ := must.Get2(b.Orders.ListOwn(t.Context(), eve, buying.OwnOrders{Side: order.EitherSide}, market.Page{}))(t)
	if len(own) != 0 {
		t.Errorf("eve lists %+v", own)
	}
}

func tooManyWithdrawals(t *testing.T, b *MarketFixture) {
	ann, bob, dean, v := b.aSale(t)
	withdraw := func() error { return must.Err(b.Orders.Withdraw(t.Context(), bob, b.orderOf(t, bob).ID, "because")) }
	start := b.Clock.Now()
	for range order.MaxCancels {
		must.Do(t, withdraw())
		b.Buy(t, bob, v.ID)
	}
	refused(t, withdraw(), order.ErrTooManyCancels)
	if _, err := b.Orders.Cancel(t.Context(), dean, v.ID, "he asked for it"); err != nil {
		t.Errorf("an admin cannot cancel: %v", err)
	}
	b.Buy(t, bob, v.ID)
	other := b.Post(t, bob, Draft("Physics", "PHY 121", 1000))
	b.Buy(t, ann, other.ID)
	_, err := b.Orders.Withdraw(t.Context(), bob, b.orderOf(t, ann).ID, "sold it elsewhere")
	must.Do(t, err) // the limit is for buyers
	refused(t, withdraw(), order.ErrTooManyCancels)
	b.Clock.Advance(order.CancelWindow - b.Clock.Now().Sub(start) + time.Second) // the first one is forgotten
	must.Do(t, withdraw())
	b.CheckLedger(t)
}

func withdrawDeserted(t *testing.T, b *MarketFixture) {
	ann, bob, _, _ := b.aSale(t)
	id := b.orderOf(t, bob).ID
	b.DeleteUser(t, ann)
	got := must.Get(b.Orders.Withdraw(t.Context(), bob, id, "because"))(t)
	if got.About.Status != book.Unlisted || len(b.search(t, "calculus")) != 0 {
		t.Errorf("back as %+v", got.About)
	}
	b.CheckLedger(t)
}

func ownOrders(t *testing.T, b *MarketFixture) {
	ann, bob, _, v := b.aSale(t)
	must.Get(b.Orders.Withdraw(t.Context(), ann, b.orderOf(t, bob).ID, "lost it"))(t)
	b.Buy(t, bob, b.Post(t, ann, Draft("Physics", "PHY 121", 2000)).ID)
	b.Buy(t, ann, b.Post(t, bob, Draft("Chemistry", "CHM 131", 3000)).ID)
	cancelled, placed, unknown := order.Cancelled, order.Placed, order.Status(4)
	for name, c := range map[string]struct {
		f    buying.OwnOrders
		want []string
	}{
		"either side":      {buying.OwnOrders{Side: order.EitherSide}, []string{"Chemistry 1", "Physics 1", "Calculus -1 lost it by ann"}},
		"buyer":            {buying.OwnOrders{Side: order.BuyerSide}, []string{"Physics 1", "Calculus -1 lost it by ann"}},
		"seller":           {buying.OwnOrders{Side: order.SellerSide}, []string{"Chemistry 1"}},
		"cancelled":        {buying.OwnOrders{Side: order.BuyerSide, Status: &cancelled}, []string{"Calculus -1 lost it by ann"}},
		"placed as buyer":  {buying.OwnOrders{Side: order.BuyerSide, Status: &placed}, []string{"Physics 1"}},
		"seller cancelled": {buying.OwnOrders{Side: order.SellerSide, Status: &cancelled}, nil},
	} {
		var got []string
		for _, page := range walk(t, 1, func(p market.Page) ([]buying.OrderDetails, market.Cursor, error) {
			return b.Orders.ListOwn(t.Context(), bob, c.f, p)
		}) {
			for _, o := range page {
				line := fmt.Sprint(o.Name, " ", int(o.Status))
				if o.Reason != "" {
					line += " " + o.Reason + " by " + o.CancellerName
				}
				got = append(got, line)
				if o.About.ID != o.Book || o.About.Order != nil || o.SellerParty.PaymentUsername != "" {
					t.Errorf("%s: %+v", name, o)
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s lists %q, want %q", name, got, c.want)
		}
	}
	refused(t, must.Err(b.Orders.ListOwn(t.Context(), bob, buying.OwnOrders{Status: &unknown}, market.Page{})), market.ErrStatus)
	_ = v
}

func orderDetails(t *testing.T, b *MarketFixture) {
	ann, bob, dean, v := b.aSale(t)
	id := b.orderOf(t, bob).ID
	must.Get(b.Orders.Confirm(t.Context(), dean, v.ID))(t)
	must.Get(b.Orders.Cancel(t.Context(), dean, v.ID, "water damage"))(t)
	for _, who := range []user.Caller{ann, bob, dean} {
		o := must.Get(b.Orders.Get(t.Context(), who, id))(t)
		var steps []string
		for _, m := range o.Timeline() {
			steps = append(steps, string(m.Step)+" by "+o.NameOf(m.By))
		}
		if want := []string{"placed by bob", "verified by dean", "cancelled by dean", "refunded by dean"}; !slices.Equal(steps, want) {
			t.Errorf("the timeline is %q, want %q", steps, want)
		}
		if isAdmin := who.ID == dean.ID; o.About.Name != "Calculus" || (o.BuyerParty.PaymentUsername != "") != isAdmin || o.SellerParty.University != "University of Rochester" {
			t.Errorf("%d sees %+v", who.ID, o)
		}
	}
	found, _ := must.Get2(b.Orders.ListAll(t.Context(), dean, buying.OrderFilter{Search: " " + strings.ToLower(string(id.Code()))}, market.Page{}))(t)
	if len(found) != 1 || found[0].ID != id {
		t.Errorf("the code finds %+v", found)
	}
	placed := order.Placed
	if found, _, err := b.Orders.ListAll(t.Context(), dean, buying.OrderFilter{Search: string(id.Code()), Status: &placed}, market.Page{}); err != nil || len(found) != 0 {
		t.Errorf("in another status the code finds %+v, %v", found, err)
	}
	if found, _, err := b.Orders.ListAll(t.Context(), dean, buying.OrderFilter{Search: string((id + 12345).Code())}, market.Page{}); err != nil || len(found) != 0 {
		t.Errorf("a forged code finds %+v, %v", found, err)
	}
	algebra := b.Post(t, ann, Draft("Linear Algebra", "MTH 165", 1000)) // has the form of a code
	b.Buy(t, bob, algebra.ID)
	if found, _, err := b.Orders.ListAll(t.Context(), dean, buying.OrderFilter{Search: "Linear Algebra"}, market.Page{}); err != nil || len(found) != 1 {
		t.Errorf("a title finds %+v, %v", found, err)
	}
}

func orderMessages(t *testing.T, b *MarketFixture) {
	ann, bob, dean, v := b.aSale(t)
	id := b.orderOf(t, bob).ID
	must.Get(b.Orders.Confirm(t.Context(), dean, v.ID))(t)
	must.Get(b.Orders.SetPaid(t.Context(), dean, v.ID))(t)
	second := b.Post(t, ann, Draft("Physics", "PHY 121", 2000))
	b.Buy(t, bob, second.ID)
	withdrawn := must.Get(b.Orders.Withdraw(t.Context(), bob, b.orderOf(t, bob).ID, "because"))(t)
	for _, who := range []user.Caller{ann, bob} {
		all := must.Get(b.Ports.ListNotifications(t.Context(), who.ID, 0, 100))(t)
		for _, n := range all {
			want := order.ID(0)
			switch {
			case n.Kind == notification.Welcome || n.Kind == notification.BookPosted:
			case n.Book == v.ID:
				want = id
			default:
				want = withdrawn.ID
			}
			if n.Order != want {
				t.Errorf("%s leads to order %d, want %d", n.Kind, n.Order, want)
			}
		}
	}
	for _, m := range b.Mails(t) {
		if o := m.Params[message.ParamOrder]; o != id.String() && o != withdrawn.ID.String() || m.Params[message.ParamBook] == "" {
			t.Errorf("the mail %s has %v", m.Kind, m.Params)
		}
		if by := m.Params[message.ParamBy]; (m.Kind == message.OrderCancelled) != (by == message.ByBuyer) {
			t.Errorf("the mail %s says that the %s cancelled", m.Kind, by)
		}
	}
}

// raceWithdrawals lets buyer, seller and admin act on the same orders at once.
func raceWithdrawals(t *testing.T, b *MarketFixture) {
	ann, bob, dean, v := b.aSale(t)
	for range 4 {
		id := b.orderOf(t, bob).ID
		errs := make([]error, 4)
		must.Together(len(errs), func(i int) {
			switch i {
			case 0:
				_, errs[i] = b.Orders.Withdraw(t.Context(), bob, id, "the buyer")
			case 1:
				_, errs[i] = b.Orders.Withdraw(t.Context(), ann, id, "the seller")
			case 2:
				_, errs[i] = b.Orders.ForOrder(id).Confirm(t.Context(), dean, v.ID)
			case 3:
				_, errs[i] = b.Orders.ForOrder(id).Confirm(t.Context(), dean, v.ID)
			}
		})
		won := 0
		for _, err := range errs {
			switch {
			case err == nil:
				won++
			case !errors.Is(err, order.ErrTransition) && !errors.Is(err, book.ErrTransition):
				t.Errorf("failed with %v", err)
			}
		}
		if won != 1 {
			t.Errorf("%d of the cancellations and confirmations succeeded, want 1", won)
		}
		b.CheckLedger(t)
		if _, err := b.Orders.Cancel(t.Context(), dean, v.ID, "again"); err != nil { // a confirmed one
			_, _ = b.Listings.Relist(t.Context(), ann, v.ID) // the seller was first
		}
		b.Buy(t, bob, v.ID)
	}
}

// raceManyWithdrawals lets a buyer cancel more purchases at once than are allowed.
func raceManyWithdrawals(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	ids := make([]order.ID, order.MaxCancels+4)
	for i := range ids {
		ids[i] = b.Buy(t, bob, b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)).ID).Orders[0].ID
	}
	errs := make([]error, len(ids))
	must.Together(len(ids), func(i int) { _, errs[i] = b.Orders.Withdraw(t.Context(), bob, ids[i], "because") })
	cancelled := 0
	for _, err := range errs {
		if err == nil {
			cancelled++
		} else if !errors.Is(err, order.ErrTooManyCancels) {
			t.Errorf("failed with %v", err)
		}
	}
	if cancelled != order.MaxCancels {
		t.Errorf("%d purchases were cancelled, want %d", cancelled, order.MaxCancels)
	}
	b.CheckLedger(t)
}
