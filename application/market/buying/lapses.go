package buying

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// LapsesAt returns when an order lapses; the zero time if it does not.
func (o *Orders) LapsesAt(v market.OrderView) time.Time {
	return v.LapsesAt(o.deps.OrderLapses, agreedTime(v.Meeting))
}

// agreedTime is the time at which buyer and seller have agreed to meet; zero: they have not.
func agreedTime(p *meeting.Proposal) time.Time {
	if p == nil || p.State != meeting.Accepted {
		return time.Time{}
	}
	return p.At
}

// OrderSweeper cancels the orders that nobody hands over, after a reminder. Each order is locked and
// looked at again.
type OrderSweeper struct{ orders *Orders }

// newOrderSweeper returns the use case.
func newOrderSweeper(o *Orders) *OrderSweeper { return &OrderSweeper{o} }

const (
	lapseBatch = 100 // orders that are read at once
	lapsePause = time.Minute
)

// Every is the time between two sweeps.
func (s *OrderSweeper) Every() time.Duration {
	if after := s.orders.deps.OrderLapses; after > 0 {
		return min(lapsePause, after/10)
	}
	return lapsePause
}

// Sweep reminds the people of orders that will lapse, and cancels those that lapse now.
func (s *OrderSweeper) Sweep(ctx context.Context) error {
	after, now := s.orders.deps.OrderLapses, s.orders.deps.Clock.Now()
	if after <= 0 {
		return nil
	}
	lapsing := WaitingOrders{Reminded: true, RemindedTill: now.Add(-after / 4), PlacedTill: now.Add(-after)}
	return errors.Join(
		s.each(ctx, lapsing, func(o WaitingOrder) bool { return o.MustLapse(after, o.Agreed, now) }),
		s.each(
			ctx, WaitingOrders{PlacedTill: now.Add(-after / 2)}, func(o WaitingOrder) bool { return o.MustRemind(after, o.Agreed, now) },
		),
	)
}

// each handles the selected orders that are due, one in a transaction. One that fails does not
// stop the others.
func (s *OrderSweeper) each(ctx context.Context, w WaitingOrders, due func(WaitingOrder) bool) (failed error) {
	for {
		var found []WaitingOrder
		err := s.orders.deps.WithTx(ctx, func(ctx context.Context, t *tx) (err error) {
			found, err = t.ListWaitingOrders(ctx, w, lapseBatch)
			return err
		})
		if err != nil {
			return errors.Join(failed, err)
		}
		for _, o := range found {
			w.After = WaitingPosition{o.RemindedAt, o.CreatedAt, o.ID}
			if due(o) {
				failed = errors.Join(failed, s.handle(ctx, o.Order))
			}
		}
		if len(found) < lapseBatch || ctx.Err() != nil {
			return failed
		}
	}
}

// handle reminds of one order or cancels it, as is due once it is locked.
func (s *OrderSweeper) handle(ctx context.Context, o order.Order) error {
	return s.orders.deps.WithTx(ctx, func(ctx context.Context, t *tx) error {
		u, err := s.orders.ForOrder(o.ID).lockOrder(ctx, t, o.Book)
		if errors.Is(err, book.ErrTransition) {
			return nil // it is cancelled
		}
		if err != nil {
			return err
		}
		meetings, err := t.ListMeetings(ctx, o.ID)
		if err != nil {
			return err
		}
		after, agreed := s.orders.deps.OrderLapses, agreedTime(meetings.Open())
		switch {
		case u.order.MustLapse(after, agreed, t.Now):
			return u.lapse(ctx)
		case u.order.MustRemind(after, agreed, t.Now):
			return u.remind(ctx, after, agreed)
		}
		return nil
	})
}

func (u *orderUpdate) lapse(ctx context.Context) error {
	if err := u.order.Withdraw(order.System, order.LapseReason, u.Now); err != nil {
		return err
	}
	if err := u.cancelled(ctx, nil, u.whyUnlisted()); err != nil {
		return err
	}
	u.Audit(user.Caller{}, "order.lapsed", u.order.Book.String(), "")
	return u.OrderEnded(ctx, u.order.Book)
}

func (u *orderUpdate) remind(ctx context.Context, after time.Duration, agreed time.Time) error {
	u.order.RemindedAt = u.Now
	at := u.order.LapsesAt(after, agreed).UTC().Format(time.RFC3339)
	for _, to := range []user.ID{u.order.Buyer, u.order.Seller} {
		u.notifyOrder(notification.OrderReminder, to, u.order)
		u.Mail(message.OrderReminder, to, u.orderParams(u.order, map[string]string{message.ParamAt: at}))
	}
	return u.UpdateOrder(ctx, u.order, order.Placed, nil)
}
