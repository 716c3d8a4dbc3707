package auth

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// Clock returns the current time in UTC, truncated to the microsecond.
type Clock interface{ Now() time.Time }

// IDs generates ids. Each is greater than every earlier one of the same process.
type IDs interface{ Next() int64 }

// SideEffects are the records that commit in the same transaction as a change: audit
// entries, outgoing mails, events and the client of a proof of identity.
type SideEffects struct {
	AuditEntries []audit.Entry
	Messages     []message.Message
	Events       []event.Event
	KnownClient  *KnownClient // nil unless a user has proved their identity
}

// KnownClient is a client from which a user has signed in, or has answered a mail.
type KnownClient struct {
	User  user.ID
	Key   string // see limit.ClientKey
	Until time.Time
}

// MaxKnownClients limits the known clients of one user. Recording another one deletes
// the least recently used.
const MaxKnownClients = 20

// UserReader finds accounts without locking them. A deleted account is
// user.ErrNotFound. authcontract.UseCases tests this port and all others down to
// SideEffectRecorder.
type UserReader interface {
	FindUser(ctx context.Context, id user.ID) (user.User, error)
	FindUserByEmail(ctx context.Context, email user.Email) (user.User, error)
	// IsKnownClient reports whether the account with this address has an unexpired
	// KnownClient with this key. It does the same work when there is no account, so
	// that its duration reveals nothing.
	IsKnownClient(ctx context.Context, email user.Email, key string, now time.Time) (bool, error)
}

// AdminReader lists what administrators see, newest first. A page has at most limit
// items, with ids below before; 0 starts at the newest.
type AdminReader interface {
	// ListUsers returns the accounts that the filter selects.
	ListUsers(ctx context.Context, f UserFilter, before user.ID, limit int) ([]user.User, error)
	// ListAuditEntries returns the entries that the filter selects.
	ListAuditEntries(ctx context.Context, f AuditFilter, before int64, limit int) ([]audit.Entry, error)
	// ListOpenInvitations returns the invitations that can still be accepted: open at
	// now and sent by somebody who is still an admin and not suspended.
	ListOpenInvitations(ctx context.Context, now time.Time) ([]Invitation, error)
}

// LinkReader finds the data behind a mailed link. The error is
// challenge.ErrLinkInvalid when there is none.
type LinkReader interface {
	FindLink(ctx context.Context, digest [sha256.Size]byte) (challenge.Challenge, error)
	// FindRegistration returns a pending sign-up that has not expired at now.
	FindRegistration(ctx context.Context, id int64, now time.Time) (user.Registration, error)
}

// Database runs transactions.
type Database interface {
	// Atomically runs fn in a transaction and commits it, or rolls it back if fn
	// fails, and then returns fn's error. It may run fn more than once, so fn must
	// have no effect other than through the stores.
	Atomically(ctx context.Context, fn func(context.Context, Stores) error) error
	// WithAddressLock is Atomically while holding a lock on each of the addresses,
	// whether or not anybody has them. A transaction that touches several rows of one
	// address must take its lock, because two such transactions could deadlock.
	WithAddressLock(ctx context.Context, addresses []user.Email, fn func(context.Context, Stores) error) error
}

// Stores are the ports that a transaction of a Database may use. The methods called
// Lock… lock the rows they return until the transaction ends, so that a rule that was
// checked on them still holds at the commit.
type Stores struct {
	Users         UserStore
	Registrations RegistrationStore
	Challenges    ChallengeStore
	Invitations   InvitationStore
	Ceremonies    CeremonyStore
	Identities    IdentityStore
	Passkeys      PasskeyStore
	SecondFactors SecondFactorStore
	EmailChanges  EmailChangeStore
	Clients       ClientStore
	SideEffects   SideEffectRecorder
}

