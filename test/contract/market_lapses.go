package contract

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketLapses(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"an order that nobody hands over lapses, after a reminder": lapsed,
		"an agreed time still to come keeps an order":              keptByMeeting,
		"what was handed over does not lapse":                      keptByHandover,
		"an order is not cancelled soon after a late reminder":     remindedLate,
		"many orders lapse": manyLapsed,
		"a lapsed order is no cancellation by its buyer": lapsesDoNotCount,
		"several sweeps at once cancel an order once":    raceSweeps,
	})
}

const lapses = 14 * 24 * time.Hour

// lapsing are the use cases with orders that lapse.
func (b *MarketFixture) lapsing() *rooms.Market {
	deps := b.Deps
	deps.OrderLapses = lapses
	return b.Over(deps)
}

func (b *MarketFixture) sweepOrders(t *testing.T) {
	t.Helper()
	must.Do(t, b.lapsing().OrderSweeper.Sweep(t.Context()))
}

// until advances the clock to a time after the placement of an order.
func (b *MarketFixture) until(o order.Order, after time.Duration) {
	b.Clock.Advance(o.CreatedAt.Add(after).Sub(b.Clock.Now()))
}

func lapsed(t *testing.T, b *MarketFixture) {
	ann, bob, _, v := b.aSale(t)
	o := b.orderOf(t, bob)
	if at := b.lapsing().Orders.LapsesAt(o.OrderView); !at.Equal(o.CreatedAt.Add(lapses)) {
		t.Errorf("it lapses at %s", at)
	}
	b.until(o.Order, lapses/2-time.Second)
	b.sweepOrders(t)
	if b.lastOf(t, ann) != notification.BookSold {
		t.Errorf("the seller is reminded early")
	}
	b.Clock.Advance(time.Second)
	for range 3 {
		b.sweepOrders(t)
		b.Clock.Advance(time.Minute)
	}
	for _, who := range []user.Caller{ann, bob} {
		if n := count(b.NotificationsOf(t, who), notification.OrderReminder); n != 1 {
			t.Errorf("%d reminders, want 1", n)
		}
	}
	mails := b.Mails(t)
	if last := mails[len(mails)-1]; last.Kind != message.OrderReminder || last.Params[message.ParamAt] != o.CreatedAt.Add(lapses).UTC().Format(time.RFC3339) {
		t.Errorf("the last mail is %+v", last)
	}
	b.until(o.Order, lapses-time.Second)
	b.sweepOrders(t)
	if got := b.orderOf(t, bob); got.Status != order.Placed || !b.lapsing().Orders.LapsesAt(got.OrderView).Equal(o.CreatedAt.Add(lapses)) {
		t.Fatalf("before its time the order is %+v", got)
	}
	b.Clock.Advance(time.Second)
	b.sweepOrders(t)
	got := b.orderOf(t, bob)
	if got.Status != order.Cancelled || got.CancelledBy != order.System || got.About.Status != book.ForSale || !b.lapsing().Orders.LapsesAt(got.OrderView).IsZero() {
		t.Errorf("the order is %+v, want it cancelled by the system", got)
	}
	for _, who := range []user.Caller{ann, bob} {
		if b.lastOf(t, who) != notification.OrderCancelled {
			t.Errorf("the last notification is %s", b.lastOf(t, who))
		}
	}
	mails = b.Mails(t)
	if last := mails[len(mails)-1]; last.Kind != message.OrderCancelled || last.Params[message.ParamBy] != message.BySystem {
		t.Errorf("the last mail is %+v", last)
	}
	b.CheckLedger(t)
	b.Buy(t, b.Join(t, "eve", user.Regular), v.ID)
}

