// Package passkey implements the server's part of WebAuthn with go-webauthn.
package passkey

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/octavo-books/octavo/domain/passkey"
	"github.com/octavo-books/octavo/domain/user"
)

// Config holds the operator's settings.
type Config struct {
	BaseURL     string   // its host is the id of the relying party
	Origins     []string // further origins that may ask for passkeys: ALLOWED_ORIGINS
	Service     string   // shown by authenticators
	Development bool     // serve localhost where BASE_URL is a loopback address, to pages on any port of it
}

// maxResponse limits the response of a browser, in bytes. A packed attestation with a chain
// of certificates has about 5,000.
const maxResponse = 32 << 10

// Verifier implements factors.PasskeyVerifier.
type Verifier struct {
	id          string // of the relying party; empty if BASE_URL has no domain name
	host        string
	origins     []string
	service     string
	development bool
}

// New returns a Verifier.
func New(c Config) (*Verifier, error) {
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("BASE_URL %q is not an address", c.BaseURL)
	}
	v := &Verifier{host: base.Hostname(), service: c.Service, development: c.Development, origins: append(
		[]string{base.Scheme + "://" + base.Host}, c.Origins...,
	)}
	switch {
	case net.ParseIP(v.host) == nil:
		v.id = v.host
	case c.Development && loopback(v.host):
		v.id = "localhost"
	}
	return v, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// allows reports whether a page of this origin may ask for passkeys. Browsers make sure that
// its host is the relying party's or a subdomain of it.
func (v *Verifier) allows(origin string) bool {
	if slices.Contains(v.origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return v.development && err == nil && u.Scheme == "http" && u.Hostname() == "localhost" && u.Scheme+"://"+u.Host == origin
}

// party returns the relying party for pages of one origin.
func (v *Verifier) party(origin string) (*webauthn.WebAuthn, error) {
	if v.id == "" {
		return nil, passkey.ErrInvalid.WithMsg("Passkeys need a domain name, but this service has the address " + v.host + ".")
	}
	if !v.allows(origin) {
		return nil, refused(fmt.Errorf("origin %q is not allowed", origin))
	}
	waiting := webauthn.TimeoutConfig{Timeout: passkey.Lifetime, TimeoutUVD: passkey.Lifetime}
	return webauthn.New(&webauthn.Config{
		RPID: v.id, RPDisplayName: v.service, RPOrigins: []string{origin},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			RequireResidentKey: protocol.ResidentKeyRequired(), ResidentKey: protocol.ResidentKeyRequirementRequired,
			UserVerification: protocol.VerificationRequired,
		},
		Timeouts: webauthn.TimeoutsConfig{Login: waiting, Registration: waiting},
	})
}

// refused returns a passkey.ErrInvalid with a cause for the log.
func refused(cause error) error {
	var detailed *protocol.Error
	if errors.As(cause, &detailed) {
		return fmt.Errorf("%w: %s: %s %s", passkey.ErrInvalid, detailed.Type, detailed.Details, detailed.DevInfo)
	}
	return fmt.Errorf("%w: %w", passkey.ErrInvalid, cause)
}

// account is a user in the terms of the library.
type account struct {
	user.User
	has []passkey.Passkey
}

// handle returns the user handle: the id in 8 bytes. It is stored by authenticators and
// says nothing about the person.
func handle(of user.ID) []byte { return binary.BigEndian.AppendUint64(nil, uint64(of)) }

func (a account) WebAuthnID() []byte   { return handle(a.ID) }
func (a account) WebAuthnName() string { return string(a.Email) }

func (a account) WebAuthnDisplayName() string {
	if a.Name != "" {
		return a.Name
	}
	return string(a.Email)
}

func (a account) WebAuthnCredentials() []webauthn.Credential {
	all := make([]webauthn.Credential, len(a.has))
	for i, p := range a.has {
		all[i] = webauthn.Credential{
			ID: p.CredentialID, PublicKey: p.PublicKey, Flags: webauthn.CredentialFlags{BackupEligible: p.Synced},
			Authenticator: webauthn.Authenticator{SignCount: p.Counter},
		}
		for _, t := range p.Transports {
			all[i].Transport = append(all[i].Transport, protocol.AuthenticatorTransport(t))
		}
	}
	return all
}

// begun encodes what a ceremony begins with.
func begun(options any, session *webauthn.SessionData, err error) (json.RawMessage, []byte, error) {
	if err != nil {
		return nil, nil, refused(err)
	}
	text, err := json.Marshal(options)
	if err != nil {
		return nil, nil, err
	}
	state, err := json.Marshal(session)
	return text, state, err
}

func sessionOf(state []byte) (webauthn.SessionData, error) {
	var s webauthn.SessionData
	if err := json.Unmarshal(state, &s); err != nil {
		return s, fmt.Errorf("state of a passkey ceremony: %w", err)
	}
	return s, nil
}
