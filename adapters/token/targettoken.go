package token

import (
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/machine"
	"github.com/octavo-books/octavo/domain/user"
)

// targetPayload is the claims set of a token with which a client calls a resource in the name of a user
// (RFC 9068). It has neither role nor an audience of Octavo itself: VerifyToken refuses it.
type targetPayload struct {
	machinePayload
	Resource string `json:"resource_id"` // the identifier may belong to another one later
}

// signTarget is SignToken for a token with a target.
func (t *Tokens) signTarget(c auth.Claims) (string, error) {
	if t.Reserves(c.Target.Identifier) { // JWT_AUDIENCE may have changed since the resource was added
		return "", machine.ErrInvalidTarget
	}
	return t.sign(targetPayload{machinePayload{
		Issuer: t.issuer, Audience: c.Target.Identifier, Subject: c.User.String(), Client: c.Client, Scopes: c.Target.Scopes,
		Session: c.Session.String(), ID: newID(), IssuedAt: c.IssuedAt.Unix(), ExpiresAt: c.ExpiresAt.Unix(),
	}, c.Target.Resource})
}

// VerifyTargetToken implements auth.AccessTokens. Like VerifyToken, it recognizes a token that it verified before.
func (t *Tokens) VerifyTargetToken(text string, now time.Time) (auth.Claims, error) {
	c, ok := t.targets.verified(text, t.verifyTarget)
	if !ok || !now.Before(c.ExpiresAt) {
		return auth.Claims{}, user.ErrUnauthenticated
	}
	return c, nil
}

func (t *Tokens) verifyTarget(text string) (auth.Claims, bool) {
	signed, third, ok := cutLast(text)
	if !ok {
		return auth.Claims{}, false
	}
	first, second, _ := strings.Cut(signed, ".")
	head, ok1 := decode(first)
	body, ok2 := decode(second)
	var p targetPayload
	if !ok1 || !ok2 || unmarshal(body, &p) != nil || p.Resource == "" { // most tokens: their signature is another's to check
		return auth.Claims{}, false
	}
	signature, ok := decode(third)
	key := t.keyFor(head)
	if !ok || key == nil || !isSignature(signed, signature, key) {
		return auth.Claims{}, false
	}
	of, ok1 := id.Parse(p.Subject)
	session, ok2 := id.Parse(p.Session)
	if !ok1 || !ok2 || p.Issuer != t.issuer || p.Client == "" || p.Audience == "" || t.Reserves(p.Audience) || p.ID == "" {
		return auth.Claims{}, false
	}
	return auth.Claims{
		User: user.ID(of), Session: user.SessionID(session), Client: p.Client,
		IssuedAt: time.Unix(p.IssuedAt, 0).UTC(), ExpiresAt: time.Unix(p.ExpiresAt, 0).UTC(),
		Target: auth.Target{Resource: p.Resource, Identifier: p.Audience, Scopes: p.Scopes},
	}, true
}
