// Package clientassertion verifies the signed assertions with which machine clients authenticate
// (private_key_jwt: RFC 7523), with keys from a JWKS (RFC 7517) that was registered or that the client
// publishes.
package clientassertion

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/octavo-books/octavo/adapters/outbound"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/machine"
)

// algorithms are those of signatures that are accepted. There is no MAC among them: a public key is no secret.
var algorithms = []jose.SignatureAlgorithm{
	jose.ES256, jose.ES384, jose.ES512, jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.EdDSA,
}

// Algorithms returns the names of the algorithms of signatures that are accepted.
func Algorithms() []string {
	names := make([]string, len(algorithms))
	for i, one := range algorithms {
		names[i] = string(one)
	}
	return names
}

const (
	maxAssertion = 8 << 10 // bytes
	maxKeys      = 10
	minRSA       = 2048 // bits
)

// Verifier implements machines.Assertions. It is safe for concurrent use.
type Verifier struct {
	development bool
	published   *published
}

// Options are the settings of a Verifier.
type Options struct {
	Agent       string // User-Agent
	Development bool   // allows http at loopback addresses
	Now         func() time.Time
}

// New returns a Verifier.
func New(o Options) *Verifier {
	return &Verifier{o.Development, newPublished(outbound.Web{
		Agent: o.Agent, Development: o.Development, Timeout: fetchTimeout, MaxBody: machine.MaxKeys,
	}.Client(), o.Now)}
}

// CheckKeys implements machines.Assertions.
func (v *Verifier) CheckKeys(jwks string) error {
	keys, err := parse([]byte(jwks))
	if err == nil && len(keys) == 0 {
		err = machine.ErrKeysInvalid
	}
	return err
}

// CheckKeysURL implements machines.Assertions.
func (v *Verifier) CheckKeysURL(url string) error {
	if err := outbound.CheckAddress(url, v.development); err != nil {
		return machine.ErrInvalid.WithMsg("The address of the JWKS is not one: " + err.Error() + ".")
	}
	return nil
}

// parse returns the usable keys of a JWKS. Private and shared keys are refused: they were published by mistake.
func parse(text []byte) ([]jose.JSONWebKey, error) {
	var set jose.JSONWebKeySet
	if len(text) > machine.MaxKeys || json.Unmarshal(text, &set) != nil || len(set.Keys) > maxKeys {
		return nil, machine.ErrKeysInvalid
	}
	var usable []jose.JSONWebKey
	for _, k := range set.Keys {
		switch {
		case !k.Valid() || !k.IsPublic() || !strong(k.Key):
			return nil, machine.ErrKeysInvalid
		case k.Use == "" || k.Use == "sig":
			usable = append(usable, k)
		}
	}
	return usable, nil
}

// Subject implements machines.Assertions.
func (v *Verifier) Subject(assertion string) string {
	parsed, err := signed(assertion)
	var c jwt.Claims
	if err != nil || parsed.UnsafeClaimsWithoutVerification(&c) != nil {
		return ""
	}
	return c.Subject
}

func signed(assertion string) (*jwt.JSONWebToken, error) {
	if len(assertion) > maxAssertion {
		return nil, machine.ErrUnknown
	}
	parsed, err := jwt.ParseSigned(assertion, algorithms)
	if err == nil && len(parsed.Headers) != 1 {
		err = errors.New("an assertion has one signature")
	}
	return parsed, err
}

// keysOf returns the keys of a client.
func (v *Verifier) keysOf(ctx context.Context, c machine.Client, kid string) ([]jose.JSONWebKey, error) {
	if c.KeysURL != "" {
		return v.published.keys(ctx, c.KeysURL, kid)
	}
	return parse([]byte(c.Keys))
}

// candidates returns the keys that may have made a signature: the one that the header names or, without a
// name, all. A key that says for which algorithm it is makes no other signature.
func candidates(keys []jose.JSONWebKey, h jose.Header) (all []jose.JSONWebKey) {
	for _, k := range keys {
		if (h.KeyID == "" || k.KeyID == h.KeyID) && (k.Algorithm == "" || k.Algorithm == h.Algorithm) {
			all = append(all, k)
		}
	}
	return all
}

// refused reports whether an error is the client's fault, not that of an address that does not answer.
func refused(err error) bool { return fault.KindOf(err) != fault.Unavailable }
