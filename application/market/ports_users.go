package market

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// User is what the market knows about an account.
type User struct {
	ID      user.ID
	Email   user.Email // empty: a deleted account, which gets no mail
	Lang    user.Lang
	Profile user.Profile // empty: none
	// Unavailable: the account is suspended, or will be deleted at its owner's request.
	Unavailable bool
	Store       bool // a campus store
}

// UserStore reads the accounts of the auth service.
type UserStore interface {
	// FindUsers loads users by id. Unknown ids are left out.
	FindUsers(ctx context.Context, ids ...user.ID) (map[user.ID]User, error)
	// LockUsers is FindUsers with a shared lock: until the transaction ends, others can
	// share the lock but not change or delete these accounts.
	LockUsers(ctx context.Context, ids ...user.ID) (map[user.ID]User, error)
	// LockStaff loads the admins and owners, see user.Staff, in ascending order and with the
	// lock of LockUsers.
	LockStaff(ctx context.Context) ([]user.Staff, error)
}

// StaffReader reads who may decide about the affairs of others.
type StaffReader interface {
	// ListStaff is LockStaff without a lock.
	ListStaff(ctx context.Context) ([]user.Staff, error)
}

// NotificationStore stores notifications.
type NotificationStore interface {
	// AddNotifications stores notifications and gives each the next number of its user.
	// A user's first notification is preceded by the welcome. Of each user it keeps at
	// least the newest MaxNotifications of the personal kinds, read or not, and as many of the
	// others, and at most a tenth more.
	AddNotifications(ctx context.Context, all []notification.Notification) error
	// AddWelcome stores the welcome if the user has never had a notification.
	AddWelcome(ctx context.Context, id user.ID, now time.Time) error
	// HasUnreadOf reports whether a user has an unread notification of a conversation.
	HasUnreadOf(ctx context.Context, to user.ID, of conversation.ID) (bool, error)
	// MarkReadOf marks a user's notifications of a conversation as read.
	MarkReadOf(ctx context.Context, to user.ID, of conversation.ID, now time.Time) error
	// DeleteNotifications deletes all notifications of a user. Later ones are discarded.
	DeleteNotifications(ctx context.Context, id user.ID) error
}

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

// Outbox takes the mails and events that a transaction causes. They are sent if it commits.
type Outbox interface {
	AddMessages(ctx context.Context, all []message.Message) error
	// AddEvents adds events in the order in which the webhook service gets them.
	AddEvents(ctx context.Context, all []event.Event) error
}

// AuditLog records what admins and owners do.
type AuditLog interface {
	AddAuditEntries(ctx context.Context, all []audit.Entry) error
}
