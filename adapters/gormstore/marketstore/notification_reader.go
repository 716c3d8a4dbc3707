package marketstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// ListNotifications is market.NotificationReader.
func (s *Store) ListNotifications(ctx context.Context, of user.ID, before notification.ID, n int) ([]notification.Notification, error) {
	rows, err := gorm.G[notificationRow](s.db.Read).Where("user_id = ? AND n < ?", of, rawsql.UpperBound(before)).Order("n DESC").Limit(n).Find(ctx)
	return rawsql.Convert(rows, (*notificationRow).notification), err
}

// ListNotificationsAfter is market.NotificationReader.
func (s *Store) ListNotificationsAfter(ctx context.Context, of user.ID, after notification.ID, n int) ([]notification.Notification, error) {
	rows, err := gorm.G[notificationRow](s.db.Read).Where("user_id = ? AND n > ?", of, after).Order("n").Limit(n).Find(ctx)
	return rawsql.Convert(rows, (*notificationRow).notification), err
}

// CountUnread is market.NotificationReader.
func (s *Store) CountUnread(ctx context.Context, of user.ID) (int, error) {
	n, err := gorm.G[notificationRow](s.db.Read).Where("user_id = ? AND read_at = 0", of).Count(ctx, "*")
	return int(n), err
}

// MarkNotificationsRead is market.NotificationMarker.
func (s *Store) MarkNotificationsRead(ctx context.Context, of user.ID, ids []notification.ID, now time.Time) error {
	return s.db.Atomically(ctx, func(tx *gorm.DB) error {
		unread := gorm.G[notificationRow](tx).Where("user_id = ? AND read_at = 0", of)
		if len(ids) > 0 {
			unread = unread.Where("n IN ?", rawsql.Padded(ids))
		}
		_, err := unread.Update(ctx, "read_at", rawsql.Micros(now))
		return err
	})
}
