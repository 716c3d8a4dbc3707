package market

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// Depart is what happens in the market as part of the step that deletes
// accounts: their books for sale are taken off the shelf and those who wait for
// them told, their requests are withdrawn, and their carts and notifications
// are emptied. Sales that have begun go on; an admin ends them.
func Depart(ctx context.Context, s Stores, ids IDs, who []user.ID, now time.Time) error {
	a := &act{Stores: s, ids: ids, now: now.UTC().Truncate(time.Microsecond)}
	for _, id := range who {
		if err := a.depart(ctx, id); err != nil {
			return err
		}
	}
	return a.tell(ctx)
}

func (a *act) depart(ctx context.Context, id user.ID) error {
	books, err := a.Shelf.OfferedBy(ctx, id)
	if err != nil {
		return err
	}
	for _, b := range books {
		if err := b.Unlist(); err != nil {
			return err
		}
		if err := a.Shelf.Save(ctx, b, book.ForSale); err != nil {
			return err
		}
		if err := a.tellGone(ctx, b, 0); err != nil {
			return err
		}
	}
	if err := a.Requests.Withdraw(ctx, id); err != nil {
		return err
	}
	if err := a.Carts.Remove(ctx, id); err != nil {
		return err
	}
	return a.Told.Forget(ctx, id)
}
