package pushing

import (
	"context"

	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// enqueueAll adds a job for each notification and each subscription of its user that wants it.
func (t *tx) enqueueAll(ctx context.Context, all []notification.Notification) error {
	byUser := map[user.ID][]notification.Notification{}
	var people []user.ID
	for _, n := range all {
		if n.Kind == notification.Welcome {
			continue
		}
		if byUser[n.User] == nil {
			people = append(people, n.User)
		}
		byUser[n.User] = append(byUser[n.User], n)
	}
	if len(people) == 0 {
		return nil
	}
	subscribers, err := t.ListSubscribers(ctx, people)
	if err != nil {
		return err
	}
	for _, s := range subscribers {
		for _, n := range byUser[s.User] {
			if !s.Kinds.Has(n.Kind) {
				continue
			}
			if err := t.Enqueue(ctx, Job, int64(s.ID), "", int64(n.ID)); err != nil {
				return err
			}
		}
	}
	return nil
}

// erase deletes what is stored about a deleted user.
func (t *tx) erase(ctx context.Context, id user.ID) error { return t.ForgetSubscriber(ctx, id) }

// withdraw removes the subscriptions of a user who may not sign in any more.
func (t *tx) withdraw(ctx context.Context, w user.Withdrawal) error {
	return t.RemoveSubscriptionsOf(ctx, w.User)
}
