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

// SideEffects are the records that commit in the same transaction as a change: audit
// entries, outgoing mails, events, the client of a proof of identity, and which applications hear of a sign-out.
type SideEffects struct {
	AuditEntries []audit.Entry
	Messages     []message.Message
	Events       []event.Event
	KnownClient  *KnownClient // nil unless a user has proved their identity
	Logouts      []Logout
	// ServiceSignIn is a new session that was begun at another service; nil for any other.
	ServiceSignIn *ServiceSignIn
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

// Storage runs transactions, and reads without locking what all rooms ask for.
// authcontract.UseCases tests it and Store.
type Storage interface {
	// Atomically runs fn in a transaction and commits it, or rolls it back if fn
	// fails, and then returns fn's error. It may run fn more than once, so fn must
	// have no effect other than through the stores.
	Atomically(ctx context.Context, fn func(context.Context, Stores) error) error
	// WithAddressLock is Atomically while holding a lock on each of the addresses,
	// whether or not anybody has them. A transaction that touches several rows of one
	// address must take its lock, because two such transactions could deadlock.
	WithAddressLock(ctx context.Context, addresses []user.Email, fn func(context.Context, Stores) error) error

	// FindUser and FindUserByEmail return user.ErrNotFound for a deleted account.
	FindUser(ctx context.Context, id user.ID) (user.User, error)
	FindUserByEmail(ctx context.Context, email user.Email) (user.User, error)
	// ListLabels returns the roles and groups of a user, by kind and name.
	ListLabels(ctx context.Context, of user.ID) ([]user.Label, error)
	// IsKnownClient reports whether the account with this address has an unexpired
	// KnownClient with this key. It does the same work when there is no account, so
	// that its duration reveals nothing.
	IsKnownClient(ctx context.Context, email user.Email, key string, now time.Time) (bool, error)
	// FindLink finds the data behind a mailed link; challenge.ErrLinkInvalid when there is none.
	FindLink(ctx context.Context, digest [sha256.Size]byte) (challenge.Challenge, error)
}

// Stores are what a transaction of a Storage may use. The methods called Lock… lock the rows they
// return until the transaction ends, so that a rule that was checked on them still holds at the commit.
type Stores struct {
	Store
	// Handle is the transaction as the adapter knows it, which opens the stores of rooms with it.
	Handle any
}

// Store is what all rooms store.
type Store interface {
	// LockUser returns an account, or user.ErrNotFound.
	LockUser(ctx context.Context, id user.ID) (user.User, error)
	// LockUserByEmail is LockUser by address.
	LockUserByEmail(ctx context.Context, email user.Email) (user.User, error)
	// SaveUser inserts or updates an account; user.ErrEmailTaken if another account
	// has its address.
	SaveUser(ctx context.Context, u user.User) error

	// SetLabels replaces those labels of a locked user that have a kind and a source.
	SetLabels(ctx context.Context, of user.ID, kind user.LabelKind, source string, names []string) error
	// PutChallenge stores a challenge and deletes those with the same address and
	// subject whose purpose is the same or one of replaced.
	PutChallenge(ctx context.Context, c challenge.Challenge, replaced ...challenge.Purpose) error
	// CountAttempt counts one attempt by a client on every open challenge with this
	// purpose and address. It returns, with the new count, those that the client may
	// still answer. It does the same work when the client has no attempts left. It
	// requires WithAddressLock.
	CountAttempt(
		ctx context.Context, p challenge.Purpose, email user.Email, by challenge.Client, now time.Time,
	) ([]challenge.Challenge, error)
	// UseChallenge marks an unexpired challenge as used. Of many concurrent callers
	// exactly one gets true.
	UseChallenge(ctx context.Context, c challenge.Challenge, now time.Time) (bool, error)
	// DeleteChallenges deletes the challenges of an address with one of the purposes,
	// except those of subject except; 0 excepts none.
	DeleteChallenges(ctx context.Context, email user.Email, except int64, purposes ...challenge.Purpose) error

	// PutCeremony inserts or updates a ceremony.
	PutCeremony(ctx context.Context, c challenge.Ceremony) error
	// LockCeremony returns an unexpired ceremony; challenge.ErrCeremonyInvalid if there
	// is none.
	LockCeremony(ctx context.Context, p challenge.Purpose, digest [sha256.Size]byte, now time.Time) (challenge.Ceremony, error)
	// DeleteCeremony deletes a ceremony, so that it cannot be finished again. An unknown
	// one is ignored.
	DeleteCeremony(ctx context.Context, digest [sha256.Size]byte) error

	RecordSideEffects(ctx context.Context, e SideEffects) error
	// RecordDecoy takes as long as RecordSideEffects and stores nothing. Without it
	// the response time would reveal whether a mail was sent.
	RecordDecoy(ctx context.Context, e SideEffects) error
}
