package marketstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// notifications is market.NotificationStore.
type notifications struct{ conn }

// Notify numbers the notifications of each person under the lock of their
// counter, so that numbers are committed in their order; people in ascending
// order, so that two steps do not lock each other out.
func (s notifications) AddNotifications(ctx context.Context, all []notification.Notification) error {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b notification.Notification) int { return cmp.Compare(a.User, b.User) })
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].User == all[0].User {
			n++
		}
		if err := s.notify(ctx, all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// notify stores what one person is told.
func (s notifications) notify(ctx context.Context, all []notification.Notification) error {
	id := all[0].User
	last, err := s.count(ctx, id, len(all))
	if err != nil || last == 0 {
		return err
	}
	if last == notification.ID(len(all)) { // nothing before: number 1 is the greeting
		all = append([]notification.Notification{notification.NewWelcome(id, all[0].CreatedAt)}, all...)
		if last, err = s.count(ctx, id, 1); err != nil {
			return err
		}
	}
	for i, notice := range all {
		notice.ID = last - notification.ID(len(all)-1-i)
		if err := s.add(ctx, notice); err != nil {
			return err
		}
	}
	return s.dropOld(ctx, id, last-notification.ID(len(all)), last)
}

// dropOld keeps what a person is told from growing without end. Not each step has
// to look: only those that pass a round number.
func (s notifications) dropOld(ctx context.Context, id user.ID, before, last notification.ID) error {
	const often = market.MaxNotifications / 10
	if last <= market.MaxNotifications || before/often == last/often {
		return nil
	}
	_, err := gorm.G[noticeRow](s.session).Where("user_id = ? AND n <= ?", id, last-market.MaxNotifications).Delete(ctx)
	return err
}

func (s notifications) AddWelcome(ctx context.Context, id user.ID, now time.Time) error {
	begun := gorm.WithResult()
	err := gorm.G[counterRow](s.session, clause.OnConflict{DoNothing: true}, begun).Create(ctx, &counterRow{id, 1})
	if err != nil || begun.RowsAffected == 0 {
		return err
	}
	greeting := notification.NewWelcome(id, now)
	greeting.ID = 1
	return s.add(ctx, greeting)
}

// Forget takes the counter first: a step that is telling the person something commits
// before, or tells nothing.
func (s notifications) DeleteNotifications(ctx context.Context, id user.ID) error {
	err := gorm.G[counterRow](s.session, clause.OnConflict{UpdateAll: true}).Create(ctx, &counterRow{id, forgotten})
	if err != nil {
		return err
	}
	_, err = gorm.G[noticeRow](s.session).Where("user_id = ?", id).Delete(ctx)
	return err
}

// outbox is market.Outbox.
type outbox struct {
	conn
	sealer outboxstore.Sealer
}

func (s outbox) AddMessages(ctx context.Context, all []message.Message) error {
	return outboxstore.AddMessages(s.session.WithContext(ctx), s.sealer, all...)
}

// auditLog is market.AuditLog.
type auditLog struct{ conn }

func (s auditLog) AddAuditEntries(ctx context.Context, all []audit.Entry) error {
	return authstore.AddAudit(s.session.WithContext(ctx), all...)
}
