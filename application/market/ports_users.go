package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/audit"
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

// NotificationStore stores notifications.
type NotificationStore interface {
	// AddNotifications stores notifications and gives each the next number of its user.
	// A user's first notification is preceded by the welcome. Of each user it keeps at
	// least the newest MaxNotifications of the personal kinds, read or not, and as many of the
	// others, and at most a tenth more.
	AddNotifications(ctx context.Context, all []notification.Notification) error
	// DeleteNotifications deletes all notifications of a user. Later ones are discarded.
	DeleteNotifications(ctx context.Context, id user.ID) error
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
