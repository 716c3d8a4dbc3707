package market

import (
	"context"
	"errors"

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
	err = o.deps.withTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		u, err := o.lockOwnOrder(ctx, t, by, id)
		if err != nil {
			return err
		}
		if err := u.withdraw(ctx, by, reason); err != nil {
			return err
		}
		t.audit(by, "order.withdrawn", u.order.Book.String(), reason)
		view, err := u.view(ctx)
		v = OrderDetails{view.shownTo(by), BookView{Book: u.book, SellerName: u.parties[u.book.Seller].Profile.FirstName}}
		return errors.Join(err, t.reopenRequests(ctx, u.book.ID))
	})
	return v, err
}

// lockOwnOrder is lockOrder for an order whose buyer or seller is the caller.
func (o *Orders) lockOwnOrder(ctx context.Context, t *tx, by user.Caller, id order.ID) (*orderUpdate, error) {
	found, err := t.Orders.FindOrders(ctx, []order.ID{id})
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
	if err := u.order.Withdraw(by.ID, reason, u.now); err != nil {
		return err
	}
	if by.ID == u.order.Seller {
		return u.cancelled(ctx, nil, event.BySeller)
	}
	n, err := u.Orders.CountWithdrawals(ctx, by.ID, u.now.Add(-order.CancelWindow))
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
	if seller := u.parties[u.book.Seller]; seller.mayTrade() != nil {
		return seller.whyGone()
	}
	return ""
}
