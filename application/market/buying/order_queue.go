package buying

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// Queue is a page of the orders that wait for the same step.
type Queue struct {
	Orders  []market.OrderView // the one that has waited longest first
	Backlog market.Count       // how many wait in all
}

// MaxBacklog bounds the waiting orders that are counted.
const MaxBacklog = 1000

// Stage is what an order in the queue waits for.
type Stage int

// The stages.
const (
	ToCheck    Stage = iota // an admin checks the book and charges the buyer
	ToSettle                // buyer and seller have met: an admin charges one and pays the other
	ToHandOver              // the buyer gets the book, and an admin pays the seller
)

// Queue lists the orders at a stage, oldest first.
func (o *Orders) Queue(ctx context.Context, by user.Caller, s Stage, p market.Page) (Queue, market.Cursor, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return Queue{}, "", err
	}
	at, n, err := p.Read()
	if err != nil {
		return Queue{}, "", err
	}
	campus := text.Key(by.Campus())
	orders, err := o.reader.ListOrderQueue(ctx, s, campus, order.ID(at.ID), n+1)
	if err != nil {
		return Queue{}, "", err
	}
	backlog, err := o.reader.CountOrders(ctx, s, campus, MaxBacklog+1)
	if err != nil {
		return Queue{}, "", err
	}
	orders, next := market.Cut(orders, n, func(v market.OrderView) market.Position { return market.Position{ID: int64(v.ID)} })
	return Queue{orders, market.Count{N: min(backlog, MaxBacklog), More: backlog > MaxBacklog}}, next, nil
}

// MaxWaiting bounds what CountWaiting counts at a stage.
const MaxWaiting = 99

// CountWaiting counts the orders at each stage that an admin oversees.
func (o *Orders) CountWaiting(ctx context.Context, by user.Caller) (map[Stage]market.Count, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return nil, err
	}
	campus, counts := text.Key(by.Campus()), map[Stage]market.Count{}
	for _, s := range []Stage{ToCheck, ToSettle, ToHandOver} {
		n, err := o.reader.CountOrders(ctx, s, campus, MaxWaiting+1)
		if err != nil {
			return nil, err
		}
		counts[s] = market.Count{N: min(n, MaxWaiting), More: n > MaxWaiting}
	}
	return counts, nil
}

// ErrTooManyOrders refuses more than MaxBulk orders.
var ErrTooManyOrders = fault.New(fault.Invalid, "too_many_orders", "At most 50 orders can be confirmed at once.").
	WithField("orderIds", "Must have at most 50 entries.")

// Review lists orders by id for admins, in ascending order. It leaves out unknown ids and what
// the caller does not oversee.
func (o *Orders) Review(ctx context.Context, by user.Caller, ids []order.ID) ([]market.OrderView, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return nil, err
	}
	if len(ids) > market.MaxBulk {
		return nil, ErrTooManyOrders
	}
	found, err := o.reader.FindOrderViews(ctx, ids...)
	return slices.DeleteFunc(found, func(v market.OrderView) bool { return !by.Oversees(v.University) }), err
}

// Confirmation is the result of ConfirmAll for one order.
type Confirmation struct {
	Order market.OrderView // as it is afterwards
	Err   error            // nil: confirmed now
}

// ConfirmAll is Confirm for several orders, each in its own transaction, and returns the
// result of each. It leaves out unknown ids. After an error the remaining orders were not
// tried.
func (o *Orders) ConfirmAll(ctx context.Context, by user.Caller, ids []order.ID) ([]Confirmation, error) {
	seen, err := o.Review(ctx, by, ids)
	if err != nil {
		return nil, err
	}
	all := make([]Confirmation, len(seen))
	for i, v := range seen {
		confirmed, err := o.ForOrder(v.ID).Confirm(ctx, by, v.Book)
		if err != nil && !market.ConcernsOne(err) {
			return all[:i], err
		}
		if all[i] = (Confirmation{confirmed, err}); err != nil {
			all[i].Order = v
		}
	}
	return all, o.refresh(ctx, all)
}

// refresh reads the orders again that were not confirmed, because somebody else has changed
// them.
func (o *Orders) refresh(ctx context.Context, all []Confirmation) error {
	for i, c := range all {
		if c.Err == nil {
			continue
		}
		now, err := o.reader.FindOrderViews(ctx, c.Order.ID)
		if err != nil {
			return err
		}
		if len(now) == 1 {
			all[i].Order = now[0]
		}
	}
	return nil
}
