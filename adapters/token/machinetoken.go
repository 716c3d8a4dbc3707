package token

import (
	"strings"
	"time"

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
	return t.sign(machinePayload{
		Issuer: t.issuer, Audience: c.Audience, Subject: c.Client, Client: c.Client, Scopes: c.Scopes,
		Session: c.Session.String(), ID: newID(),
		IssuedAt: c.IssuedAt.Unix(), ExpiresAt: c.ExpiresAt.Unix(),
	})
}

// VerifyMachineToken implements machines.Tokens. Like VerifyToken, it recognizes a token that it verified before.
func (t *Tokens) VerifyMachineToken(text string, now time.Time) (machines.Claims, error) {
	c, ok := t.machines.verified(text, t.verifyMachine)
	if !ok || !now.Before(c.ExpiresAt) {
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
