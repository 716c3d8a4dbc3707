package provider

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// ClientTokenInfo describes a token to the client that got it. All fields are zero unless Active.
type ClientTokenInfo struct {
	Active              bool
	User                user.ID
	Session             user.SessionID
	Scopes              string
	Audience            string    // the identifier of the resource that an access token is for; "": Octavo itself
	Refresh             bool      // it is a refresh token
	IssuedAt, ExpiresAt time.Time // IssuedAt is zero for a refresh token
	ACR                 string
	Methods             session.Methods // empty: not said
	AuthenticatedAt     time.Time       // zero: not said
	Roles, Groups       []string        // nil without their scopes
}

// Inspect describes an access or refresh token to the authenticated client that got it. The
// token of another client is reported as inactive. The error for a public client is
// openid.ErrInvalidClient, because anybody can pose as one.
func (a *Authorizations) Inspect(ctx context.Context, client openid.Client, token string) (ClientTokenInfo, error) {
	if client.Public {
		return ClientTokenInfo{}, openid.ErrInvalidClient
	}
	info, of, err := a.find(ctx, token)
	if err != nil || of != client.ID || !info.Active {
		return ClientTokenInfo{}, err
	}
	info.Roles, info.Groups, err = a.Labels(ctx, info.User, info.Scopes, openid.AtUserInfo)
	return info, err
}

// Revoke ends the session that an access or refresh token of an authenticated client belongs to.
// An unknown token is ignored; the token of another client is openid.ErrInvalidGrant.
func (a *Authorizations) Revoke(ctx context.Context, client openid.Client, token string, from user.ClientInfo) error {
	info, of, err := a.find(ctx, token)
	switch {
	case err != nil || !info.Active:
		return err
	case of != client.ID:
		return openid.ErrInvalidGrant
	}
	_, err = a.Sessions.RevokeSessions(ctx, info.User, []user.SessionID{info.Session}, a.Now(), auth.SideEffects{
		AuditEntries: []audit.Entry{a.AuditEntry(
			user.Caller{From: from}, "session.revoked_by_client", info.User, "session "+info.Session.String()+" of client "+of,
		)},
		Events:  a.SessionsEnded(info.User, event.Revoked, info.Session),
		Logouts: a.LogoutOf(info.User, info.Session),
	})
	return err
}

// find returns what a token is and to which client it belongs.
func (a *Authorizations) find(ctx context.Context, token string) (info ClientTokenInfo, client string, err error) {
	if t, err := session.ParseToken(token); err == nil {
		return a.findRefresh(ctx, t)
	}
	now := a.Now()
	c, state, err := a.VerifyToken(ctx, token, now)
	if errors.Is(err, user.ErrUnauthenticated) {
		c, state, err = a.VerifyTargetToken(ctx, token, now)
	}
	if errors.Is(err, user.ErrUnauthenticated) {
		return info, "", nil
	}
	if err != nil {
		return info, "", err
	}
	return infoOf(c, state), c.Client, nil
}

// findRefresh does not use up the token. Reuse of an old token is detected only by Refresh.
func (a *Authorizations) findRefresh(ctx context.Context, t session.Token) (info ClientTokenInfo, client string, err error) {
	own, err := a.Sessions.FindSession(ctx, t.User, t.Session)
	if errors.Is(err, session.ErrNotFound) || err == nil && !own.Issued(t) {
		return info, "", nil
	}
	if err != nil {
		return info, "", err
	}
	u, exists, err := auth.Optional(a.Storage.FindUser(ctx, t.User))
	if err != nil || !exists {
		return info, "", err
	}
	if outcome := own.Classify(t.Number, u.Epoch, a.Now()); outcome != session.Rotated && outcome != session.ReusedInGracePeriod {
		return info, own.Client, nil
	}
	return ClientTokenInfo{
		Active: true, User: t.User, Session: t.Session, Scopes: openid.PlainScopes(own.Scopes), Refresh: true, ExpiresAt: own.ExpiresAt(),
		ACR: own.ACR(own.Factors), Methods: own.Methods, AuthenticatedAt: own.AuthenticatedAt(),
	}, own.Client, nil
}
