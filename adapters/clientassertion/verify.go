package clientassertion

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"

	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/octavo-books/octavo/application/auth/machines"
	"github.com/octavo-books/octavo/domain/machine"
)

// VerifyAssertion implements machines.Assertions. The keys are the client's: one in the header does not count.
func (v *Verifier) VerifyAssertion(ctx context.Context, c machine.Client, assertion string) (machines.Assertion, error) {
	parsed, err := signed(assertion)
	if err != nil {
		return machines.Assertion{}, machine.ErrUnknown
	}
	keys, err := v.keysOf(ctx, c, parsed.Headers[0].KeyID)
	if err != nil && !refused(err) {
		return machines.Assertion{}, err
	}
	for _, k := range candidates(keys, parsed.Headers[0]) {
		var said jwt.Claims
		if parsed.Claims(k.Key, &said) == nil && said.Expiry != nil {
			return toAssertion(said), nil
		}
	}
	return machines.Assertion{}, machine.ErrUnknown
}

func toAssertion(c jwt.Claims) machines.Assertion {
	a := machines.Assertion{Issuer: c.Issuer, Subject: c.Subject, Audience: c.Audience, ID: c.ID, ExpiresAt: c.Expiry.Time().UTC()}
	if c.IssuedAt != nil {
		a.IssuedAt = c.IssuedAt.Time()
	}
	if c.NotBefore != nil {
		a.NotBefore = c.NotBefore.Time()
	}
	return a
}

// strong reports whether a key is public and of a kind for signatures.
func strong(key any) bool {
	switch k := key.(type) {
	case *rsa.PublicKey:
		return k.N.BitLen() >= minRSA
	case *ecdsa.PublicKey:
		return k.Curve.Params().BitSize >= 256
	case ed25519.PublicKey:
		return true
	}
	return false
}
