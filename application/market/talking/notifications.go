package talking

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// Notifications manages the notifications of users.
type Notifications struct {
	deps   unit
	reader Reader
}

// newNotifications returns the use cases of notifications.
func newNotifications(d unit, r Reader) *Notifications { return &Notifications{d, r} }

// MaxNotifications is how many notifications of a user are stored, of the personal kinds and of the
// others: see notification.PersonalKinds.
const MaxNotifications = 1000

// Bounds of one call.
const (
	maxMarked = 1000 // ids to mark
	maxAfter  = 100  // notifications that ListAfter returns
)

// ErrTooManyNotifications refuses more than a thousand ids.
var ErrTooManyNotifications = fault.New(fault.Invalid, "too_many_ids", "At most 1000 notifications can be marked at once.").
	WithField("ids", "Must have at most 1000 entries. Leave it out to mark all.")

// List lists the caller's notifications, newest first.
func (n *Notifications) List(ctx context.Context, by user.Caller, p market.Page) ([]notification.Notification, market.Cursor, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, "", err
	}
	idOf := func(x notification.Notification) notification.ID { return x.ID }
	return market.List(p, idOf, func(after notification.ID, limit int) ([]notification.Notification, error) {
		return n.newest(ctx, by, after, limit)
	})
}

// newest lists the newest notifications. If the caller has never had one, it adds the
// welcome first.
func (n *Notifications) newest(
	ctx context.Context, by user.Caller, before notification.ID, limit int,
) ([]notification.Notification, error) {
	all, err := n.reader.ListNotifications(ctx, by.ID, before, limit)
	if err != nil || len(all) > 0 || before != 0 {
		return all, err
	}
	err = n.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error { return t.AddWelcome(ctx, by.ID, t.Now) })
	if err != nil {
		return nil, err
	}
	return n.reader.ListNotifications(ctx, by.ID, before, limit)
}

// MarkRead marks the caller's notifications with these ids as read, or all if ids is nil.
// It ignores unknown ids.
func (n *Notifications) MarkRead(ctx context.Context, by user.Caller, ids []notification.ID) error {
	if err := by.MustBeStudent(); err != nil {
		return err
	}
	if len(ids) > maxMarked {
		return ErrTooManyNotifications
	}
	if ids != nil && len(ids) == 0 {
		return nil
	}
	return n.reader.MarkNotificationsRead(ctx, by.ID, ids, n.deps.Clock.Now())
}

// ListAfter lists at most a hundred of the caller's notifications with ids above last,
// oldest first. Notifications commit in the order of their ids, so a stream that resumes
// after the last one it has seen misses none that is still stored.
func (n *Notifications) ListAfter(ctx context.Context, by user.Caller, last notification.ID) ([]notification.Notification, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, err
	}
	return n.reader.ListNotificationsAfter(ctx, by.ID, last, maxAfter)
}

// LatestID returns the id of the caller's newest notification, 0 if there is none: a new
// stream starts after it.
func (n *Notifications) LatestID(ctx context.Context, by user.Caller) (notification.ID, error) {
	if err := by.MustBeStudent(); err != nil {
		return 0, err
	}
	newest, err := n.newest(ctx, by, 0, 1)
	if err != nil || len(newest) == 0 {
		return 0, err
	}
	return newest[0].ID, nil
}

// Subscribe calls wake after the caller got notifications, and sometimes without any, until
// stop is called. wake must not block.
func (n *Notifications) Subscribe(by user.Caller, wake func()) (stop func()) {
	return n.deps.Notifier.Subscribe(by.ID, wake)
}

// CountUnread counts the caller's unread notifications.
func (n *Notifications) CountUnread(ctx context.Context, by user.Caller) (int, error) {
	if err := by.MustBeStudent(); err != nil {
		return 0, err
	}
	return n.reader.CountUnread(ctx, by.ID)
}
