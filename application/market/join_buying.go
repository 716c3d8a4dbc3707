package market

import (
	"context"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// joinBuying adds what carts and orders have to do with other rooms.
func joinBuying(h *Hooks) {
	h.BookCheaper.Add(func(ctx context.Context, t *Tx, b book.Book) error { return t.notifyPriceDrop(ctx, b, 0) })
	h.UserErased.Add(of((*Tx).eraseTrader))
	h.UserWithdrawn.Add(of((*Tx).endTrades))
	h.UserMoves.Add(of((*Tx).refuseMoveOfTrader))
	h.Does(NotifyPriceDrop, OnBook(func(t *Tx) *Tx { return t }, (*Tx).continuePriceDrop))
}

// eraseTrader deletes the words, ratings, meetings and the cart of a deleted user. An admin completes
// or cancels the live orders.
func (t *Tx) eraseTrader(ctx context.Context, id user.ID) error {
	if err := t.Buying.EraseReasons(ctx, id); err != nil {
		return err
	}
	if err := t.Buying.RemoveRatings(ctx, id); err != nil {
		return err
	}
	if err := t.Buying.EndMeetingsOf(ctx, id); err != nil {
		return err
	}
	if err := t.Buying.DeleteMeetingsBy(ctx, id); err != nil {
		return err
	}
	return t.Buying.RemoveFromCart(ctx, id)
}

// endTrades ends the meetings of somebody who may not trade any more. A suspension also cancels the
// orders that no admin has verified yet.
func (t *Tx) endTrades(ctx context.Context, w user.Withdrawal) error {
	if err := t.Buying.EndMeetingsOf(ctx, w.User); err != nil || w.SuspendedBy == 0 {
		return err
	}
	return t.cancelPlacedOrders(ctx, w)
}

// refuseMoveOfTrader refuses another university to a user with an open order.
func (t *Tx) refuseMoveOfTrader(ctx context.Context, id user.ID) error {
	trades, err := t.Buying.HasOpenOrders(ctx, id)
	if err == nil && trades {
		err = user.ErrProfileTrades
	}
	return err
}

func (t *Tx) continuePriceDrop(ctx context.Context, b book.Book, j Job) error {
	if b.Status != book.ForSale {
		return nil
	}
	return t.notifyPriceDrop(ctx, b, user.ID(j.After))
}