// UserStore stores accounts.
type UserStore interface {
	// LockUser returns an account, or user.ErrNotFound.
	LockUser(ctx context.Context, id user.ID) (user.User, error)
	// LockUserByEmail is LockUser by address.
	LockUserByEmail(ctx context.Context, email user.Email) (user.User, error)
	// LockOwners returns the ids of the owners who are neither suspended nor about to be
	// deleted at their request.
	LockOwners(ctx context.Context) ([]user.ID, error)
	// SaveUser inserts or updates an account; user.ErrEmailTaken if another account
	// has its address.
	SaveUser(ctx context.Context, u user.User) error
	// EraseUsers deletes everything stored about these users except their ids, and
	// their mails in the outbox. It also calls the hooks of other components, such as
	// the marketplace, in the same transaction.
	EraseUsers(ctx context.Context, ids []user.ID, now time.Time) error
	// CheckMove calls the hooks of other components for a locked user who is to change the
	// university, in the same transaction. The marketplace returns user.ErrProfileLocked while a
	// report about the user or an order of theirs is open.
	CheckMove(ctx context.Context, id user.ID) error
	// WithdrawUser calls the hooks of other components for a user who may not sign in any
	// more, in the same transaction: the marketplace unlists the user's books.
	WithdrawUser(ctx context.Context, w user.Withdrawal, now time.Time) error
}

// RegistrationStore stores pending sign-ups. An address may have several.
type RegistrationStore interface {
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
}

// ChallengeStore stores codes and links.
type ChallengeStore interface {
	// PutChallenge stores a challenge and deletes those with the same address and
	// subject whose purpose is the same or one of replaced.
	PutChallenge(ctx context.Context, c challenge.Challenge, replaced ...challenge.Purpose) error
	// CountAttempt counts one attempt by a client on every open challenge with this
	// purpose and address. It returns, with the new count, those that the client may
	// still answer. It does the same work when the client has no attempts left. It
	// requires WithAddressLock.
	CountAttempt(ctx context.Context, p challenge.Purpose, email user.Email, by challenge.Client, now time.Time) ([]challenge.Challenge, error)
	// UseChallenge marks an unexpired challenge as used. Of many concurrent callers
	// exactly one gets true.
	UseChallenge(ctx context.Context, c challenge.Challenge, now time.Time) (bool, error)
	// DeleteChallenges deletes the challenges of an address with one of the purposes,
	// except those of subject except; 0 excepts none.
	DeleteChallenges(ctx context.Context, email user.Email, except int64, purposes ...challenge.Purpose) error
}

// CeremonyStore stores ceremonies. authcontract.Ceremonies tests it.
type CeremonyStore interface {
	// PutCeremony inserts or updates a ceremony.
	PutCeremony(ctx context.Context, c challenge.Ceremony) error
	// LockCeremony returns an unexpired ceremony; challenge.ErrCeremonyInvalid if there
	// is none.
	LockCeremony(ctx context.Context, p challenge.Purpose, digest [sha256.Size]byte, now time.Time) (challenge.Ceremony, error)
	// DeleteCeremony deletes a ceremony, so that it cannot be finished again. An unknown
	// one is ignored.
	DeleteCeremony(ctx context.Context, digest [sha256.Size]byte) error
}

// InvitationStore stores invitations. A user has at most one open invitation.
type InvitationStore interface {
	AddInvitation(ctx context.Context, i Invitation) error
	// AcceptInvitation marks an open invitation as accepted and returns it;
	// ErrInvitationNotFound if it is not open.
	AcceptInvitation(ctx context.Context, id InvitationID, now time.Time) (Invitation, error)
	// RevokeInvitation marks an open invitation as revoked, with the same results.
	RevokeInvitation(ctx context.Context, id InvitationID, now time.Time) (Invitation, error)
	// RevokeUserInvitation revokes the invitation of a user, if there is one that is not
	// accepted, and returns it; the zero value without one.
	RevokeUserInvitation(ctx context.Context, of user.ID, now time.Time) (Invitation, error)
}

// SideEffectRecorder stores side effects within a transaction.
type SideEffectRecorder interface {
	RecordSideEffects(ctx context.Context, e SideEffects) error
	// RecordDecoy takes as long as RecordSideEffects and stores nothing. Without it
	// the response time would reveal whether a mail was sent.
	RecordDecoy(ctx context.Context, e SideEffects) error
}
