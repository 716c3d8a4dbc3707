package buying

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// Withdraw cancels an order for its buyer or seller, until an admin has verified the
// condition. If the buyer cancels, the book is for sale again; if the seller cancels or may
// not trade any more, it is unlisted. Both sides are notified. For other callers the order
// does not exist.
func (o *Orders) Withdraw(ctx context.Context, by user.Caller, id order.ID, reason string) (OrderDetails, error) {
	if err := by.MustBeStudent(); err != nil {
		return OrderDetails{}, err
	}
	reason, err := order.CleanReason(reason)
	if err != nil {
		return OrderDetails{}, err
	}
	var v OrderDetails
	err = o.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		u, err := o.lockOwnOrder(ctx, t, by, id)
		if err != nil {
			return err
		}
		if err := u.withdraw(ctx, by, reason); err != nil {
			return err
		}
		t.Audit(by, "order.withdrawn", u.order.Book.String(), reason)
		v, err = u.details(ctx, by)
		return errors.Join(err, t.OrderEnded(ctx, u.book.ID))
	})
	return v, err
}

// details returns the order and its book as the caller, who is its buyer or seller, sees them.
func (u *orderUpdate) details(ctx context.Context, by user.Caller) (OrderDetails, error) {
	v, err := u.view(ctx)
	return OrderDetails{v.ShownTo(by), market.BookView{Book: u.book, SellerName: u.parties[u.book.Seller].Profile.FirstName}}, err
}

// lockOwnOrder is lockOrder for an order whose buyer or seller is the caller.
func (o *Orders) lockOwnOrder(ctx context.Context, t *tx, by user.Caller, id order.ID) (*orderUpdate, error) {
	found, err := t.FindOrders(ctx, []order.ID{id})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 || !found[0].Involves(by.ID) {
		return nil, order.ErrNotFound
	}
	u, err := o.ForOrder(id).lockOrder(ctx, t, found[0].Book)
	if errors.Is(err, book.ErrTransition) { // it is cancelled
		err = order.ErrTransition
	}
	return u, err
}

func (u *orderUpdate) withdraw(ctx context.Context, by user.Caller, reason string) error {
	if err := u.order.Withdraw(by.ID, reason, u.Now); err != nil {
		return err
	}
	if by.ID == u.order.Seller {
		return u.cancelled(ctx, nil, event.BySeller)
	}
	n, err := u.CountWithdrawals(ctx, by.ID, u.Now.Add(-order.CancelWindow))
	if err != nil {
		return err
	}
	if n >= order.MaxCancels {
		return order.ErrTooManyCancels
	}
	return u.cancelled(ctx, nil, u.whyUnlisted())
}

// whyUnlisted says why the book cannot go back on sale; empty if it can.
func (u *orderUpdate) whyUnlisted() event.Unlisting {
	if seller := u.parties[u.book.Seller]; seller.MayTrade() != nil {
		return seller.WhyGone()
	}
	return ""
}

// The reasons that both sides of an order get when an account is suspended. Why that was,
// only its owner learns.
const (
	sellerSuspended = "The seller can no longer sell here."
	buyerSuspended  = "The buyer can no longer buy here."
)

// cancelPlacedOrders cancels the orders of a suspended user that no admin has verified yet,
// on both sides: the books that the user has sold are unlisted, those that the user has
// bought are for sale again.
func (t *tx) cancelPlacedOrders(ctx context.Context, w user.Withdrawal) error {
	open, err := t.ListOpenOrdersOf(ctx, w.User)
	if err != nil {
		return err
	}
	for _, o := range open {
		if !o.Waits() {
			continue
		}
		reason := buyerSuspended
		if o.Seller == w.User {
			reason = sellerSuspended
		}
		if err := t.cancelPlaced(ctx, w, o, reason); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) cancelPlaced(ctx context.Context, w user.Withdrawal, o order.Order, reason string) error {
	u, err := new(Orders).ForOrder(o.ID).lockOrder(ctx, t, o.Book)
	if errors.Is(err, book.ErrTransition) || err == nil && !u.order.Waits() {
		return nil // it was cancelled, handed over or verified
	}
	if err != nil {
		return err
	}
	if err := u.order.Withdraw(w.SuspendedBy, reason, t.Now); err != nil {
		return err
	}
	if err := u.cancelled(ctx, nil, u.whyUnlisted()); err != nil {
		return err
	}
	t.Audit(user.Caller{ID: w.SuspendedBy}, "order.cancelled", o.Book.String(), reason)
	return t.OrderEnded(ctx, o.Book)
}
