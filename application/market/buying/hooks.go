package buying

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// endTrades ends the meetings and offers of somebody who may not trade any more. A suspension also cancels the
// orders that no admin has verified yet; of somebody who leaves, the other sides of all open orders are told.
func (t *tx) endTrades(ctx context.Context, w user.Withdrawal) error {
	if err := t.EndTrades(ctx, w.User); err != nil {
		return err
	}
	if w.Suspends() {
		return t.cancelPlacedOrders(ctx, w)
	}
	return t.tellOfLeaver(ctx, w.User)
}

// erase forgets a deleted user, and tells the other sides of all open orders.
func (t *tx) erase(ctx context.Context, id user.ID) error {
	if err := t.tellOfLeaver(ctx, id); err != nil {
		return err
	}
	return t.EraseUser(ctx, id)
}

// tellOfLeaver tells the other sides of the open orders of somebody that nobody will come: an admin
// completes or cancels these orders.
func (t *tx) tellOfLeaver(ctx context.Context, id user.ID) error {
	open, err := t.ListOpenOrdersOf(ctx, id)
	for _, o := range open {
		to, by := o.Seller, message.ByBuyer
		if id == o.Seller {
			to, by = o.Buyer, message.BySeller
		}
		t.notifyOrder(notification.TraderLeft, to, o)
		t.Mail(message.TraderLeft, to, t.orderParams(o, map[string]string{message.ParamBy: by}))
	}
	return err
}

// refuseMove refuses another university to a user with an open order.
func (t *tx) refuseMove(ctx context.Context, id user.ID) error {
	trades, err := t.HasOpenOrders(ctx, id)
	if err == nil && trades {
		err = user.ErrProfileTrades
	}
	return err
}

func (t *tx) continuePriceDrop(ctx context.Context, b book.Book, j market.Job) error {
	if b.Status != book.ForSale {
		return nil
	}
	return t.notifyPriceDrop(ctx, b, user.ID(j.After))
}
