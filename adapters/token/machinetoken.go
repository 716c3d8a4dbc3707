package token

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/octavo-books/octavo/application/auth/machines"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/machine"
	"github.com/octavo-books/octavo/domain/user"
)

// machinePayload is the claims set of a machine's access token (RFC 9068). It has neither role nor the
// audience of a person's token, and its subject is no number: VerifyToken refuses it.
type machinePayload struct {
	Issuer    string `json:"iss"`
	Audience  string `json:"aud"`
	Subject   string `json:"sub"`
	Client    string `json:"client_id"`
	Scopes    string `json:"scope"`
	Session   string `json:"sid"`
	ID        string `json:"jti"`
	IssuedAt  int64  `json:"iat"`
	ExpiresAt int64  `json:"exp"`
}

// Reserves implements machines.Tokens.
func (t *Tokens) Reserves(audience string) bool {
	return audience == t.audience || audience == t.issuer
}

// SignMachineToken implements machines.Tokens.
func (t *Tokens) SignMachineToken(c machines.Claims) (string, error) {
	if t.Reserves(c.Audience) { // JWT_AUDIENCE may have changed since the resource was added
		return "", machine.ErrInvalidTarget
	}
	var jti [16]byte
	if _, err := rand.Read(jti[:]); err != nil {
		return "", err
	}
	body, err := json.Marshal(machinePayload{
		Issuer: t.issuer, Audience: c.Audience, Subject: c.Client, Client: c.Client, Scopes: c.Scopes,
		Session: c.Session.String(), ID: encode(jti[:]),
		IssuedAt: c.IssuedAt.Unix(), ExpiresAt: c.ExpiresAt.Unix(),
	})
	if err != nil {
		return "", err
	}
	text := t.header + "." + encode(body)
	signature, err := jwt.SigningMethodES512.Sign(text, t.key)
	if err != nil {
		return "", fmt.Errorf("sign a machine's token: %w", err)
	}
	return text + "." + encode(signature), nil
}

// VerifyMachineToken implements machines.Tokens. Like VerifyToken, it recognizes a token that it verified before.
func (t *Tokens) VerifyMachineToken(text string, now time.Time) (machines.Claims, error) {
	if len(text) > maxToken {
		return machines.Claims{}, user.ErrUnauthenticated
	}
	key := sha256.Sum256([]byte(text))
	c, known := t.machines.get(key)
	if !known {
		var ok bool
		if c, ok = t.verifyMachine(text); !ok {
			return machines.Claims{}, user.ErrUnauthenticated
		}
		t.machines.put(key, c)
	}
	if !now.Before(c.ExpiresAt) {
		return machines.Claims{}, user.ErrUnauthenticated
	}
	return c, nil
}

func (t *Tokens) verifyMachine(text string) (machines.Claims, bool) {
	signed, third, ok := cutLast(text)
	if !ok {
		return machines.Claims{}, false
	}
	first, second, _ := strings.Cut(signed, ".")
	head, ok1 := decode(first)
	body, ok2 := decode(second)
	signature, ok3 := decode(third)
	key := t.keyFor(head)
	var p machinePayload
	if !ok1 || !ok2 || !ok3 || key == nil || !isSignature(signed, signature, key) || unmarshal(body, &p) != nil {
		return machines.Claims{}, false
	}
	session, ok := id.Parse(p.Session)
	if !ok || p.Issuer != t.issuer || !machine.IsClientID(p.Client) || p.Subject != p.Client || p.Audience == "" || p.ID == "" {
		return machines.Claims{}, false
	}
	return machines.Claims{
		Session: user.SessionID(session), Client: p.Client, Audience: p.Audience, Scopes: p.Scopes,
		IssuedAt: time.Unix(p.IssuedAt, 0).UTC(), ExpiresAt: time.Unix(p.ExpiresAt, 0).UTC(),
	}, true
}
