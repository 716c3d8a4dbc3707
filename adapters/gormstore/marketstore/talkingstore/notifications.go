package talkingstore

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// counterRow is the number of a user's last notification.
type counterRow struct {
	UserID user.ID `gorm:"primaryKey;autoIncrement:false"`
	LastID notification.ID
}

// TableName is part of GORM's interface.
func (counterRow) TableName() string { return "notification_counters" }

type notificationRow struct {
	ID           notification.ID `gorm:"primaryKey;autoIncrement:false"`
	User         user.ID         `gorm:"column:user_id;primaryKey;autoIncrement:false"`
	Kind         notification.Kind
	Message      string
	Book         book.ID         `gorm:"column:book_id"`
	Order        order.ID        `gorm:"column:order_id"`
	CreatedAt    time.Time       `gorm:"serializer:micros;autoCreateTime:false"`
	ReadAt       time.Time       `gorm:"serializer:micros"`
	Conversation conversation.ID `gorm:"column:conversation_id"`
}

// TableName is part of GORM's interface.
func (notificationRow) TableName() string { return "notifications" }

func (r *notificationRow) notification() notification.Notification {
	return notification.Notification(*r)
}

// Notifications implements what market.Stores notifies.
type Notifications struct{ marketrows.Handle }

// AddNotifications numbers the notifications of each user under the row lock of the user's
// counter, so that they commit in the order of their numbers.
func (s Notifications) AddNotifications(ctx context.Context, all []notification.Notification) ([]notification.Notification, error) {
	more := make(map[user.ID]int)
	for _, n := range all {
		more[n.User]++
	}
	last, err := s.advanceCounters(ctx, more)
	if err != nil {
		return nil, err
	}
	if all, err = s.withWelcome(ctx, all, more, last); err != nil {
		return nil, err
	}
	stored := number(all, last)
	if err := s.insert(ctx, stored); err != nil {
		return nil, err
	}
	return stored, s.deleteOld(ctx, more, last)
}

// withWelcome puts the welcome before the first notifications of a user, and corrects the user's
// last number.
func (s Notifications) withWelcome(ctx context.Context, all []notification.Notification, more map[user.ID]int, last map[user.ID]notification.ID) ([]notification.Notification, error) {
	var welcomes []notification.Notification
	first := make(map[user.ID]int)
	for _, n := range all {
		if first[n.User] == 0 && last[n.User] == notification.ID(more[n.User]) {
			first[n.User] = 1
			welcomes = append(welcomes, notification.NewWelcome(n.User, n.CreatedAt))
		}
	}
	corrected, err := s.advanceCounters(ctx, first)
	maps.Copy(last, corrected)
	return append(welcomes, all...), err
}

// number gives the notifications of each user consecutive numbers, the latest the last one. It
// omits users without a last number.
func number(all []notification.Notification, last map[user.ID]notification.ID) []notification.Notification {
	all = slices.DeleteFunc(slices.Clone(all), func(n notification.Notification) bool { return last[n.User] == 0 })
	next := maps.Clone(last)
	for i, n := range slices.Backward(all) {
		all[i].ID = next[n.User]
		next[n.User]--
	}
	return all
}

// oldNotifications are the numbers of a user's notifications beyond the newest so many of the personal
// kinds, and of the others.
const oldNotifications = `SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY CASE WHEN kind IN ? THEN 1 ELSE 0 END ORDER BY id DESC) AS place
	FROM notifications WHERE user_id = ?) AS ranked WHERE place > ?`

// deleteOld bounds the number of each user's notifications. It deletes only when the numbers
// pass a multiple of interval, to spare most transactions the statement.
func (s Notifications) deleteOld(ctx context.Context, more map[user.ID]int, last map[user.ID]notification.ID) error {
	const interval = talking.MaxNotifications / 10
	for id, n := range more {
		if last[id] <= talking.MaxNotifications || (last[id]-notification.ID(n))/interval == last[id]/interval {
			continue
		}
		old := table.Of[notificationRow](s.Session).Where("user_id = ? AND id IN ("+oldNotifications+")", id, notification.PersonalKinds(), id, talking.MaxNotifications)
		if _, err := old.Delete(ctx); err != nil {
			return err
		}
	}
	return nil
}

// AddWelcome adds the first notification of a user, once.
func (s Notifications) AddWelcome(ctx context.Context, id user.ID, now time.Time) error {
	inserted := gorm.WithResult()
	err := table.Of[counterRow](s.Session, clause.OnConflict{DoNothing: true}, inserted).Create(ctx, &counterRow{id, 1})
	if err != nil || inserted.RowsAffected == 0 {
		return err
	}
	welcome := notification.NewWelcome(id, now)
	welcome.ID = 1
	return s.insert(ctx, []notification.Notification{welcome})
}

