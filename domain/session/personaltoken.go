package session

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// The limits of personal access tokens.
const (
	MaxPersonalTokens        = 50  // unexpired ones of one user
	MaxPersonalTokenName     = 100 // characters
	MinPersonalTokenLifetime = time.Second
	MaxPersonalTokenLifetime = 365 * 24 * time.Hour
)

const (
	// personalTokenPrefix tells personal access tokens from others, also in searches for leaked secrets.
	personalTokenPrefix = "oct_"
	personalTokenText   = len(personalTokenPrefix) + 43
)

// The errors of personal access tokens.
var (
	ErrPersonalTokenNotFound = fault.New(fault.NotFound, "not_found", "This token does not exist.")
	ErrTooManyPersonalTokens = fault.New(fault.Conflict, "bad_request", "An account can have at most 50 access tokens. Revoke one first.")
	ErrPersonalTokenName     = fault.New(fault.Invalid, "bad_request", "The name of a token has 1 to 100 characters on one line.")
	ErrPersonalTokenScope    = fault.New(fault.Invalid, "bad_request", "A token has one or more of the scopes openid, email, profile and market.")
	ErrPersonalTokenLifetime = fault.New(fault.Invalid, "bad_request", "A token is valid for 1 second to 365 days.")
)

// PersonalToken is an access token that a user has made for scripts. It is a session without
// refresh tokens: what ends all sessions of the user ends it, too.
type PersonalToken struct {
	ID     user.SessionID
	User   user.ID
	Name   string // that the user gave it
	Scopes string // separated by spaces
	// Digest is what a store keeps of the text. That has 256 random bits, so that a fast hash suffices.
	Digest     [sha256.Size]byte
	Factors    int   // of the session that made it
	Epoch      int64 // of the user when it was made
	CreatedAt  time.Time
	ExpiresAt  time.Time
	LastUsedAt time.Time // to the minute; zero before the first use
}

// Lifetime returns the lifetime of the token as that of a session: use does not prolong it.
func (t PersonalToken) Lifetime() Lifetime {
	return Lifetime{LastUsedAt: t.ExpiresAt, AbsoluteExpiry: t.ExpiresAt, Epoch: t.Epoch}
}

// PersonalTokenScopes returns the scopes that a personal access token may have.
func PersonalTokenScopes() []string {
	return []string{"openid", "email", "profile", user.ScopeMarket} // package openid imports this one
}

// NewPersonalToken returns a token, and the text that its user sees once.
func NewPersonalToken(random io.Reader, name string, scopes []string, lifetime time.Duration,
	now time.Time) (t PersonalToken, secret string, err error) {
	name = strings.TrimSpace(name)
	switch {
	case text.Blank(name) || text.Line(name, MaxPersonalTokenName) != name:
		return t, "", ErrPersonalTokenName
	case lifetime < MinPersonalTokenLifetime || lifetime > MaxPersonalTokenLifetime:
		return t, "", ErrPersonalTokenLifetime
	case len(scopes) == 0 || slices.ContainsFunc(scopes, func(s string) bool { return !slices.Contains(PersonalTokenScopes(), s) }):
		return t, "", ErrPersonalTokenScope
	}
	var b [32]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return t, "", fmt.Errorf("make a personal access token: %w", err)
	}
	secret = personalTokenPrefix + base64.RawURLEncoding.EncodeToString(b[:])
	granted := slices.DeleteFunc(PersonalTokenScopes(), func(s string) bool { return !slices.Contains(scopes, s) })
	return PersonalToken{
		Name: name, Scopes: strings.Join(granted, " "), Digest: PersonalTokenDigest(secret), CreatedAt: now, ExpiresAt: now.Add(lifetime),
	}, secret, nil
}

// IsPersonalToken reports whether a credential has the form of a personal access token.
func IsPersonalToken(credential string) bool {
	return len(credential) == personalTokenText && strings.HasPrefix(credential, personalTokenPrefix)
}

// PersonalTokenDigest returns the digest of a token's text.
func PersonalTokenDigest(secret string) [sha256.Size]byte {
	return sha256.Sum256([]byte("octavo personal access token\x00" + secret))
}
