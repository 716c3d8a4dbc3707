package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// Notices are what somebody has been told.
type Notices struct {
	kit  Kit
	read NoticeReader
	mark NoticeMarker
}

// NewNotices makes the notices.
func NewNotices(k Kit, read NoticeReader, mark NoticeMarker) *Notices { return &Notices{k, read, mark} }

// MaxNotices is how many notifications of a person are kept.
const MaxNotices = 1000

// What one call may name or get.
const (
	maxMarked = 1000
	maxAfter  = 100
)

// ErrTooManyNotices refuses to mark more than a thousand by number.
var ErrTooManyNotices = fault.New(fault.Invalid, "too_many_ids", "At most 1000 notifications can be named.").
	WithField("ids", "Must be at most 1000; leave it out to mark all.")

// List lists the caller's notifications, newest first.
func (n *Notices) List(ctx context.Context, by user.Caller, p Page) ([]notification.Notification, Cursor, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, "", err
	}
	at, limit, err := p.read()
	if err != nil {
		return nil, "", err
	}
	all, err := n.newest(ctx, by, notification.ID(at.ID), limit+1)
	if err != nil {
		return nil, "", err
	}
	all, next := cut(all, limit, func(x notification.Notification) Position { return Position{ID: int64(x.ID)} })
	return all, next, nil
}

// newest reads; who comes for the first time is greeted.
func (n *Notices) newest(ctx context.Context, by user.Caller, before notification.ID, limit int) ([]notification.Notification, error) {
	all, err := n.read.Newest(ctx, by.ID, before, limit)
	if err != nil || len(all) > 0 || before != 0 {
		return all, err
	}
	err = n.kit.stepAs(ctx, by, func(ctx context.Context, a *act) error { return a.Told.Greet(ctx, by.ID, a.now) })
	if err != nil {
		return nil, err
	}
	return n.read.Newest(ctx, by.ID, before, limit)
}

// MarkRead marks the caller's notifications with these numbers as read, all of
// them if ids is nil; numbers that there are not are fine.
func (n *Notices) MarkRead(ctx context.Context, by user.Caller, ids []notification.ID) error {
	if err := by.MustBeStudent(); err != nil {
		return err
	}
	if len(ids) > maxMarked {
		return ErrTooManyNotices
	}
	if ids != nil && len(ids) == 0 {
		return nil
	}
	return n.mark.MarkRead(ctx, by.ID, ids, n.kit.Clock.Now())
}

// After lists at most a hundred of the caller's notifications above last, oldest
// first. Nothing is ever added below a number that was seen, so a stream that
// resumes with the last one it got misses none that are kept.
func (n *Notices) After(ctx context.Context, by user.Caller, last notification.ID) ([]notification.Notification, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, err
	}
	return n.read.Following(ctx, by.ID, last, maxAfter)
}

// Latest is the number of the caller's newest notification: where a stream
// begins that does not resume.
func (n *Notices) Latest(ctx context.Context, by user.Caller) (notification.ID, error) {
	if err := by.MustBeStudent(); err != nil {
		return 0, err
	}
	newest, err := n.newest(ctx, by, 0, 1)
	if err != nil || len(newest) == 0 {
		return 0, err
	}
	return newest[0].ID, nil
}

// Listen gives a channel that rings after this process has told the caller
// something, until stop is called. What another replica tells does not ring, so
// look now and then as well.
func (n *Notices) Listen(by user.Caller) (ring <-chan struct{}, stop func()) {
	return n.kit.Bell.listen(by.ID)
}

// Unread counts the caller's unread notifications.
func (n *Notices) Unread(ctx context.Context, by user.Caller) (int, error) {
	if err := by.MustBeStudent(); err != nil {
		return 0, err
	}
	return n.read.Unread(ctx, by.ID)
}
