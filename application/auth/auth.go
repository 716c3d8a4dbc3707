// Package auth is the identity component that the auth service and the marketplace share. Its use cases
// are in rooms, packages that do not know each other; here is what they share: the unit of work, the
// ports, mailed codes, proofs of identity, and the hooks in which they meet.
package auth

import (
	"time"

	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// TokenPair is the result of a sign-in or a refresh.
type TokenPair struct {
	AccessToken  string
	ExpiresIn    time.Duration
	RefreshToken string
	Session      session.Session
	User         user.User
	// Device is the value of the cookie that makes the second factor unnecessary on this
	// browser for session.DeviceLifetime; empty: leave the cookie as it is.
	Device string
}
