// Package token signs and verifies access tokens: JWTs with ES512, and no other algorithm.
package token

import (
	"crypto/ecdsa"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/machines"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/user"
)

const (
	algorithm = "ES512"
	kind      = "at+jwt" // RFC 9068
	// skew is how far ahead another clock may be for iat and nbf. exp allows none.
	skew = 30 * time.Second
)

// roles are the names of the roles in the claim role.
var roles = map[user.Role]string{user.Regular: "USER", user.Admin: "ADMIN", user.Owner: "OWNER"}

// Config holds the operator's settings.
type Config struct {
	Key              *ecdsa.PrivateKey
	Previous         []*ecdsa.PublicKey // still accepted, not used for signing
	Issuer, Audience string             // JWT_ISSUER, JWT_AUDIENCE
	CacheSize        int                // number of verified tokens to cache; 0 means 10,000
}

// Validate returns an error that names the first invalid setting.
func (c Config) Validate() error {
	switch {
	case c.Key == nil:
		return ErrPrivateKey
	case c.Issuer == "":
		return errors.New("JWT_ISSUER must not be empty")
	case c.Audience == "":
		return errors.New("JWT_AUDIENCE must not be empty")
	case c.CacheSize < 0:
		return errors.New("the cache of verified tokens must not have a negative size")
	}
	return nil
}

// Tokens implements auth.AccessTokens. It signs with one key and verifies with that and
// the previous ones. It is safe for concurrent use.
type Tokens struct {
	key              *ecdsa.PrivateKey
	keyID            string
	header           string // of every signed token, encoded
	public           map[string]*ecdsa.PublicKey
	issuer, audience string
	keySet           []byte
	verified         *cache[auth.Claims]
	machines         *cache[machines.Claims]
	targets          *cache[auth.Claims]
}

// New returns Tokens for a valid Config.
func New(c Config) (*Tokens, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	size := c.CacheSize
	if size == 0 {
		size = 10_000
	}
	t := &Tokens{
		key: c.Key, public: map[string]*ecdsa.PublicKey{}, issuer: c.Issuer, audience: c.Audience, verified: newCache[auth.Claims](size),
		machines: newCache[machines.Claims](max(1, size/10)), targets: newCache[auth.Claims](max(1, size/10)),
	}
	set := struct {
		Keys []jwk `json:"keys"`
	}{}
	for i, key := range append([]*ecdsa.PublicKey{&c.Key.PublicKey}, c.Previous...) {
		k, err := toJWK(key)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			t.keyID = k.ID
			t.header = encode(fmt.Appendf(nil, `{"alg":"%s","kid":"%s","typ":"%s"}`, algorithm, k.ID, kind))
		}
		if t.public[k.ID] == nil {
			t.public[k.ID] = key
			set.Keys = append(set.Keys, k)
		}
	}
	var err error
	t.keySet, err = json.Marshal(set)
	return t, err
}

// KeySet returns the JWKS document with every key that VerifyToken accepts.
func (t *Tokens) KeySet() []byte { return t.keySet }

// payload is the claims set. Other claims are ignored.
type payload struct {
	Issuer    string `json:"iss"`
	Audience  string `json:"aud"`
	Subject   string `json:"sub"`
	Session   string `json:"sid"`
	ID        string `json:"jti"`
	IssuedAt  *int64 `json:"iat"`
	ExpiresAt *int64 `json:"exp"`
	NotBefore *int64 `json:"nbf,omitempty"`
	Role      string `json:"role"`
	// N is the number of the refresh token that was issued with this token. The first
	// request with a newer number shows that the response to the refresh arrived.
	N int64 `json:"rot"`

	// Client and Scopes are those of an OpenID client (RFC 9068, section 2.2).
	Client     string          `json:"client_id,omitempty"`
	Scopes     string          `json:"scope,omitempty"`
	FirstParty bool            `json:"first_party,omitempty"`
	Metadata   json.RawMessage `json:"meta,omitempty"`
}

// SignToken implements auth.AccessTokens.
func (t *Tokens) SignToken(c auth.Claims) (string, error) {
	if c.Target.Resource != "" {
		return t.signTarget(c)
	}
	issued, expires := c.IssuedAt.Unix(), c.ExpiresAt.Unix()
	return t.sign(payload{
		Issuer: t.issuer, Audience: t.audienceOf(c), Subject: c.User.String(), Session: c.Session.String(), ID: newID(),
		IssuedAt: &issued, ExpiresAt: &expires, Role: roles[c.Role], N: c.TokenNumber,
		Client: c.Client, Scopes: c.Scopes, FirstParty: c.FirstParty, Metadata: json.RawMessage(c.Metadata),
	})
}

// sign returns a token with a claims set.
func (t *Tokens) sign(claims any) (string, error) {
	body, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	signed := t.header + "." + encode(body)
	signature, err := jwt.SigningMethodES512.Sign(signed, t.key)
	if err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	return signed + "." + encode(signature), nil
}

// newID returns the jti of a new token.
func newID() string {
	var jti [16]byte
	_, _ = rand.Read(jti[:]) // it never fails
	return encode(jti[:])
}

// audienceOf returns the audience of a token. The token of a third-party client is for Octavo
// alone: a service that verifies tokens itself must not mistake the client for its user.
func (t *Tokens) audienceOf(c auth.Claims) string {
	if c.ThirdParty() {
		return t.issuer
	}
	return t.audience
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// claims validates a payload, in which every required claim must be present.
func (t *Tokens) claims(p payload, now time.Time) (auth.Claims, bool) {
	of, ok1 := id.Parse(p.Subject)
	session, ok2 := id.Parse(p.Session)
	role, ok3 := roleNamed(p.Role)
	if !ok1 || !ok2 || !ok3 || p.Issuer != t.issuer || p.ID == "" || p.N < 0 {
		return auth.Claims{}, false
	}
	if p.IssuedAt == nil || p.ExpiresAt == nil {
		return auth.Claims{}, false
	}
	c := auth.Claims{
		User: user.ID(of), Session: user.SessionID(session), Role: role, TokenNumber: p.N,
		IssuedAt: time.Unix(*p.IssuedAt, 0).UTC(), ExpiresAt: time.Unix(*p.ExpiresAt, 0).UTC(),
		Client: p.Client, Scopes: p.Scopes, FirstParty: p.FirstParty, Metadata: string(p.Metadata),
	}
	if p.Audience != t.audienceOf(c) {
		return auth.Claims{}, false
	}
	early := c.IssuedAt.After(now.Add(skew)) || p.NotBefore != nil && time.Unix(*p.NotBefore, 0).After(now.Add(skew))
	return c, !early && now.Before(c.ExpiresAt)
}

func roleNamed(name string) (user.Role, bool) {
	for role, n := range roles {
		if n == name {
			return role, true
		}
	}
	return 0, false
}
