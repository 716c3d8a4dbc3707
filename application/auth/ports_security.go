package auth

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/user"
)

// RateLimiter enforces rate limits. authcontract.RateLimiter tests it.
type RateLimiter interface {
	// AllowRequests counts all requests and returns 0, or counts none and returns how
	// long to wait.
	AllowRequests(ctx context.Context, now time.Time, requests ...limit.Request) (time.Duration, error)
	// CheckLimit returns how long AllowRequests would make this request wait, and counts
	// nothing.
	CheckLimit(ctx context.Context, now time.Time, request limit.Request) (time.Duration, error)
	// ResetLimit deletes the count of a name.
	ResetLimit(ctx context.Context, name string) error
}

// PasswordHasher hashes passwords. It limits concurrent work; when its queue is full
// every method but CheckHash returns a fault.Unavailable.
type PasswordHasher interface {
	HashPassword(ctx context.Context, p user.Password) (string, error)
	// VerifyPassword compares a password with a hash. An empty hash never matches and
	// takes as long as any other. outdated says that the password matches and should
	// be hashed again.
	VerifyPassword(ctx context.Context, hash string, p user.Password) (right, outdated bool, err error)
	// FingerprintPassword returns the same bytes for the same password and salt, and
	// different ones otherwise. It costs about as much as HashPassword.
	FingerprintPassword(ctx context.Context, p user.Password, salt []byte) ([32]byte, error)
	// CheckHash returns an error for an imported hash that VerifyPassword could not
	// compare.
	CheckHash(hash string) error
}

// Claims are the content of an access token.
type Claims struct {
	User                user.ID
	Session             user.SessionID
	Role                user.Role
	TokenNumber         int64  // of the refresh token that was issued with it
	Client, Scopes      string // of the session, see session.Session
	FirstParty          bool
	Metadata            string // of the user: a JSON object, or empty
	IssuedAt, ExpiresAt time.Time
	Target              Target
}

// Target is what the access token of an OpenID client is for: a resource, with the scopes there. The zero value is Octavo itself.
type Target struct{ Resource, Identifier, Scopes string }

// ThirdParty reports whether the token belongs to a third-party client, which may not do
// everything that the user may.
func (c Claims) ThirdParty() bool { return c.Client != "" && !c.FirstParty }

// AccessTokens signs and verifies access tokens.
type AccessTokens interface {
	SignToken(c Claims) (string, error)
	// VerifyToken returns user.ErrUnauthenticated for a token that SignToken did not
	// make or that has expired at now.
	VerifyToken(token string, now time.Time) (Claims, error)
	// VerifyTargetToken is VerifyToken for a token with a Target, which VerifyToken refuses.
	VerifyTargetToken(token string, now time.Time) (Claims, error)
}

// Sealer encrypts what must be readable again but not in a copy of the database.
type Sealer interface {
	Seal(plain []byte) ([]byte, error)
	// Open returns an error for anything that Seal did not return.
	Open(sealed []byte) ([]byte, error)
}
