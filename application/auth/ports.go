package auth

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Clock tells the time in UTC, to the microsecond.
type Clock interface{ Now() time.Time }

// IDs makes ids that are greater than all before them.
type IDs interface{ Next() int64 }

// SideEffects is what an act leaves behind; it commits with the act or not at all.
type SideEffects struct {
	AuditEntries []audit.Entry
	Messages     []message.Message
	KnownClient  *KnownClient // nil unless somebody signs in
}

// KnownClient is where somebody has signed in from.
type KnownClient struct {
	User  user.ID
	Key   string // what counts as one client, see limit.ClientKey
	Until time.Time
}

// MaxKnownClients bounds how many of one account are kept: those used last.
const MaxKnownClients = 20

// UserReader looks up people. Deleted ones are user.ErrNotFound. Passes
// authcontract.UseCases, as do all ports down to Trail.
type UserReader interface {
	FindUser(ctx context.Context, id user.ID) (user.User, error)
	FindUserByEmail(ctx context.Context, email user.Email) (user.User, error)
	// IsKnownClient reports whether the account of an address has a KnownSource by
	// that name at now. It is as much work where there is no account.
	IsKnownClient(ctx context.Context, email user.Email, source string, now time.Time) (bool, error)
}

// AdminReader read what admins look at, newest first, no more than limit items with
// ids below before (0: from the newest).
type AdminReader interface {
	// ListUsers have search in their address, or with inNames in a name; a letter of
	// ASCII is the same in either case.
	ListUsers(ctx context.Context, search string, inNames bool, before user.ID, limit int) ([]user.User, error)
	// ListAuditEntries are those where of acted or was acted on; 0 is everybody.
	ListAuditEntries(ctx context.Context, of user.ID, before int64, limit int) ([]audit.Entry, error)
	// ListOpenInvitations are those that can be accepted at now: open, and by somebody who
	// is an admin still.
	ListOpenInvitations(ctx context.Context, now time.Time) ([]Invitation, error)
}

// LinkReader finds what a link was sent for: challenge.ErrLinkInvalid when there is none.
type LinkReader interface {
	FindLink(ctx context.Context, digest [sha256.Size]byte) (challenge.Challenge, error)
	// FindRegistration is the sign-up that is to be confirmed, unless it has expired.
	FindRegistration(ctx context.Context, id int64, now time.Time) (user.Registration, error)
}

// Database changes several things as one step.
type Database interface {
	// Atomically commits all that fn did, or nothing when fn fails; the error is
	// fn's. It may run fn again, so fn has no effect but on the stores.
	Atomically(ctx context.Context, fn func(context.Context, Stores) error) error
	// WithAddressLock is Atomically for a step about addresses: it begins when those that
	// named one of them before it have ended. A step that touches several things of
	// an address names it, or two could wait for each other.
	WithAddressLock(ctx context.Context, about []user.Email, fn func(context.Context, Stores) error) error
}

// Stores are what one step of a Database may change. Each locks what it loads
// until the step ends, so that a rule may be decided on it.
type Stores struct {
	Users         UserStore
	Registrations RegistrationStore
	Challenges    ChallengeStore
	Invitations   InvitationStore
	SideEffects   SideEffectRecorder
}

// UserStore keeps accounts.
type UserStore interface {
	// LockUser and ByEmail load an account to be changed, or user.ErrNotFound.
	LockUser(ctx context.Context, id user.ID) (user.User, error)
	LockUserByEmail(ctx context.Context, email user.Email) (user.User, error)
	// LockOwners loads all owners.
	LockOwners(ctx context.Context) ([]user.ID, error)
	// SaveUser keeps a new or a changed account; user.ErrEmailTaken if another has its address.
	SaveUser(ctx context.Context, u user.User) error
	// EraseUsers removes people's addresses, passwords, profiles and whatever else was
	// kept of them but their ids, mails that wait for them included, and does what
	// else their leaving brings about.
	EraseUsers(ctx context.Context, ids []user.ID, now time.Time) error
}

