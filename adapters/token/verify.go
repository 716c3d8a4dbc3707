package token

import (
	"bytes"
	"crypto/ecdsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/user"
)

// The limits of the lengths of tokens, in bytes. Those of people have about 500, and up to 1,400 more with metadata.
// A resource may have an identifier of 2,000 bytes and 50 scopes of 100, and a person 50 roles and 50 groups from each
// service and from admins.
const (
	maxToken   = 16 << 10
	maxIDToken = 64 << 10
)

// VerifyToken implements auth.AccessTokens. It recognizes a token that it verified
// before by its hash. It does not check whether the session is active.
func (t *Tokens) VerifyToken(text string, now time.Time) (auth.Claims, error) {
	c, ok := t.verified.verified(text, func(text string) (auth.Claims, bool) { return t.verify(text, now) })
	if !ok || !now.Before(c.ExpiresAt) {
		return auth.Claims{}, user.ErrUnauthenticated
	}
	return c, nil
}

func (t *Tokens) verify(text string, now time.Time) (auth.Claims, bool) {
	signed, third, ok := cutLast(text)
	if !ok {
		return auth.Claims{}, false
	}
	first, second, _ := strings.Cut(signed, ".")
	head, ok1 := decode(first)
	body, ok2 := decode(second)
	signature, ok3 := decode(third)
	key := t.keyFor(head)
	if !ok1 || !ok2 || !ok3 || key == nil || !isSignature(signed, signature, key) {
		return auth.Claims{}, false
	}
	var p payload
	if unmarshal(body, &p) != nil {
		return auth.Claims{}, false
	}
	return t.claims(p, now)
}

// keyFor returns the key that a header names, or nil unless the header has alg, kid and
// typ as SignToken writes them and nothing else: no jwk, jku, x5u, crit, b64 or zip.
// The algorithm is never taken from the header.
func (t *Tokens) keyFor(head []byte) *ecdsa.PublicKey {
	var h map[string]string
	if unmarshal(head, &h) != nil || len(h) != 3 || h["alg"] != algorithm || h["typ"] != kind {
		return nil
	}
	return t.public[h["kid"]]
}

// isSignature verifies a signature of r and s with 66 bytes each (RFC 7518 3.4).
func isSignature(signed string, signature []byte, key *ecdsa.PublicKey) bool {
	return jwt.SigningMethodES512.Verify(signed, signature, key) == nil
}

// cutLast splits off the signature. There must be exactly three parts.
func cutLast(text string) (signed, signature string, ok bool) {
	i := strings.LastIndexByte(text, '.')
	if i < 0 || strings.Count(text, ".") != 2 {
		return "", "", false
	}
	return text[:i], text[i+1:], true
}

// decode decodes base64url without padding. It accepts only one encoding of the same
// bytes: no newlines and no stray bits at the end.
func decode(s string) ([]byte, bool) {
	if strings.ContainsAny(s, "\r\n") {
		return nil, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return b, err == nil
}

var errTrailing = errors.New("more than one value")

// unmarshal decodes one JSON value with nothing after it.
func unmarshal(b []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errTrailing
	}
	return nil
}
