package passkey

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/octavo-books/octavo/domain/passkey"
	"github.com/octavo-books/octavo/domain/user"
)

// BeginSignIn implements factors.PasskeyVerifier.
func (v *Verifier) BeginSignIn() (json.RawMessage, []byte, error) {
	party, err := v.party(v.origins[0])
	if err != nil {
		return nil, nil, err
	}
	options, session, err := party.BeginDiscoverableLogin()
	return begun(options, session, err)
}

func parse(response json.RawMessage) (*protocol.ParsedCredentialAssertionData, error) {
	if len(response) > maxResponse {
		return nil, refused(errors.New("the response is too long"))
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(response)
	if err != nil {
		return nil, refused(err)
	}
	return parsed, nil
}

// ResponseOwner implements factors.PasskeyVerifier.
func (v *Verifier) ResponseOwner(response json.RawMessage) (user.ID, error) {
	parsed, err := parse(response)
	if err != nil {
		return 0, err
	}
	named := parsed.Response.UserHandle
	if len(named) != 8 {
		return 0, refused(errors.New("the response names no user"))
	}
	return user.ID(binary.BigEndian.Uint64(named)), nil // a negative id belongs to nobody
}

// FinishSignIn implements factors.PasskeyVerifier.
func (v *Verifier) FinishSignIn(of user.ID, has []passkey.Passkey, state []byte, response json.RawMessage) (passkey.ID, uint32, error) {
	session, err := sessionOf(state)
	if err != nil {
		return 0, 0, err
	}
	parsed, err := parse(response)
	if err != nil {
		return 0, 0, err
	}
	party, err := v.party(parsed.Response.CollectedClientData.Origin)
	if err != nil {
		return 0, 0, err
	}
	owner := account{user.User{ID: of}, has}
	_, _, err = party.ValidatePasskeyLogin(func(_, userHandle []byte) (webauthn.User, error) {
		if !bytes.Equal(userHandle, handle(of)) {
			return nil, errors.New("the response names another user")
		}
		return owner, nil
	}, session, parsed)
	if err != nil {
		return 0, 0, refused(err)
	}
	i := slices.IndexFunc(has, func(p passkey.Passkey) bool { return bytes.Equal(p.CredentialID, parsed.RawID) })
	return has[i].ID, parsed.Response.AuthenticatorData.Counter, nil
}
