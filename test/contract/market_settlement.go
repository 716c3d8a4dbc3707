package contract

import (
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketSettlement(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"an admin settles at once what was handed over":          settledAtOnce,
		"an admin can also charge first and pay later":           settledInSteps,
		"an admin who has charged the buyer settles the rest":    settledAfterCharge,
		"only what was handed over in person is settled":         notSettled,
		"nobody settles their own purchase or sale":              ownNotSettled,
		"neither side can cancel what was handed over":           handedOverForGood,
		"nobody is charged twice when many settle":               raceSettlements,
		"what was handed over waits in a queue of its own":       settlementQueue,
		"a suspension does not undo a hand-over":                 handedOverAndSuspended,
		"a code counts from one hour before the agreed time":     codeTooEarly,
		"a buyer who pays directly leaves nothing to do":         paidDirectly,
		"an order with a fee is not paid directly":               feeIsNotDirect,
		"an order that the desk settles is not paid directly":    deskIsNotDirect,
		"money that was handed over is not counted as moved yet": moneyNotMoved,
	})
}

// aHandover is a meeting at which the book was handed over.
func (b *MarketFixture) aHandover(t *testing.T) aMeeting {
	t.Helper()
	m := b.aMeeting(t)
	must.Do(t, b.confirm(t, m, b.agree(t, m)))
	b.Clock.Advance(time.Minute)
	return m
}

// lastOf returns the last notification of somebody.
func (b *MarketFixture) lastOf(t *testing.T, who user.Caller) notification.Kind {
	t.Helper()
	all := b.NotificationsOf(t, who)
	return all[len(all)-1]
}

func settledAtOnce(t *testing.T, b *MarketFixture) {
	m := b.aHandover(t)
	refused(t, must.Err(b.Orders.Settle(t.Context(), m.ann, m.order.Book)), user.ErrForbidden)
	v := must.Get(b.Orders.Settle(t.Context(), m.dean, m.order.Book))(t)
	if v.Status != order.Delivered || v.VerifiedBy != m.dean.ID || v.DeliveredBy != m.dean.ID || v.Handover != order.AtMeeting || v.Meeting == nil {
		t.Errorf("the order is %+v, want it settled by the admin", v)
	}
	b.CheckLedger(t)
	if s, p := b.lastOf(t, m.ann), b.lastOf(t, m.bob); s != notification.PaymentSent || p != notification.BookDelivered {
		t.Errorf("the last notifications are %s and %s", s, p)
	}
	mails := b.Mails(t)
	if last := mails[len(mails)-1]; last.Kind != message.BookDelivered || last.Params[message.ParamMet] != "yes" || last.Params[message.ParamTotal] == "" {
		t.Errorf("the last mail is %+v, want the bill of a meeting", last)
	}
	var types []event.Type
	for _, e := range b.Events(t) {
		types = append(types, e.Type)
	}
	if n := len(types); types[n-2] != event.OrderVerified || types[n-1] != event.OrderDelivered {
		t.Errorf("the events are %v, want both steps at the end", types)
	}
	if got := b.Audits(t); got[len(got)-1].Action != "order.settled" || got[len(got)-1].Actor != m.dean.ID {
		t.Errorf("the last audit entry is %+v", got[len(got)-1])
	}
	refused(t, must.Err(b.Orders.Settle(t.Context(), m.dean, m.order.Book)), order.ErrNotHandedOver)
}

func settledInSteps(t *testing.T, b *MarketFixture) {
	m := b.aHandover(t)
	v := must.Get(b.Orders.Confirm(t.Context(), m.dean, m.order.Book))(t)
	if v.Status != order.Verified || v.Handover != order.AtMeeting || v.Meeting == nil {
		t.Errorf("the order is %+v", v)
	}
	if next, ok := meeting.Both.Next(v.Order, v.Meeting); !ok || next.Who != order.AdminSide || next.What != order.Settle {
		t.Errorf("next is %+v, want the payment", next)
	}
	v = must.Get(b.Orders.SetPaid(t.Context(), m.dean, m.order.Book))(t)
	if v.Status != order.Delivered {
		t.Errorf("the order is %+v", v)
	}
	b.CheckLedger(t)
}

func settledAfterCharge(t *testing.T, b *MarketFixture) {
	m := b.aHandover(t)
	charged := must.Get(b.Orders.Confirm(t.Context(), m.dean, m.order.Book))(t)
	b.Clock.Advance(time.Minute)
	v := must.Get(b.Orders.Settle(t.Context(), m.dean, m.order.Book))(t)
	if v.Status != order.Delivered || !v.VerifiedAt.Equal(charged.VerifiedAt) || !v.DeliveredAt.Equal(b.Clock.Now()) {
		t.Errorf("the order is %+v, want it charged once and paid", v)
	}
	refused(t, must.Err(b.Orders.Settle(t.Context(), m.dean, m.order.Book)), order.ErrNotHandedOver)
	b.CheckLedger(t)
}

