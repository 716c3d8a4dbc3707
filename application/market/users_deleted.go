package market

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// OnUsersDeleted removes users from the market within the transaction that deletes their accounts:
// it unlists their books for sale and notifies the users who wait for them, and deletes their
// comments on books, their reasons for cancelling, their requests, saved searches, chosen courses,
// carts, photos, messages, proposals to meet and notifications. Their live orders remain, the other
// sides are told, and an admin completes or cancels them. The caller locks the accounts before anything else, as WithTxAs does.
// Of d it does not use Store and Clock.
func (d Deps) OnUsersDeleted(ctx context.Context, s Stores, deleted []user.ID, now time.Time) error {
	t := d.Begin(s, now)
	for _, id := range deleted {
		if err := t.hooks.UserErased.run(ctx, t, id); err != nil {
			return err
		}
	}
	t.mails = slices.DeleteFunc(t.mails, func(m unaddressedMail) bool { return slices.Contains(deleted, m.to) })
	mails, err := t.addressMails(ctx)
	if err != nil {
		return err
	}
	if err := t.RecordSideEffects(ctx, SideEffects{Events: t.events, Messages: mails}); err != nil {
		return err
	}
	t.signalAfterCommit()
	t.purgeAfterCommit()
	return t.notifyAndForget(ctx, deleted)
}

// notifyAndForget adds the notifications of the transaction and deletes those of the
// deleted users. It visits the users in ascending order, as AddNotifications does:
// otherwise two deletions could deadlock.
func (t *Tx) notifyAndForget(ctx context.Context, deleted []user.ID) error {
	byUser := make(map[user.ID][]notification.Notification)
	for _, n := range t.notifications {
		byUser[n.User] = append(byUser[n.User], n)
	}
	for _, id := range deleted {
		byUser[id] = nil
	}
	for _, id := range slices.Sorted(maps.Keys(byUser)) {
		var err error
		if slices.Contains(deleted, id) {
			err = t.ForgetUser(ctx, id)
		} else {
			err = t.addNotifications(ctx, byUser[id])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// OnUserWithdrawn unlists the books for sale of a user who may not trade any more, within
// the transaction that suspends the account or plans its deletion, and notifies the users
// who wait for them. A suspension also cancels the user's purchases and sales that no admin
// has verified yet. Later orders, requests and the cart stay. Of d it does not use Store
// and Clock.
func (d Deps) OnUserWithdrawn(ctx context.Context, s Stores, w user.Withdrawal, now time.Time) error {
	t := d.Begin(s, now)
	if err := t.hooks.UserWithdrawn.run(ctx, t, w); err != nil {
		return err
	}
	return t.Flush(ctx)
}

// OnUserRenamed purges the copies that name a seller, within the transaction that changes the first
// name or the university of the account.
func (d Deps) OnUserRenamed(s Stores, id user.ID) {
	if d.Purger != nil {
		s.OnCommit(func() { d.Purger.Purge(SellerKey(id), AllLists, allTitles) })
	}
}

// WhyGone says why a book of this seller cannot be for sale.
func (u User) WhyGone() event.Unlisting {
	if u.Email == "" {
		return event.SellerDeleted
	}
	return event.SellerUnavailable
}

// OnUserMoves refuses another university to a user about whom there is an open report or who has
// an open order, within the transaction that changes the profile and has locked the account. Who
// reports the user or buys of them has to lock the account, too, or one of their books.
func (d Deps) OnUserMoves(ctx context.Context, s Stores, id user.ID) error {
	t := d.Begin(s, time.Time{})
	return t.hooks.UserMoves.run(ctx, t, id)
}
