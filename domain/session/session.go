// Package session holds what a sign-in is: how long it lives, how its refresh
// tokens follow each other, and what the use of an old one means.
package session

import (
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// How long a session lives. Idle counts from its last use, Absolute from its
// beginning.
const (
	IdleTimeout           = 24 * time.Hour
	IdleTimeoutRemembered = 30 * 24 * time.Hour
	AbsoluteTimeout       = 365 * 24 * time.Hour
)

var (
	// ErrInvalid refuses a refresh token that is unknown, ended, expired or reused.
	ErrInvalid = fault.New(fault.Unauthenticated, "session_invalid", "This session has ended. Please sign in again.")
	// ErrNotFound says that there is no such session, or not one of the caller's.
	ErrNotFound = fault.New(fault.NotFound, "not_found", "There is no such session.")
)

// Device is what a user agent says of itself; "" where it says nothing.
type Device struct {
	Browser, OS, Model string
}

// Session is one sign-in of one person on one device.
type Session struct {
	ID   user.SessionID
	User user.ID

	CreatedAt time.Time
	Lifetime  // what it ends by

	IP, UserAgent string
	Device        Device

	Family TokenFamily
}

// Lifetime is how long a session stands for its user.
type Lifetime struct {
	LastUsedAt     time.Time     // to the minute, or exactly where another session was used since
	IdleTimeout    time.Duration // ends so long after LastSeenAt
	AbsoluteExpiry time.Time     // ends then in any case
	EndedAt        time.Time     // zero while it lives
	Epoch          int64         // the user's when it began
}

// ExpiresAt is when the session ends if it is not used again.
func (l Lifetime) ExpiresAt() time.Time {
	if idle := l.LastUsedAt.Add(l.IdleTimeout); idle.Before(l.AbsoluteExpiry) {
		return idle
	}
	return l.AbsoluteExpiry
}

// Active reports whether the session still stands for its user, whose epoch is
// given.
func (l Lifetime) Active(epoch int64, now time.Time) bool {
	return l.EndedAt.IsZero() && l.Epoch >= epoch && now.Before(l.ExpiresAt())
}
