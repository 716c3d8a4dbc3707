package factors

import (
	"encoding/json"
	"time"

	"github.com/octavo-books/octavo/domain/passkey"
	"github.com/octavo-books/octavo/domain/user"
)

// PasskeyVerifier implements the server's part of WebAuthn. The caller passes the state from
// the beginning of a ceremony to its end and does not show it to clients. The error is a
// passkey.ErrInvalid for every answer that is not accepted, and for a ceremony that cannot
// begin because the service has no domain name.
type PasskeyVerifier interface {
	// BeginRegistration returns what navigator.credentials.create wants. Authenticators
	// with one of the passkeys are excluded.
	BeginRegistration(u user.User, has []passkey.Passkey) (options json.RawMessage, state []byte, err error)
	// FinishRegistration verifies the browser's response and returns its credential.
	FinishRegistration(u user.User, state []byte, response json.RawMessage) (passkey.Credential, error)
	// BeginSignIn returns what navigator.credentials.get wants.
	BeginSignIn() (options json.RawMessage, state []byte, err error)
	// ResponseOwner returns the user whom a response names. Nothing is verified yet.
	ResponseOwner(response json.RawMessage) (user.ID, error)
	// FinishSignIn verifies that the response was signed with one of the user's passkeys.
	// It returns that passkey's id and the counter that the authenticator sent.
	FinishSignIn(of user.ID, has []passkey.Passkey, state []byte, response json.RawMessage) (passkey.ID, uint32, error)
}

// PasskeyCeremony is what a browser needs to ask its user for a passkey.
type PasskeyCeremony struct {
	ID        string // goes back with the response
	Options   json.RawMessage
	ExpiresAt time.Time
}
