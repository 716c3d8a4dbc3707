package marketstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

const selectNotices = "SELECT user_id, n, kind, message, book_id, created_at, read_at FROM notices WHERE user_id = ? AND "

func readNotice() ([]any, func() notification.Notification) {
	var of, n, about, createdAt, readAt int64
	var kind, message string
	return []any{&of, &n, &kind, &message, &about, &createdAt, &readAt}, func() notification.Notification {
		return notification.Notification{
			ID: notification.ID(n), User: user.ID(of), Kind: notification.Kind(kind), Message: message, Book: book.ID(about),
			CreatedAt: rawsql.Time(createdAt), ReadAt: rawsql.Time(readAt),
		}
	}
}

// Newest is market.NoticeReader.
func (s *Store) Newest(ctx context.Context, of user.ID, before notification.ID, n int) ([]notification.Notification, error) {
	return rawsql.Collect(ctx, s.read.Conn, readNotice, selectNotices+"n < ? ORDER BY n DESC LIMIT ?", int64(of), top(before), n)
}

// Following is market.NoticeReader.
func (s *Store) Following(ctx context.Context, of user.ID, after notification.ID, n int) ([]notification.Notification, error) {
	return rawsql.Collect(ctx, s.read.Conn, readNotice, selectNotices+"n > ? ORDER BY n LIMIT ?", int64(of), int64(after), n)
}

// Unread is market.NoticeReader.
func (s *Store) Unread(ctx context.Context, of user.ID) (int, error) {
	n, _, err := rawsql.One(ctx, s.read.Conn, rawsql.Integer[int], "SELECT count(*) FROM notices WHERE user_id = ? AND read_at = 0", int64(of))
	return n, err
}

// MarkRead is market.NoticeMarker.
func (s *Store) MarkRead(ctx context.Context, of user.ID, ids []notification.ID, now time.Time) error {
	statement, args := "UPDATE notices SET read_at = ? WHERE user_id = ? AND read_at = 0", []any{rawsql.Micros(now), int64(of)}
	if len(ids) > 0 {
		marks, more := rawsql.In(ids)
		statement, args = statement+" AND n IN ("+marks+")", append(args, more...)
	}
	return s.db.Atomically(ctx, func(tx *gorm.DB) error {
		_, err := conn{rawsql.Conn{Pool: tx.Statement.ConnPool, Dialect: s.db.Dialect}}.Exec(ctx, statement, args...)
		return err
	})
}
