// Package passkey holds passkeys: credentials of Web Authentication (WebAuthn, level 3) with
// which a user signs in without a password.
package passkey

import (
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// ID identifies a passkey.
type ID int64

// String returns the form on the wire.
func (i ID) String() string { return id.Format(int64(i)) }

// The limits of a user's passkeys.
const (
	MaxPerUser = 20
	MaxName    = 100 // characters
	// Lifetime is how long the browser's answer to a ceremony is accepted.
	Lifetime = 5 * time.Minute
)

// The errors.
var (
	// ErrInvalid rejects an answer of a browser. It does not say what was wrong.
	ErrInvalid     = fault.New(fault.Invalid, "passkey_invalid", "This passkey was not accepted.")
	ErrNotFound    = fault.New(fault.NotFound, "not_found", "This passkey does not exist.")
	ErrNameInvalid = fault.New(fault.Invalid, "bad_request", "The name of a passkey has 1 to 100 characters.")
	ErrTooMany     = fault.New(fault.Conflict, "bad_request", "An account can have at most 20 passkeys. Remove one first.")
)

// Passkey is a credential that an authenticator made for a user.
type Passkey struct {
	ID        ID
	User      user.ID
	Name      string // that the user gave it
	CreatedAt time.Time
	// LastUsedAt is the time of the last sign-in; zero before the first.
	LastUsedAt time.Time
	Credential
}

// Credential is what verifies the signatures of an authenticator.
type Credential struct {
	CredentialID []byte // chosen by the authenticator, unique
	PublicKey    []byte // in COSE form, RFC 9052
	// Counter is the newest signature counter; 0 for authenticators without one.
	Counter uint32
	// Synced says that the authenticator may copy the credential to other devices. It
	// never changes.
	Synced bool
	// Transports are hints for browsers on how to reach the authenticator.
	Transports []string
}

// CleanName returns a name in NFC, without hidden characters and surrounding spaces, or
// ErrNameInvalid.
func CleanName(name string) (string, error) {
	name, ok := text.CleanLine(name, MaxName)
	if !ok || text.Blank(name) {
		return "", ErrNameInvalid
	}
	return name, nil
}

// Use records a sign-in with the counter that the authenticator sent. It returns false if
// the counter did not grow: then there may be a copy of the authenticator (WebAuthn,
// section 6.1.1).
func (p *Passkey) Use(counter uint32, now time.Time) bool {
	if (counter != 0 || p.Counter != 0) && counter <= p.Counter {
		return false
	}
	p.Counter, p.LastUsedAt = counter, now
	return true
}