// DeleteNotifications locks the counter first: a concurrent AddNotifications either commits
// before, or finds the user deleted.
func (s Notifications) DeleteNotifications(ctx context.Context, id user.ID) error {
	err := table.Of[counterRow](s.Session, clause.OnConflict{UpdateAll: true}).Create(ctx, &counterRow{id, deletedUser})
	if err != nil {
		return err
	}
	_, err = table.Of[notificationRow](s.Session).Where("user_id = ?", id).Delete(ctx)
	return err
}

// HasUnreadOf reports whether a user has not read all notifications of a conversation.
func (s Notifications) HasUnreadOf(ctx context.Context, to user.ID, of conversation.ID) (bool, error) {
	return s.unreadOf(to, of).Exists(ctx)
}

// MarkReadOf marks the notifications of a conversation as read.
func (s Notifications) MarkReadOf(ctx context.Context, to user.ID, of conversation.ID, now time.Time) error {
	_, err := s.unreadOf(to, of).Update(ctx, "read_at", rawsql.Micros(now))
	return err
}

func (s Notifications) unreadOf(to user.ID, of conversation.ID) *table.Query[notificationRow] {
	return table.Of[notificationRow](s.Session).Where("user_id = ? AND conversation_id = ? AND conversation_id <> 0 AND read_at = 0", to, of)
}

// ListNotifications implements talking.Reader.
func (s Reader) ListNotifications(ctx context.Context, of user.ID, before notification.ID, n int) ([]notification.Notification, error) {
	return rawsql.List(ctx, table.Of[notificationRow](s.DB.Read).Where("user_id = ? AND id < ?", of, rawsql.UpperBound(before)).Order("id DESC").Limit(n), (*notificationRow).notification)
}

// ListNotificationsAfter implements talking.Reader.
func (s Reader) ListNotificationsAfter(ctx context.Context, of user.ID, after notification.ID, n int) ([]notification.Notification, error) {
	return rawsql.List(ctx, table.Of[notificationRow](s.DB.Read).Where("user_id = ? AND id > ?", of, after).Order("id").Limit(n), (*notificationRow).notification)
}

// CountUnread implements talking.Reader.
func (s Reader) CountUnread(ctx context.Context, of user.ID) (int, error) {
	return table.Of[notificationRow](s.DB.Read).Where("user_id = ? AND read_at = 0", of).Count(ctx)
}

// MarkNotificationsRead implements talking.Reader.
func (s Reader) MarkNotificationsRead(ctx context.Context, of user.ID, ids []notification.ID, now time.Time) error {
	return s.DB.Atomically(ctx, func(tx *gorm.DB) error {
		unread := table.Of[notificationRow](tx).Where("user_id = ? AND read_at = 0", of)
		if len(ids) > 0 {
			unread = unread.Where("id IN ?", rawsql.Padded(ids))
		}
		_, err := unread.Update(ctx, "read_at", rawsql.Micros(now))
		return err
	})
}

// deletedUser is the counter of a deleted user, who gets no notification any more.
const deletedUser = -1

// advanceCounters raises the counters of users, and returns those of users who are not deleted.
// It locks them in the order of the users, so that two transactions do not deadlock.
func (s Notifications) advanceCounters(ctx context.Context, more map[user.ID]int) (map[user.ID]notification.ID, error) {
	last := make(map[user.ID]notification.ID, len(more))
	for batch := range rawsql.Batches(slices.Sorted(maps.Keys(more))) {
		marks, args := rawsql.Values(batch, func(id user.ID) []any { return []any{int64(id), more[id]} })
		counters, err := rawsql.CollectUpTo(ctx, s.Conn, len(batch), scanCounter, "INSERT INTO notification_counters (user_id, last_id) VALUES "+marks+`
			ON CONFLICT (user_id) DO UPDATE SET last_id = notification_counters.last_id + excluded.last_id
			WHERE notification_counters.last_id <> ? RETURNING user_id, last_id`, append(args, deletedUser)...)
		if err != nil {
			return nil, err
		}
		for _, c := range counters {
			last[c.UserID] = c.LastID
		}
	}
	return last, nil
}

func scanCounter() ([]any, func() counterRow) {
	var c counterRow
	return []any{&c.UserID, &c.LastID}, func() counterRow { return c }
}

// insert stores numbered notifications.
func (s Notifications) insert(ctx context.Context, all []notification.Notification) error {
	const statement = "INSERT INTO notifications (user_id, id, kind, message, book_id, order_id, created_at, read_at, conversation_id) VALUES "
	return marketrows.Insert(ctx, s.Handle, statement, all, func(n notification.Notification) []any {
		return []any{
			int64(n.User), int64(n.ID), string(n.Kind), n.Message, int64(n.Book), int64(n.Order),
			rawsql.Micros(n.CreatedAt), rawsql.Micros(n.ReadAt), int64(n.Conversation),
		}
	})
}
