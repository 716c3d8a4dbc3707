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

// Trace is what an act leaves behind; it commits with the act or not at all.
type Trace struct {
	Entries  []audit.Entry
	Messages []message.Message
	Known    *KnownSource // nil unless somebody signs in
}

// KnownSource is where somebody has signed in from.
type KnownSource struct {
	User   user.ID
	Source string // what counts as one client, see limit.ClientKey
	Until  time.Time
}

// MaxKnownSources bounds how many of one account are kept: those used last.
const MaxKnownSources = 20

// Directory looks up people. Deleted ones are user.ErrNotFound. Passes
// authcontract.UseCases, as do all ports down to Trail.
type Directory interface {
	ByID(ctx context.Context, id user.ID) (user.User, error)
	ByEmail(ctx context.Context, email user.Email) (user.User, error)
	// KnowsSource reports whether the account of an address has a KnownSource by
	// that name at now. It is as much work where there is no account.
	KnowsSource(ctx context.Context, email user.Email, source string, now time.Time) (bool, error)
}

// Listings read what admins look at, newest first, no more than limit items with
// ids below before (0: from the newest).
type Listings interface {
	// People have search in their address, or with inNames in a name; a letter of
	// ASCII is the same in either case.
	People(ctx context.Context, search string, inNames bool, before user.ID, limit int) ([]user.User, error)
	// Entries are those where of acted or was acted on; 0 is everybody.
	Entries(ctx context.Context, of user.ID, before int64, limit int) ([]audit.Entry, error)
	// Invitations are those that can be accepted at now: open, and by somebody who
	// is an admin still.
	Invitations(ctx context.Context, now time.Time) ([]Invitation, error)
}

// Links finds what a link was sent for: challenge.ErrLinkInvalid when there is none.
type Links interface {
	Link(ctx context.Context, digest [sha256.Size]byte) (challenge.Challenge, error)
	// Registration is the sign-up that is to be confirmed, unless it has expired.
	Registration(ctx context.Context, id int64, now time.Time) (user.Registration, error)
}

// Database changes several things as one step.
type Database interface {
	// Atomically commits all that fn did, or nothing when fn fails; the error is
	// fn's. It may run fn again, so fn has no effect but on the stores.
	Atomically(ctx context.Context, fn func(context.Context, Stores) error) error
	// InTurn is Atomically for a step about addresses: it begins when those that
	// named one of them before it have ended. A step that touches several things of
	// an address names it, or two could wait for each other.
	InTurn(ctx context.Context, about []user.Email, fn func(context.Context, Stores) error) error
}

// Stores are what one step of a Database may change. Each locks what it loads
// until the step ends, so that a rule may be decided on it.
type Stores struct {
	Users         Users
	Registrations Registrations
	Challenges    Challenges
	Invitations   InvitationBook
	Trail         Trail
}

// Users keeps accounts.
type Users interface {
	// ByID and ByEmail load an account to be changed, or user.ErrNotFound.
	ByID(ctx context.Context, id user.ID) (user.User, error)
	ByEmail(ctx context.Context, email user.Email) (user.User, error)
	// Owners loads all owners.
	Owners(ctx context.Context) ([]user.ID, error)
	// Save keeps a new or a changed account; user.ErrEmailTaken if another has its address.
	Save(ctx context.Context, u user.User) error
	// Erase removes people's addresses, passwords, profiles and whatever else was
	// kept of them but their ids, mails that wait for them included, and does what
	// else their leaving brings about.
	Erase(ctx context.Context, ids []user.ID, now time.Time) error
}

// Registrations keeps sign-ups until one of their address is confirmed.
type Registrations interface {
	// Of are those of the address that have not expired, newest first.
	Of(ctx context.Context, email user.Email, now time.Time) ([]user.Registration, error)
	// Add notes one as following the newest of its address, and drops those that
	// are crowded out by it. It belongs to a step InTurn.
	Add(ctx context.Context, r user.Registration) error
	// SetMailed notes that a code or link was sent for one, if there is one of that
	// id, and keeps it at least until that expires.
	SetMailed(ctx context.Context, id int64, until time.Time) error
	// Drop forgets all of the address.
	Drop(ctx context.Context, email user.Email) error
}

// Challenges keeps codes and links.
type Challenges interface {
	// Put replaces what there was for the same address and subject, and for the
	// same purpose or one of instead.
	Put(ctx context.Context, c challenge.Challenge, instead ...challenge.Purpose) error
	// Try counts one try on every open challenge for the purpose and address, and
	// returns those at which it may be looked, as counted. It is as much work for a
	// guesser who has no try left. It belongs to a step InTurn.
	Try(ctx context.Context, p challenge.Purpose, email user.Email, by challenge.Client, now time.Time) ([]challenge.Challenge, error)
	// Use marks an unexpired challenge as used; of many callers one is told true.
	Use(ctx context.Context, c challenge.Challenge, now time.Time) (bool, error)
	// Drop forgets those for the purposes and address, but not those of subject except.
	Drop(ctx context.Context, email user.Email, except int64, purposes ...challenge.Purpose) error
}