func notSettled(t *testing.T, b *MarketFixture) {
	ann, bob, dean, v := b.aSale(t)
	refused(t, must.Err(b.Orders.Settle(t.Context(), dean, v.ID)), order.ErrNotHandedOver)
	o := must.Get(b.Orders.Confirm(t.Context(), dean, v.ID))(t)
	if o.Handover != order.AtDesk || !o.HandedOverAt.Equal(b.Clock.Now()) {
		t.Errorf("at the desk the order is %+v", o)
	}
	refused(t, must.Err(b.Orders.Settle(t.Context(), dean, v.ID)), order.ErrNotHandedOver)
	refused(t, must.Err(b.Orders.Settle(t.Context(), dean, b.Post(t, ann, Draft("Physics", "PHY 121", 1000)).ID)), book.ErrTransition)
	b.CheckLedger(t)
	_ = bob
}

func ownNotSettled(t *testing.T, b *MarketFixture) {
	ann, eve, dean := b.Join(t, "ann", user.Admin), b.Join(t, "eve", user.Admin), b.Join(t, "dean", user.Admin)
	b.Buy(t, eve, b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)).ID)
	m := aMeeting{ann, eve, dean, b.orderOf(t, eve), b.aPlace(t, dean, "Gate")}
	must.Do(t, b.confirm(t, m, b.agree(t, m)))
	for _, party := range []user.Caller{ann, eve} {
		refused(t, must.Err(b.Orders.Settle(t.Context(), party, m.order.Book)), user.ErrOwnAffair)
	}
	must.Get(b.Orders.Settle(t.Context(), dean, m.order.Book))(t)
	b.CheckLedger(t)
}

func handedOverForGood(t *testing.T, b *MarketFixture) {
	m := b.aHandover(t)
	for _, by := range []user.Caller{m.ann, m.bob} {
		refused(t, must.Err(b.Orders.Withdraw(t.Context(), by, m.order.ID, "because")), order.ErrHandedOver)
		refused(t, must.Err(b.Meetings.Propose(t.Context(), by, m.order.ID, m.place.ID, b.tomorrow())), order.ErrTransition)
	}
	o := b.orderOf(t, m.bob)
	if o.Status != order.Placed || o.Meeting == nil {
		t.Errorf("the order is %+v", o)
	}
	if next, ok := meeting.Both.Next(o.Order, o.Meeting); !ok || next.Who != order.AdminSide || next.What != order.Settle {
		t.Errorf("next is %+v, want the settlement", next)
	}
	must.Get(b.Orders.Cancel(t.Context(), m.dean, m.order.Book, "The two agreed."))(t)
	b.CheckLedger(t)
}

func raceSettlements(t *testing.T, b *MarketFixture) {
	m := b.aHandover(t)
	errs := make([]error, 6)
	must.Together(len(errs), func(i int) {
		if i%2 == 0 {
			_, errs[i] = b.Orders.Settle(t.Context(), m.dean, m.order.Book)
		} else {
			_, errs[i] = b.Orders.Confirm(t.Context(), m.dean, m.order.Book)
		}
	})
	var settled, confirmed int
	for i, err := range errs {
		switch {
		case err == nil && i%2 == 0:
			settled++
		case err == nil:
			confirmed++
		case fault.KindOf(err) != fault.Conflict:
			t.Errorf("a second one got %v", err)
		}
	}
	if settled != 1 || confirmed > 1 { // whoever confirms first leaves the payment to whoever settles
		t.Errorf("%d have paid the seller, %d have charged the buyer before", settled, confirmed)
	}
	b.CheckLedger(t)
}

func settlementQueue(t *testing.T, b *MarketFixture) {
	m := b.aHandover(t)
	other := b.Buy(t, m.bob, b.Post(t, m.ann, Draft("Physics", "PHY 121", 1000)).ID).Orders[0]
	for stage, want := range map[buying.Stage][]order.ID{buying.ToSettle: {m.order.ID}, buying.ToCheck: {other.ID}, buying.ToHandOver: nil} {
		q, _ := must.Get2(b.Orders.Queue(t.Context(), m.dean, stage, market.Page{}))(t)
		var ids []order.ID
		for _, o := range q.Orders {
			ids = append(ids, o.ID)
		}
		if !slices.Equal(ids, want) || q.Backlog.N != len(want) {
			t.Errorf("at stage %d there are %v (%d), want %v", stage, ids, q.Backlog.N, want)
		}
	}
}