func keptByMeeting(t *testing.T, b *MarketFixture) {
	m := b.aMeeting(t)
	at := m.order.CreatedAt.Add(lapses + 5*24*time.Hour)
	b.agreeOn(t, m, at)
	b.until(m.order.Order, lapses+time.Hour)
	b.sweepOrders(t)
	o := b.orderOf(t, m.bob)
	if o.Status != order.Placed || !o.RemindedAt.IsZero() || !b.lapsing().Orders.LapsesAt(o.OrderView).Equal(at.Add(24*time.Hour)) {
		t.Fatalf("before they meet the order is %+v", o)
	}
	b.Clock.Advance(at.Sub(b.Clock.Now()))
	b.sweepOrders(t) // they did not come: a reminder
	if o = b.orderOf(t, m.bob); o.Status != order.Placed || o.RemindedAt.IsZero() {
		t.Fatalf("after the agreed time the order is %+v", o)
	}
	b.Clock.Advance(lapses / 4)
	b.sweepOrders(t)
	if o = b.orderOf(t, m.bob); o.Status != order.Cancelled || o.Meeting != nil {
		t.Errorf("at last the order is %+v", o)
	}
}

func keptByHandover(t *testing.T, b *MarketFixture) {
	m := b.aHandover(t)
	for range 4 {
		b.Clock.Advance(lapses)
		b.sweepOrders(t)
	}
	if o := b.orderOf(t, m.bob); o.Status != order.Placed || !o.RemindedAt.IsZero() || !b.lapsing().Orders.LapsesAt(o.OrderView).IsZero() {
		t.Errorf("the order is %+v", o)
	}
}

func remindedLate(t *testing.T, b *MarketFixture) {
	_, bob, _, _ := b.aSale(t)
	b.Clock.Advance(10 * lapses) // nobody swept
	b.sweepOrders(t)
	b.sweepOrders(t)
	b.Clock.Advance(lapses/4 - time.Second)
	b.sweepOrders(t)
	if o := b.orderOf(t, bob); o.Status != order.Placed || o.RemindedAt.IsZero() {
		t.Fatalf("the order is %+v", o)
	}
	b.Clock.Advance(time.Second)
	b.sweepOrders(t)
	if o := b.orderOf(t, bob); o.Status != order.Cancelled || o.CancelledBy != order.System {
		t.Errorf("the order is %+v", o)
	}
}

func manyLapsed(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	for _, id := range b.postMany(t, ann, 3) {
		b.Buy(t, bob, id)
	}
	b.Clock.Advance(lapses)
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
		var w buying.WaitingOrders
		w.PlacedTill = b.Clock.Now()
		var seen []order.ID
		for range 4 {
			found, err := s.Buying.ListWaitingOrders(ctx, w, 1)
			if err != nil || len(found) == 0 {
				if len(seen) != 3 {
					t.Errorf("there are %v, %v", seen, err)
				}
				return err
			}
			seen = append(seen, found[0].ID)
			w.After = buying.WaitingPosition{RemindedAt: found[0].RemindedAt, CreatedAt: found[0].CreatedAt, ID: found[0].ID}
		}
		return fmt.Errorf("%v do not end", seen)
	}))
	b.sweepOrders(t)
	b.Clock.Advance(lapses)
	b.sweepOrders(t)
	open, _, err := b.Orders.ListPurchased(t.Context(), bob, market.Page{})
	if err != nil || len(open) != 0 {
		t.Errorf("%d remain, %v", len(open), err)
	}
	b.CheckLedger(t)
}

func lapsesDoNotCount(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	for _, id := range b.postMany(t, ann, order.MaxCancels) {
		b.Buy(t, bob, id)
	}
	b.Clock.Advance(lapses / 2)
	b.sweepOrders(t)
	b.Clock.Advance(lapses)
	b.sweepOrders(t)
	o := b.Buy(t, bob, b.Post(t, ann, Draft("Physics", "PHY 121", 1000)).ID).Orders[0]
	must.Get(b.Orders.Withdraw(t.Context(), bob, o.ID, "because"))(t)
}

func raceSweeps(t *testing.T, b *MarketFixture) {
	ann, bob, _, _ := b.aSale(t)
	sweeper := b.lapsing().OrderSweeper
	for _, pause := range []time.Duration{lapses / 2, lapses} {
		b.Clock.Advance(pause)
		must.Together(4, func(int) { must.Do(t, sweeper.Sweep(t.Context())) })
	}
	if n := count(b.NotificationsOf(t, ann), notification.OrderReminder); n != 1 {
		t.Errorf("%d reminders, want 1", n)
	}
	if n := count(b.NotificationsOf(t, bob), notification.OrderCancelled); n != 1 {
		t.Errorf("cancelled %d times, want 1", n)
	}
	b.CheckLedger(t)
}
