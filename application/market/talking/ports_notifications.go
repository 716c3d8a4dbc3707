package talking

import (
	"context"
	"github.com/octavo-books/octavo/domain/conversation"
	"time"

	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// NotificationReader reads notifications.
type NotificationReader interface {
	// ListNotifications lists at most n with ids below before, newest first; 0 means no
	// bound.
	ListNotifications(ctx context.Context, of user.ID, before notification.ID, n int) ([]notification.Notification, error)
	// ListNotificationsAfter lists at most n with ids above after, oldest first.
	ListNotificationsAfter(ctx context.Context, of user.ID, after notification.ID, n int) ([]notification.Notification, error)
	CountUnread(ctx context.Context, of user.ID) (int, error)
}

// NotificationMarker marks notifications as read.
type NotificationMarker interface {
	// MarkNotificationsRead marks those with these ids, or all if ids is empty. It does
	// not change when an already read notification was read.
	MarkNotificationsRead(ctx context.Context, of user.ID, ids []notification.ID, now time.Time) error
}

// ReadMarkStore stores who has had and read notifications.
type ReadMarkStore interface {
	// AddWelcome stores the welcome if the user has never had a notification.
	AddWelcome(ctx context.Context, id user.ID, now time.Time) error
	// HasUnreadOf reports whether a user has an unread notification of a conversation.
	HasUnreadOf(ctx context.Context, to user.ID, of conversation.ID) (bool, error)
	// MarkReadOf marks a user's notifications of a conversation as read.
	MarkReadOf(ctx context.Context, to user.ID, of conversation.ID, now time.Time) error
}

// Store is what one transaction may change of what people tell each other.
type Store interface {
	ConversationStore
	BlockStore
	ReadMarkStore
}
