// Package session holds the rules of sessions: how long one lasts, how its refresh tokens
// succeed each other, and what the use of an old token means.
package session

import (
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// The timeouts of a session. The idle timeout counts from its last use, the absolute
// timeout from its start.
const (
	IdleTimeout           = 24 * time.Hour
	IdleTimeoutRemembered = 30 * 24 * time.Hour
	AbsoluteTimeout       = 365 * 24 * time.Hour
)

// ProofLifetime is how long a proof of identity counts as recent.
const ProofLifetime = 10 * time.Minute

// DeviceLifetime is how long a device is remembered after its user proved the second factor
// on it.
const DeviceLifetime = 30 * 24 * time.Hour

var (
	// ErrInvalid rejects a refresh token that is unknown, revoked, expired or reused.
	ErrInvalid = fault.New(fault.Unauthenticated, "session_invalid", "This session has ended. Please sign in again.")
	// ErrNotFound is returned for an unknown session and for another user's.
	ErrNotFound = fault.New(fault.NotFound, "not_found", "This session does not exist.")
)

// Device is what a User-Agent header says; fields are empty where it says nothing.
type Device struct {
	Browser, OS, Model string
}

// Session is one sign-in of one user on one device.
type Session struct {
	ID   user.SessionID
	User user.ID

	CreatedAt time.Time
	Lifetime

	IP, UserAgent string
	Device        Device

	Family TokenFamily

	// ProvedAt is when the user last proved their identity within this session; zero if
	// they have not. See RecentlyProved.
	ProvedAt time.Time
	// Factors is how many factors the sign-in proved: 1, or 2 with a second factor or a
	// passkey.
	Factors int
	// Client is the id of the OpenID client whose session this is; empty for a sign-in to
	// Octavo itself.
	Client string
	Scopes string // what Client may read, separated by spaces
	// Parent is the session of Octavo in which the user let Client begin this one; 0 if nobody knows.
	Parent user.SessionID
	// FirstParty says that Client may do whatever the user may.
	FirstParty bool
	// Elsewhere says that the user signed in at another service, perhaps without doing anything: the
	// session's start says nothing about when they proved who they are.
	Elsewhere bool
	SignIn
}

// RecentlyProved reports whether the session may change how its user signs in. The session of
// a client never may: what an application does proves nothing about the user.
func (s Session) RecentlyProved(now time.Time) bool {
	return s.Client == "" && !s.ProvedAt.IsZero() && now.Before(s.ProvedAt.Add(ProofLifetime))
}

// AuthenticatedAt returns when the user last proved their identity in any way; zero if nobody
// knows.
func (s Session) AuthenticatedAt() time.Time {
	if s.Methods != "" || s.Client != "" {
		return s.SignedInAt
	}
	if s.Elsewhere || s.ProvedAt.After(s.CreatedAt) {
		return s.ProvedAt
	}
	return s.CreatedAt
}

// Lifetime decides until when a session is active.
type Lifetime struct {
	LastUsedAt     time.Time     // to the minute, or exact if another session was used since
	IdleTimeout    time.Duration // the session expires this long after LastUsedAt
	AbsoluteExpiry time.Time     // the session expires then in any case
	EndedAt        time.Time     // zero unless it was revoked
	Epoch          int64         // the user's epoch when the session started
}

// ExpiresAt returns when the session expires if it is not used again.
func (l Lifetime) ExpiresAt() time.Time {
	if idle := l.LastUsedAt.Add(l.IdleTimeout); idle.Before(l.AbsoluteExpiry) {
		return idle
	}
	return l.AbsoluteExpiry
}

// Active reports whether the session was not revoked, has not expired and is not of an
// older epoch than its user's.
func (l Lifetime) Active(epoch int64, now time.Time) bool {
	return l.EndedAt.IsZero() && l.Epoch >= epoch && now.Before(l.ExpiresAt())
}
