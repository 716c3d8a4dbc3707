package marketstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// notifications implements market.NotificationStore.
type notifications struct{ conn }

// AddNotifications numbers the notifications of each user under the row lock of the user's
// counter, so that they commit in the order of their numbers. It visits the users in
// ascending order, so that two transactions do not deadlock.
func (s notifications) AddNotifications(ctx context.Context, all []notification.Notification) error {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b notification.Notification) int { return cmp.Compare(a.User, b.User) })
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].User == all[0].User {
			n++
		}
		if err := s.addForUser(ctx, all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// addForUser stores notifications of one user.
func (s notifications) addForUser(ctx context.Context, all []notification.Notification) error {
	id := all[0].User
	last, err := s.advanceCounter(ctx, id, len(all))
	if err != nil || last == 0 {
		return err
	}
	if last == notification.ID(len(all)) { // the first ones: number 1 is the welcome
		all = append([]notification.Notification{notification.NewWelcome(id, all[0].CreatedAt)}, all...)
		if last, err = s.advanceCounter(ctx, id, 1); err != nil {
			return err
		}
	}
	for i := range all {
		all[i].ID = last - notification.ID(len(all)-1-i)
	}
	if err := s.insert(ctx, all); err != nil {
		return err
	}
	return s.deleteOld(ctx, id, last-notification.ID(len(all)), last)
}

// deleteOld bounds the number of a user's notifications. It deletes only when the numbers
// pass a multiple of interval, to spare most transactions the statement.
func (s notifications) deleteOld(ctx context.Context, id user.ID, before, last notification.ID) error {
	const interval = market.MaxNotifications / 10
	if last <= market.MaxNotifications || before/interval == last/interval {
		return nil
	}
	_, err := table.Of[notificationRow](s.session).Where("user_id = ? AND n <= ?", id, last-market.MaxNotifications).Delete(ctx)
	return err
}

func (s notifications) AddWelcome(ctx context.Context, id user.ID, now time.Time) error {
	inserted := gorm.WithResult()
	err := table.Of[counterRow](s.session, clause.OnConflict{DoNothing: true}, inserted).Create(ctx, &counterRow{id, 1})
	if err != nil || inserted.RowsAffected == 0 {
		return err
	}
	welcome := notification.NewWelcome(id, now)
	welcome.ID = 1
	return s.insert(ctx, []notification.Notification{welcome})
}

// DeleteNotifications locks the counter first: a concurrent AddNotifications either commits
// before, or finds the user deleted.
func (s notifications) DeleteNotifications(ctx context.Context, id user.ID) error {
	err := table.Of[counterRow](s.session, clause.OnConflict{UpdateAll: true}).Create(ctx, &counterRow{id, deletedUser})
	if err != nil {
		return err
	}
	_, err = table.Of[notificationRow](s.session).Where("user_id = ?", id).Delete(ctx)
	return err
}

func (s notifications) HasUnreadOf(ctx context.Context, to user.ID, of conversation.ID) (bool, error) {
	n, err := s.unreadOf(to, of).Count(ctx)
	return n > 0, err
}

func (s notifications) MarkReadOf(ctx context.Context, to user.ID, of conversation.ID, now time.Time) error {
	_, err := s.unreadOf(to, of).Update(ctx, "read_at", rawsql.Micros(now))
	return err
}

func (s notifications) unreadOf(to user.ID, of conversation.ID) *table.Query[notificationRow] {
	return table.Of[notificationRow](s.session).Where("user_id = ? AND conversation_id = ? AND conversation_id <> 0 AND read_at = 0", to, of)
}

// outbox implements market.Outbox.
type outbox struct {
	conn
	sealer outboxstore.Sealer
}

func (s outbox) AddMessages(ctx context.Context, all []message.Message) error {
	return outboxstore.AddMessages(s.session.WithContext(ctx), s.sealer, all...)
}

func (s outbox) AddEvents(ctx context.Context, all []event.Event) error {
	return outboxstore.AddEvents(ctx, s.session, all...)
}

// auditLog implements market.AuditLog.
type auditLog struct{ conn }

func (s auditLog) AddAuditEntries(ctx context.Context, all []audit.Entry) error {
	return authstore.AddAudit(s.session.WithContext(ctx), all...)
}

// ListNotifications implements market.NotificationReader.
func (s *Store) ListNotifications(ctx context.Context, of user.ID, before notification.ID, n int) ([]notification.Notification, error) {
	rows, err := table.Of[notificationRow](s.db.Read).Where("user_id = ? AND n < ?", of, rawsql.UpperBound(before)).Order("n DESC").Limit(n).Find(ctx)
	return rawsql.Convert(rows, (*notificationRow).notification), err
}

// ListNotificationsAfter implements market.NotificationReader.
func (s *Store) ListNotificationsAfter(ctx context.Context, of user.ID, after notification.ID, n int) ([]notification.Notification, error) {
	rows, err := table.Of[notificationRow](s.db.Read).Where("user_id = ? AND n > ?", of, after).Order("n").Limit(n).Find(ctx)
	return rawsql.Convert(rows, (*notificationRow).notification), err
}

// CountUnread implements market.NotificationReader.
func (s *Store) CountUnread(ctx context.Context, of user.ID) (int, error) {
	n, err := table.Of[notificationRow](s.db.Read).Where("user_id = ? AND read_at = 0", of).Count(ctx)
	return int(n), err
}

// MarkNotificationsRead implements market.NotificationMarker.
func (s *Store) MarkNotificationsRead(ctx context.Context, of user.ID, ids []notification.ID, now time.Time) error {
	return s.db.Atomically(ctx, func(tx *gorm.DB) error {
		unread := table.Of[notificationRow](tx).Where("user_id = ? AND read_at = 0", of)
		if len(ids) > 0 {
			unread = unread.Where("n IN ?", rawsql.Padded(ids))
		}
		_, err := unread.Update(ctx, "read_at", rawsql.Micros(now))
		return err
	})
}
