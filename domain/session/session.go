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
	Idle           = 24 * time.Hour
	IdleRemembered = 30 * 24 * time.Hour
	Absolute       = 365 * 24 * time.Hour
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

	CreatedAt  time.Time
	LastSeenAt time.Time     // to the minute
	Idle       time.Duration // ends so long after LastSeenAt
	Until      time.Time     // ends then in any case
	EndedAt    time.Time     // zero while it lives

	IP, UserAgent string
	Device        Device

	Epoch   int64 // the user's when it began
	Lineage Lineage
}

// ExpiresAt is when the session ends if it is not used again.
func (s Session) ExpiresAt() time.Time {
	if idle := s.LastSeenAt.Add(s.Idle); idle.Before(s.Until) {
		return idle
	}
	return s.Until
}

// Live reports whether the session still stands for its user, whose epoch is
// given.
func (s Session) Live(epoch int64, now time.Time) bool {
	return s.EndedAt.IsZero() && s.Epoch >= epoch && now.Before(s.ExpiresAt())
}