// RegistrationStore keeps sign-ups until one of their address is confirmed.
type RegistrationStore interface {
	// LockRegistrations are those of the address that have not expired, newest first.
	LockRegistrations(ctx context.Context, email user.Email, now time.Time) ([]user.Registration, error)
	// AddRegistration notes one as following the newest of its address, and drops those that
	// are crowded out by it. It belongs to a step InTurn.
	AddRegistration(ctx context.Context, r user.Registration) error
	// MarkRegistrationMailed notes that a code or link was sent for one, if there is one of that
	// id, and keeps it at least until that expires.
	MarkRegistrationMailed(ctx context.Context, id int64, until time.Time) error
	// DeleteRegistrations forgets all of the address.
	DeleteRegistrations(ctx context.Context, email user.Email) error
}

// ChallengeStore keeps codes and links.
type ChallengeStore interface {
	// PutChallenge replaces what there was for the same address and subject, and for the
	// same purpose or one of instead.
	PutChallenge(ctx context.Context, c challenge.Challenge, instead ...challenge.Purpose) error
	// CountAttempt counts one try on every open challenge for the purpose and address, and
	// returns those at which it may be looked, as counted. It is as much work for a
	// guesser who has no try left. It belongs to a step InTurn.
	CountAttempt(ctx context.Context, p challenge.Purpose, email user.Email, by challenge.Client, now time.Time) ([]challenge.Challenge, error)
	// UseChallenge marks an unexpired challenge as used; of many callers one is told true.
	UseChallenge(ctx context.Context, c challenge.Challenge, now time.Time) (bool, error)
	// DeleteChallenges forgets those for the purposes and address, but not those of subject except.
	DeleteChallenges(ctx context.Context, email user.Email, except int64, purposes ...challenge.Purpose) error
}

// InvitationStore keeps invitations. A person has one open invitation at most.
type InvitationStore interface {
	AddInvitation(ctx context.Context, i Invitation) error
	// AcceptInvitation closes an open invitation as accepted and returns it;
	// ErrInvitationNotFound when it is not open.
	AcceptInvitation(ctx context.Context, id InvitationID, now time.Time) (Invitation, error)
	// RevokeInvitation closes an open invitation as revoked, in the same way.
	RevokeInvitation(ctx context.Context, id InvitationID, now time.Time) (Invitation, error)
	// RevokeUserInvitation does so with the open invitation of a person, if there is one.
	RevokeUserInvitation(ctx context.Context, of user.ID, now time.Time) error
}

// SideEffectRecorder takes what an act leaves behind.
type SideEffectRecorder interface {
	RecordSideEffects(ctx context.Context, t SideEffects) error
	// RecordDecoy takes as long as Leave and leaves nothing: nobody is to tell from
	// the time whether a mail was sent.
	RecordDecoy(ctx context.Context, t SideEffects) error
}

// SessionStore keeps sessions, in the database or elsewhere. Passes
// authcontract.Sessions, as do SessionLineage and SessionEnds.
type SessionStore interface {
	// AddSession keeps a new session and ends the least recently used of its user's
	// beyond keep. trace is asked what else commits, and told whether the user
	// was never signed in from this browser and system before. A store beside the
	// accounts' own answers user.ErrNotFound for a user that is gone.
	AddSession(ctx context.Context, s session.Session, keep int, trace func(newDevice bool) SideEffects) error
	// FindSession is session.ErrNotFound for one that was ended, or that another user has.
	FindSession(ctx context.Context, of user.ID, id user.SessionID) (session.Session, error)
	// ListSessions are the sessions of a user that were not ended, in any order. They may
	// have expired or be of an old epoch.
	ListSessions(ctx context.Context, of user.ID) ([]session.Session, error)
}

// SessionState is what decides whether an access token is let in, and as whom.
type SessionState struct {
	Lifetime           session.Lifetime
	NewestSeen         int64 // of the session's Lineage
	UsedSinceElsewhere bool  // another session of the user was used since, or as late
	UserEpoch          int64 // the user's
	Role               user.Role
	Student            bool
}

