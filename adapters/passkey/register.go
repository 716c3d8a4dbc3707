package passkey

import (
	"encoding/json"
	"errors"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/octavo-books/octavo/domain/passkey"
	"github.com/octavo-books/octavo/domain/user"
)

// BeginRegistration implements factors.PasskeyVerifier.
func (v *Verifier) BeginRegistration(u user.User, has []passkey.Passkey) (json.RawMessage, []byte, error) {
	party, err := v.party(v.origins[0])
	if err != nil {
		return nil, nil, err
	}
	owner := account{u, has}
	excluded := webauthn.Credentials(owner.WebAuthnCredentials()).CredentialDescriptors()
	options, session, err := party.BeginRegistration(owner, webauthn.WithExclusions(excluded))
	return begun(options, session, err)
}

// FinishRegistration implements factors.PasskeyVerifier.
func (v *Verifier) FinishRegistration(u user.User, state []byte, response json.RawMessage) (passkey.Credential, error) {
	session, err := sessionOf(state)
	if err != nil {
		return passkey.Credential{}, err
	}
	if len(response) > maxResponse {
		return passkey.Credential{}, refused(errors.New("the response is too long"))
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(response)
	if err != nil {
		return passkey.Credential{}, refused(err)
	}
	party, err := v.party(parsed.Response.CollectedClientData.Origin)
	if err != nil {
		return passkey.Credential{}, err
	}
	made, err := party.CreateCredential(account{User: u}, session, parsed)
	if err != nil {
		return passkey.Credential{}, refused(err)
	}
	c := passkey.Credential{
		CredentialID: made.ID, PublicKey: made.PublicKey, Counter: made.Authenticator.SignCount, Synced: made.Flags.BackupEligible,
	}
	for _, t := range made.Transport {
		if known[t] {
			c.Transports = append(c.Transports, string(t))
		}
	}
	return c, nil
}

// known are the transports of WebAuthn, level 3, section 5.8.4. Clients send them unsigned.
var known = map[protocol.AuthenticatorTransport]bool{
	protocol.USB: true, protocol.NFC: true, protocol.BLE: true, protocol.SmartCard: true, protocol.Hybrid: true, protocol.Internal: true,
}