func handedOverAndSuspended(t *testing.T, b *MarketFixture) {
	m := b.aHandover(t)
	b.suspend(t, m.bob)
	o, err := b.Orders.Get(t.Context(), m.dean, m.order.ID)
	if err != nil || o.Status != order.Placed || !o.Met() {
		t.Errorf("the order is %+v, %v; want it to wait for its settlement", o, err)
	}
}

func codeTooEarly(t *testing.T, b *MarketFixture) {
	m := b.aMeeting(t)
	at := b.Clock.Now().Add(30 * 24 * time.Hour)
	code := b.agreeOn(t, m, at)
	b.Clock.Advance(at.Add(-time.Hour).Sub(b.Clock.Now()) - time.Second)
	for range meeting.TriesPerOrder + 1 { // none of these counts
		err := b.confirm(t, m, wrong(code))
		refused(t, err, meeting.ErrEarly)
		if from := fault.As(err).Details["from"]; from != at.Add(-time.Hour).Format(time.RFC3339) {
			t.Fatalf("the code counts from %s", from)
		}
	}
	refused(t, b.confirm(t, m, code), meeting.ErrEarly)
	b.Clock.Advance(time.Second)
	must.Do(t, b.confirm(t, m, code))
}

// direct makes buyers pay sellers when they meet, at a fee.
func (b *MarketFixture) direct(fee order.FeeRate) {
	deps := b.Deps
	deps.Settlement = order.Direct
	b.Checkout = b.Over(deps, func(c *rooms.Config) { c.Fee = fee }).Checkout
}

func paidDirectly(t *testing.T, b *MarketFixture) {
	b.direct(0)
	m := b.aMeeting(t)
	mails := b.Mails(t)
	for _, mail := range mails[len(mails)-2:] {
		if mail.Params[message.ParamSettlement] != "direct" || mail.Params[message.ParamFrom] == "" {
			t.Errorf("%s does not say whom the buyer pays: %v", mail.Kind, mail.Params)
		}
	}
	v := must.Get(b.Meetings.Confirm(t.Context(), m.ann, m.order.ID, string(b.agree(t, m))))(t)
	if v.Status != order.Delivered || v.Settlement != order.Direct || v.DeliveredBy != m.ann.ID || !v.VerifiedAt.IsZero() || v.About.Status != book.Delivered {
		t.Errorf("the order is %+v, want it delivered", v)
	}
	if s, p := b.lastOf(t, m.ann), b.lastOf(t, m.bob); s != notification.HandedOver || p != notification.HandedOver {
		t.Errorf("the last notifications are %s and %s", s, p)
	}
	b.CheckLedger(t)
	d := must.Get(b.Statistics.Dashboard(t.Context(), m.dean, ""))(t)
	if d.MoneyMoved != 1000 || d.FeesEarned != 0 {
		t.Errorf("moved %d, fees %d", d.MoneyMoved, d.FeesEarned)
	}
	refused(t, must.Err(b.Orders.Settle(t.Context(), m.dean, m.order.Book)), order.ErrNotHandedOver)
}

func feeIsNotDirect(t *testing.T, b *MarketFixture) {
	b.direct(Fee)
	m := b.aMeeting(t)
	v := must.Get(b.Meetings.Confirm(t.Context(), m.ann, m.order.ID, string(b.agree(t, m))))(t)
	if v.Settlement != order.Operator || v.Status != order.Placed {
		t.Errorf("the order is %+v", v)
	}
}

func deskIsNotDirect(t *testing.T, b *MarketFixture) {
	b.direct(0)
	_, _, dean, v := b.aSale(t)
	o := must.Get(b.Orders.Confirm(t.Context(), dean, v.ID))(t)
	if o.Settlement != order.Operator || o.Handover != order.AtDesk {
		t.Errorf("the order is %+v", o)
	}
	must.Get(b.Orders.SetPaid(t.Context(), dean, v.ID))(t)
	b.CheckLedger(t)
}

func moneyNotMoved(t *testing.T, b *MarketFixture) {
	m := b.aHandover(t)
	check := func(money, fees int) {
		t.Helper()
		b.Clock.Advance(guarding.StatisticsKept)
		d := must.Get(b.Statistics.Dashboard(t.Context(), m.dean, ""))(t)
		if int(d.MoneyMoved) != money || int(d.FeesEarned) != fees {
			t.Errorf("moved %d, fees %d; want %d and %d", d.MoneyMoved, d.FeesEarned, money, fees)
		}
	}
	check(0, 0)
	if s, err := b.Statistics.ForUser(t.Context(), m.ann); err != nil || s.Made != 1000 {
		t.Errorf("the seller's own statistics say %+v, %v", s, err)
	}
	must.Get(b.Orders.Settle(t.Context(), m.dean, m.order.Book))(t)
	check(1000, 50)
}
