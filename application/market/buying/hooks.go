package buying

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// endTrades ends the meetings and offers of somebody who may not trade any more. A suspension also cancels the
// orders that no admin has verified yet.
func (t *tx) endTrades(ctx context.Context, w user.Withdrawal) error {
	if err := t.EndTrades(ctx, w.User); err != nil || !w.Suspends() {
		return err
	}
	return t.cancelPlacedOrders(ctx, w)
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