// SessionStateReader tells how somebody stands. Passes authcontract.Sessions.
type SessionStateReader interface {
	// FindSessionState is session.ErrNotFound for a session that was ended, for one that
	// another user has, and for a user that is gone.
	FindSessionState(ctx context.Context, of user.ID, id user.SessionID) (SessionState, error)
}

// PresentedToken is a refresh token that was found to be genuine.
type PresentedToken struct {
	User      user.ID
	Session   user.SessionID
	Number    int64
	UserEpoch int64 // the user's
	At        time.Time
}

// SessionUse is an access token that arrived.
type SessionUse struct {
	TokenNumber int64
	At          time.Time
	IP          string
}

// TokenRotator follows the refresh tokens of a session.
type TokenRotator interface {
	// RotateToken does as one step what session.Judge says and returns the session as
	// it is now. Of parallel callers one rotates. For session.ReuseDetected the session
	// is ended and theft is asked what else commits. A session that is gone is
	// session.Inactive, and is never brought back.
	RotateToken(ctx context.Context, p PresentedToken, theft func(session.Session) SideEffects) (session.Session, session.Outcome, error)
	// TouchSession notes a sighting; a session that was ended stays ended.
	TouchSession(ctx context.Context, of user.ID, id user.SessionID, s SessionUse) error
}

// SessionRevoker ends sessions.
type SessionRevoker interface {
	// RevokeSessions ends those of the user's sessions that it is given and that were not
	// ended, returns how many, and leaves the trace if there were any.
	RevokeSessions(ctx context.Context, of user.ID, ids []user.SessionID, now time.Time, t SideEffects) (int, error)
	// RebindSession takes a session from one epoch to another; session.ErrNotFound for one
	// that was ended or is not of the first.
	RebindSession(ctx context.Context, of user.ID, id user.SessionID, from, to int64) error
}

// RateLimiter counts. Passes authcontract.Limits.
type RateLimiter interface {
	// AllowRequests counts all that is asked for, or nothing and returns how long to wait.
	AllowRequests(ctx context.Context, now time.Time, asks ...limit.Request) (time.Duration, error)
	// ResetLimit makes name one that was never done.
	ResetLimit(ctx context.Context, name string) error
}

// Sweeper removes at most n things of each sort that have expired by now, and
// says how many of the sort with the most. What is left looks the same to every other
// port.
type Sweeper interface {
	DeleteExpired(ctx context.Context, now time.Time, n int) (int, error)
}

// PasswordHasher hashes passwords. It bounds how many at once; beyond its queue it
// answers with fault.Unavailable.
type PasswordHasher interface {
	HashPassword(ctx context.Context, p user.Password) (string, error)
	// VerifyPassword compares. An empty hash is never right and takes as long as any
	// other. outdated says that a right password should be hashed anew.
	VerifyPassword(ctx context.Context, hash string, p user.Password) (right, outdated bool, err error)
	// FingerprintPassword is the same for the same password and salt and for no others, and
	// about as much work as Hash.
	FingerprintPassword(ctx context.Context, p user.Password, salt []byte) ([32]byte, error)
	// CheckHash refuses a hash from elsewhere that Verify could not compare.
	CheckHash(hash string) error
}

// Claims are what an access token says.
type Claims struct {
	User                user.ID
	Session             user.SessionID
	Role                user.Role
	TokenNumber         int64 // the refresh token that came with it
	IssuedAt, ExpiresAt time.Time
}

// AccessTokens makes and checks access tokens. Verify is user.ErrUnauthenticated for
// anything that Sign did not make or that has expired by now.
type AccessTokens interface {
	SignToken(c Claims) (string, error)
	VerifyToken(token string, now time.Time) (Claims, error)
}

// UserAgentParser reads user agents.
type UserAgentParser interface {
	ParseUserAgent(userAgent string) session.Device
}
