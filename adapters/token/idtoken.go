package token

import (
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
)

// idKind is the typ of ID tokens. It keeps them apart from access tokens, which the same key
// may sign.
const idKind = "JWT"

// ErrNoRSAKey is returned if a client needs ID tokens with RS256 and there is no key for them.
var ErrNoRSAKey = errors.New("OIDC_SIGNING_KEY is not set: `octavo keys generate --oidc` makes one")

// IDTokens implements provider.IDTokens: with RS256 by a key of its own, or with ES512 by the key of
// the access tokens.
type IDTokens struct {
	tokens *Tokens
	key    func() (*rsa.PrivateKey, error)
	others []*rsa.PublicKey
}

// NewIDTokens returns IDTokens. key returns the key for RS256, or nil if there is none; it is
// called whenever one is needed. The others, of before and next, are published and verify: another
// replica may sign with them already, or still.
func NewIDTokens(t *Tokens, key func() (*rsa.PrivateKey, error), others ...*rsa.PublicKey) *IDTokens {
	return &IDTokens{t, key, others}
}

// verifiers returns the keys of ID tokens with RS256, the current one first and each once.
func (t *IDTokens) verifiers() ([]*rsa.PublicKey, error) {
	key, err := t.key()
	if err != nil || key == nil {
		return t.others, err
	}
	all := []*rsa.PublicKey{&key.PublicKey}
	for _, other := range t.others {
		if !slices.ContainsFunc(all, func(k *rsa.PublicKey) bool { return k.Equal(other) }) {
			all = append(all, other)
		}
	}
	return all, nil
}

