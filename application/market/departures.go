package market

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// Depart is what happens in the market as part of the step that deletes
// accounts: their books for sale are taken off the shelf and those who wait for
// them told, their requests are withdrawn, and their carts and notifications
// are emptied. Sales that have begun go on; an admin ends them. The store locks the
// accounts first, as stepAs does.
func Depart(ctx context.Context, s Stores, ids IDs, who []user.ID, now time.Time) error {
	a := &act{Stores: s, ids: ids, now: now.UTC().Truncate(time.Microsecond)}
	for _, id := range who {
		if err := a.depart(ctx, id); err != nil {
			return err
		}
	}
	return a.forget(ctx, who)
}

// forget notifies those who waited for books and forgets those who leave. All in the
// order of their ids, as Notify does, or two deletions could deadlock.
func (a *act) forget(ctx context.Context, who []user.ID) error {
	people := make(map[user.ID][]notification.Notification)
	for _, n := range a.notices {
		people[n.User] = append(people[n.User], n)
	}
	for _, id := range who {
		people[id] = nil
	}
	for _, id := range slices.Sorted(maps.Keys(people)) {
		var err error
		if slices.Contains(who, id) {
			err = a.Told.Forget(ctx, id)
		} else {
			err = a.Told.Notify(ctx, people[id])
		}
		if err != nil {
			return err
		}
	}
	return nil
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
	return a.Carts.Remove(ctx, id)
}