// InvitationBook keeps invitations. A person has one open invitation at most.
type InvitationBook interface {
	Add(ctx context.Context, i Invitation) error
	// Accept closes an open invitation as accepted and returns it;
	// ErrInvitationNotFound when it is not open.
	Accept(ctx context.Context, id InvitationID, now time.Time) (Invitation, error)
	// Withdraw closes an open invitation as revoked, in the same way.
	Withdraw(ctx context.Context, id InvitationID, now time.Time) (Invitation, error)
	// WithdrawOf does so with the open invitation of a person, if there is one.
	WithdrawOf(ctx context.Context, of user.ID, now time.Time) error
}

// Trail takes what an act leaves behind.
type Trail interface {
	Leave(ctx context.Context, t Trace) error
	// Rehearse takes as long as Leave and leaves nothing: nobody is to tell from
	// the time whether a mail was sent.
	Rehearse(ctx context.Context, t Trace) error
}

// SessionStore keeps sessions, in the database or elsewhere. Passes
// authcontract.Sessions, as do SessionLineage and SessionEnds.
type SessionStore interface {
	// Begin keeps a new session and ends the least recently used of its user's
	// beyond keep. trace is asked what else commits, and told whether the user
	// was never signed in from this browser and system before. A store beside the
	// accounts' own answers user.ErrNotFound for a user that is gone.
	Begin(ctx context.Context, s session.Session, keep int, trace func(newDevice bool) Trace) error
	// Find is session.ErrNotFound for one that was ended, or that another user has.
	Find(ctx context.Context, of user.ID, id user.SessionID) (session.Session, error)
	// Of are the sessions of a user that were not ended, in any order. They may
	// have expired or be of an old epoch.
	Of(ctx context.Context, of user.ID) ([]session.Session, error)
}

// Standing is what decides whether an access token is let in, and as whom.
type Standing struct {
	Life      session.Lifetime
	SeenN     int64 // of the session's Lineage
	Overtaken bool  // another session of the user was used since, or as late
	Epoch     int64 // the user's
	Role      user.Role
	Student   bool
}

// Standings tells how somebody stands. Passes authcontract.Sessions.
type Standings interface {
	// Standing is session.ErrNotFound for a session that was ended, for one that
	// another user has, and for a user that is gone.
	Standing(ctx context.Context, of user.ID, id user.SessionID) (Standing, error)
}

// Presented is a refresh token that was found to be genuine.
type Presented struct {
	User    user.ID
	Session user.SessionID
	N       int64
	Epoch   int64 // the user's
	At      time.Time
}

// Sighting is an access token that arrived.
type Sighting struct {
	N  int64
	At time.Time
	IP string
}

// SessionLineage follows the refresh tokens of a session.
type SessionLineage interface {
	// Rotate does as one step what session.Judge says and returns the session as
	// it is now. Of parallel callers one rotates. For session.ReuseDetected the session
	// is ended and theft is asked what else commits. A session that is gone is
	// session.Inactive, and is never brought back.
	Rotate(ctx context.Context, p Presented, theft func(session.Session) Trace) (session.Session, session.Outcome, error)
	// See notes a sighting; a session that was ended stays ended.
	See(ctx context.Context, of user.ID, id user.SessionID, s Sighting) error
}

// SessionEnds ends sessions.
type SessionEnds interface {
	// End ends those of the user's sessions that it is given and that were not
	// ended, returns how many, and leaves the trace if there were any.
	End(ctx context.Context, of user.ID, ids []user.SessionID, now time.Time, t Trace) (int, error)
	// Move takes a session from one epoch to another; session.ErrNotFound for one
	// that was ended or is not of the first.
	Move(ctx context.Context, of user.ID, id user.SessionID, from, to int64) error
}

// Limits counts. Passes authcontract.Limits.
type Limits interface {
	// Take counts all that is asked for, or nothing and returns how long to wait.
	Take(ctx context.Context, now time.Time, asks ...limit.Request) (time.Duration, error)
	// Forget makes name one that was never done.
	Forget(ctx context.Context, name string) error
}

// Sweeper removes at most n things of each sort that have expired by now, and
// says how many of the sort with the most. What is left looks the same to every other
// port.
type Sweeper interface {
	Sweep(ctx context.Context, now time.Time, n int) (int, error)
}

// Hasher hashes passwords. It bounds how many at once; beyond its queue it
// answers with fault.Unavailable.
type Hasher interface {
	Hash(ctx context.Context, p user.Password) (string, error)
	// Verify compares. An empty hash is never right and takes as long as any
	// other. outdated says that a right password should be hashed anew.
	Verify(ctx context.Context, hash string, p user.Password) (right, outdated bool, err error)
	// Mark is the same for the same password and salt and for no others, and
	// about as much work as Hash.
	Mark(ctx context.Context, p user.Password, salt []byte) ([32]byte, error)
	// Check refuses a hash from elsewhere that Verify could not compare.
	Check(hash string) error
}

// Claims are what an access token says.
type Claims struct {
	User                user.ID
	Session             user.SessionID
	Role                user.Role
	N                   int64 // the refresh token that came with it
	IssuedAt, ExpiresAt time.Time
}

// Tokens makes and checks access tokens. Verify is user.ErrUnauthenticated for
// anything that Sign did not make or that has expired by now.
type Tokens interface {
	Sign(c Claims) (string, error)
	Verify(token string, now time.Time) (Claims, error)
}

// Devices reads user agents.
type Devices interface {
	Parse(userAgent string) session.Device
}