// KeySet returns the JWKS document with the keys of access tokens, the current one first, and then
// those of ID tokens.
func (t *IDTokens) KeySet() ([]byte, error) {
	all, err := t.verifiers()
	if err != nil || len(all) == 0 {
		return t.tokens.keySet, err
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(t.tokens.keySet, &set); err != nil {
		return nil, err
	}
	for _, key := range all {
		one, err := json.Marshal(toRSAJWK(key))
		if err != nil {
			return nil, err
		}
		set.Keys = append(set.Keys, one)
	}
	return json.Marshal(set)
}

// Algorithms returns the algorithms that SignIDToken can sign with, the default first.
func (t *IDTokens) Algorithms() ([]string, error) {
	key, err := t.key()
	if err != nil || key == nil {
		return []string{openid.ES512}, err
	}
	return []string{openid.RS256, openid.ES512}, nil
}

// idPayload is the claims set of an ID token.
type idPayload struct {
	Issuer          string   `json:"iss"`
	Subject         string   `json:"sub"`
	Audience        string   `json:"aud"`
	Session         string   `json:"sid"`
	IssuedAt        int64    `json:"iat"`
	ExpiresAt       int64    `json:"exp"`
	AuthTime        int64    `json:"auth_time,omitempty"`
	ACR             string   `json:"acr,omitempty"`
	Methods         []string `json:"amr,omitempty"`
	Nonce           string   `json:"nonce,omitempty"`
	AccessTokenHash string   `json:"at_hash,omitempty"`
	Email           string   `json:"email,omitempty"`
	EmailVerified   *bool    `json:"email_verified,omitempty"`
	Name            string   `json:"name,omitempty"`
	GivenName       string   `json:"given_name,omitempty"`
	FamilyName      string   `json:"family_name,omitempty"`
	Locale          string   `json:"locale,omitempty"`

	Roles  []string `json:"roles,omitzero"`
	Groups []string `json:"groups,omitzero"`
}

// SignIDToken implements provider.IDTokens.
func (t *IDTokens) SignIDToken(c provider.IDClaims, algorithm string) (string, error) {
	p := idPayload{
		Issuer: t.tokens.issuer, Subject: c.User.String(), Audience: c.Client, Session: c.Session.String(), Nonce: c.Nonce,
		IssuedAt: c.IssuedAt.Unix(), ExpiresAt: c.ExpiresAt.Unix(), AccessTokenHash: halfHash(algorithm, c.AccessToken),
		Email: string(c.About.Email), EmailVerified: c.About.Verified, Name: c.About.Name, GivenName: c.About.GivenName,
		FamilyName: c.About.FamilyName, Locale: string(c.About.Lang), Roles: c.About.Roles, Groups: c.About.Groups,
		ACR: c.ACR, Methods: c.Methods.List(),
	}
	if !c.AuthenticatedAt.IsZero() {
		p.AuthTime = c.AuthenticatedAt.Unix()
	}
	return t.sign(p, algorithm, idKind)
}

// sign signs a token of a kind with the key of ID tokens.
func (t *IDTokens) sign(payload any, algorithm, kind string) (string, error) {
	body, err := json.Marshal(payload)
	if err != nil {
		return "", err
	}
	if algorithm == openid.ES512 {
		return signed(jwt.SigningMethodES512, t.tokens.keyID, kind, body, t.tokens.key)
	}
	key, err := t.key()
	if err == nil && key == nil {
		err = ErrNoRSAKey
	}
	if err != nil {
		return "", fmt.Errorf("sign an ID token: %w", err)
	}
	return signed(jwt.SigningMethodRS256, toRSAJWK(&key.PublicKey).ID, kind, body, key)
}

func signed(method jwt.SigningMethod, keyID, kind string, body []byte, key any) (string, error) {
	text := encode(fmt.Appendf(nil, `{"alg":"%s","kid":"%s","typ":"%s"}`, method.Alg(), keyID, kind)) + "." + encode(body)
	signature, err := method.Sign(text, key)
	if err != nil {
		return "", fmt.Errorf("sign an ID token: %w", err)
	}
	return text + "." + encode(signature), nil
}

// halfHash is the left half of a token's hash, which binds it to an ID token (OpenID Connect
// Core, section 3.1.3.6).
func halfHash(algorithm, token string) string {
	if algorithm == openid.ES512 {
		sum := sha512.Sum512([]byte(token))
		return encode(sum[:len(sum)/2])
	}
	sum := sha256.Sum256([]byte(token))
	return encode(sum[:len(sum)/2])
}

// VerifyIDToken implements provider.IDTokens. As in VerifyToken, the header must be as SignIDToken
// writes it, and the key decides the algorithm.
func (t *IDTokens) VerifyIDToken(text string) (provider.IDClaims, error) {
	claims, ok := t.verify(text)
	if !ok {
		return provider.IDClaims{}, user.ErrUnauthenticated
	}
	return claims, nil
}

func (t *IDTokens) verify(text string) (provider.IDClaims, bool) {
	signed, third, ok := cutLast(text)
	if !ok || len(text) > maxIDToken {
		return provider.IDClaims{}, false
	}
	first, second, _ := strings.Cut(signed, ".")
	head, ok1 := decode(first)
	body, ok2 := decode(second)
	signature, ok3 := decode(third)
	var p idPayload
	if !ok1 || !ok2 || !ok3 || !t.signedByUs(head, signed, signature) || unmarshal(body, &p) != nil || p.Issuer != t.tokens.issuer {
		return provider.IDClaims{}, false
	}
	of, ok1 := id.Parse(p.Subject)
	session, ok2 := id.Parse(p.Session)
	return provider.IDClaims{
		User: user.ID(of), Session: user.SessionID(session), Client: p.Audience, IssuedAt: time.Unix(p.IssuedAt, 0).UTC(),
	}, ok1 && ok2 && p.Audience != ""
}

func (t *IDTokens) signedByUs(head []byte, signed string, signature []byte) bool {
	var h map[string]string
	if unmarshal(head, &h) != nil || len(h) != 3 || h["typ"] != idKind {
		return false
	}
	if key := t.tokens.public[h["kid"]]; key != nil {
		return h["alg"] == openid.ES512 && isSignature(signed, signature, key)
	}
	all, err := t.verifiers()
	if err != nil || h["alg"] != openid.RS256 {
		return false
	}
	i := slices.IndexFunc(all, func(k *rsa.PublicKey) bool { return toRSAJWK(k).ID == h["kid"] })
	return i >= 0 && jwt.SigningMethodRS256.Verify(signed, signature, all[i]) == nil
}
