package account

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/user"
)

// Reader is what the room reads. Pages are newest first and have at most limit items,
// with ids below before; 0 starts at the newest. authcontract.UseCases tests it and Store.
type Reader interface {
	// ListUsers returns the accounts that the filter selects.
	ListUsers(ctx context.Context, f UserFilter, before user.ID, limit int) ([]user.User, error)
	// ListPeople returns the accounts that the filter selects from an offset on, oldest first, and how many there are.
	ListPeople(ctx context.Context, f PersonFilter, offset, limit int) ([]user.User, int, error)
	// ListUnseen returns those above an id, in its order, who have an identity at a service and have used none there
	// since a time. It leaves out owners and people who are suspended.
	ListUnseen(ctx context.Context, service string, since time.Time, after user.ID, limit int) ([]UnseenUser, error)
	// ListDeleted returns the accounts above an id, in its order, that were deleted since a time.
	ListDeleted(ctx context.Context, since time.Time, after user.ID, limit int) ([]Deletion, error)
	// ListAuditEntries returns the entries that the filter selects.
	ListAuditEntries(ctx context.Context, f AuditFilter, before int64, limit int) ([]audit.Entry, error)
	// ListOpenInvitations returns the invitations that can still be accepted: open at
	// now and sent by somebody who is still an admin and not suspended.
	ListOpenInvitations(ctx context.Context, now time.Time) ([]Invitation, error)
	// FindRegistration returns a pending sign-up that has not expired at now.
	FindRegistration(ctx context.Context, id int64, now time.Time) (user.Registration, error)
	// ListDueDeletions returns at most n accounts whose DeleteAt has come at now, the
	// earliest first.
	ListDueDeletions(ctx context.Context, now time.Time, n int) ([]user.User, error)
	// ReadAccountRecords reads at most n of each kind.
	ReadAccountRecords(ctx context.Context, of user.User, n int) (Records, error)

	// PrepareAuditStorage makes room for the entries of the next months. Entries are stored
	// without it, too, but are then more work to delete.
	PrepareAuditStorage(ctx context.Context, now time.Time) error
	// DeleteAuditEntries deletes at most n entries from before a time, and returns how many. An
	// adapter that stores the entries of a quarter of a year together may delete any number of
	// them, uncounted, once all are from before that time, and none earlier.
	DeleteAuditEntries(ctx context.Context, before time.Time, n int) (int, error)
}

// Store is what the room stores. An address may have several sign-ups, and a user at
// most one open invitation.
type Store interface {
	// LockOwners returns the ids of the owners who have confirmed their address, and are neither
	// suspended nor about to be deleted at their request.
	LockOwners(ctx context.Context) ([]user.ID, error)
	// EraseUsers deletes everything stored about these users except their ids, and
	// their mails in the outbox. It also calls the hooks of other components, such as
	// the marketplace, in the same transaction.
	EraseUsers(ctx context.Context, ids []user.ID, now time.Time) error
	// LastSignInAt returns when a locked user has last signed in at a service, or linked it; zero if never.
	LastSignInAt(ctx context.Context, of user.ID, service string) (time.Time, error)
	// CheckMove calls the hooks of other components for a locked user who is to change the
	// university, in the same transaction. The marketplace returns user.ErrProfileLocked while a
	// report about the user or an order of theirs is open.
	CheckMove(ctx context.Context, id user.ID) error
	// WithdrawUser calls the hooks of other components for a user who may not sign in any
	// more, in the same transaction: the marketplace unlists the user's books.
	WithdrawUser(ctx context.Context, w user.Withdrawal, now time.Time) error

	// LockRegistrations returns the unexpired sign-ups of an address, newest first.
	LockRegistrations(ctx context.Context, email user.Email, now time.Time) ([]user.Registration, error)
	// AddRegistration stores a sign-up with the newest one of its address as its
	// predecessor, and deletes those that it evicts. It requires WithAddressLock.
	AddRegistration(ctx context.Context, r user.Registration) error
	// MarkRegistrationMailed records that a code or link was sent for a sign-up and
	// extends its expiry to at least until. An unknown id is ignored.
	MarkRegistrationMailed(ctx context.Context, id int64, until time.Time) error
	// DeleteRegistrations deletes all sign-ups of an address.
	DeleteRegistrations(ctx context.Context, email user.Email) error

	AddInvitation(ctx context.Context, i Invitation) error
	// AcceptInvitation marks an open invitation as accepted and returns it;
	// ErrInvitationNotFound if it is not open.
	AcceptInvitation(ctx context.Context, id InvitationID, now time.Time) (Invitation, error)
	// RevokeInvitation marks an open invitation as revoked, with the same results.
	RevokeInvitation(ctx context.Context, id InvitationID, now time.Time) (Invitation, error)
	// RevokeUserInvitation revokes the invitation of a user, if there is one that is not
	// accepted, and returns it; the zero value without one.
	RevokeUserInvitation(ctx context.Context, of user.ID, now time.Time) (Invitation, error)

	// PutEmailChange inserts or updates a change.
	PutEmailChange(ctx context.Context, c user.EmailChange) error
	// LockEmailChange returns a change; challenge.ErrCodeInvalid if there is none.
	LockEmailChange(ctx context.Context, id int64) (user.EmailChange, error)
	// DeleteEmailChanges deletes a user's changes with this id or a later one, and returns
	// them, oldest first.
	DeleteEmailChanges(ctx context.Context, of user.ID, from int64) ([]user.EmailChange, error)
	// IsEmailReserved reports whether another user than except has given up an address by a
	// confirmed change that was requested less than user.UndoPeriod before now.
	IsEmailReserved(ctx context.Context, address user.Email, except user.ID, now time.Time) (bool, error)
	// CopyOptOut unsubscribes an address from optional mails if another one is.
	CopyOptOut(ctx context.Context, from, to user.Email) error
}

// DataExporter is another component that stores data about users. It returns what it stores about a user,
// as a value for json.Marshal: at most limit entries of each list, the newest.
type DataExporter func(ctx context.Context, of user.ID, limit int) (any, error)

// Records are stored data that only an export reads. Lists are oldest first.
type Records struct {
	KnownClients    []auth.KnownClient
	Registrations   []user.Registration // of the user's address
	Invitations     []Invitation        // that the user was sent, open or not
	EmailChanges    []user.EmailChange
	RememberedUntil []time.Time // when each remembered device is forgotten
}
