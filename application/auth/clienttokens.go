package auth

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// AboutUser returns what the scopes allow a client to know.
func AboutUser(u user.User, scopes string) UserInfo {
	info := UserInfo{User: u.ID, Scopes: scopes}
	if openid.HasScope(scopes, openid.ScopeEmail) {
		info.Email, info.Verified = u.Email, u.Verified
	}
	if openid.HasScope(scopes, openid.ScopeProfile) {
		info.Name, info.Lang = u.Name, u.Lang
		if p := u.Profile; p != nil {
			info.GivenName, info.FamilyName = p.FirstName, p.LastName
			if info.Name == "" {
				info.Name = p.FirstName + " " + p.LastName
			}
		}
	}
	return info
}

// About returns what the access token of a client says about its user. The errors are
// openid.ErrInvalidToken and openid.ErrInsufficientScope.
func (a *Authenticator) About(ctx context.Context, accessToken string, from user.ClientInfo) (UserInfo, error) {
	c, _, err := a.authenticate(ctx, accessToken, from)
	if errors.Is(err, user.ErrUnauthenticated) {
		return UserInfo{}, openid.ErrInvalidToken
	}
	if err != nil {
		return UserInfo{}, err
	}
	if c.Client == "" || !openid.HasScope(c.Scopes, openid.ScopeOpenID) {
		return UserInfo{}, openid.ErrInsufficientScope
	}
	u, err := a.Storage.FindUser(ctx, c.User)
	return AboutUser(u, c.Scopes), err
}

// MeWithin returns the part of the caller's own account that the scopes of their client allow;
// all other fields are zero. It is the only use case for a limited caller.
func (s *Users) MeWithin(ctx context.Context, by user.Caller) (user.User, error) {
	if !by.MayRead(openid.ScopeOpenID) {
		return user.User{}, user.ErrForbidden
	}
	u, err := s.Storage.FindUser(ctx, by.ID)
	if err != nil {
		return user.User{}, err
	}
	info := AboutUser(u, by.Scopes)
	return user.User{ID: info.User, Email: info.Email, Verified: info.Verified, Name: info.Name}, nil
}

// ClientTokenInfo describes a token to the client that got it. All fields are zero unless Active.
type ClientTokenInfo struct {
	Active              bool
	User                user.ID
	Session             user.SessionID
	Scopes              string
	Refresh             bool      // it is a refresh token
	IssuedAt, ExpiresAt time.Time // IssuedAt is zero for a refresh token
}

// Inspect describes an access or refresh token to the authenticated client that got it. The
// token of another client is reported as inactive. The error for a public client is
// openid.ErrInvalidClient, because anybody can pose as one.
func (a *Authorizations) Inspect(ctx context.Context, client openid.Client, token string) (ClientTokenInfo, error) {
	if client.Public {
		return ClientTokenInfo{}, openid.ErrInvalidClient
	}
	info, of, err := a.find(ctx, token)
	if err != nil || of != client.ID {
		return ClientTokenInfo{}, err
	}
	return info, nil
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
	_, err = a.Sessions.RevokeSessions(ctx, info.User, []user.SessionID{info.Session}, a.Now(), SideEffects{
		AuditEntries: []audit.Entry{a.AuditEntry(user.Caller{From: from}, "session.revoked_by_client", info.User, "session "+info.Session.String()+" of client "+of)},
		Events:       a.SessionsEnded(info.User, event.Revoked, info.Session),
	})
	return err
}

// find returns what a token is and to which client it belongs.
func (a *Authorizations) find(ctx context.Context, token string) (info ClientTokenInfo, client string, err error) {
	if t, err := session.ParseToken(token); err == nil {
		return a.findRefresh(ctx, t)
	}
	now := a.Now()
	c, _, err := (&Authenticator{a.Deps}).verifyToken(ctx, token, now)
	if errors.Is(err, user.ErrUnauthenticated) {
		return info, "", nil
	}
	return ClientTokenInfo{
		Active: err == nil, User: c.User, Session: c.Session, Scopes: c.Scopes, IssuedAt: c.IssuedAt, ExpiresAt: c.ExpiresAt,
	}, c.Client, err
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
	u, exists, err := Optional(a.Storage.FindUser(ctx, t.User))
	if err != nil || !exists {
		return info, "", err
	}
	if outcome := own.Classify(t.Number, u.Epoch, a.Now()); outcome != session.Rotated && outcome != session.ReusedInGracePeriod {
		return info, own.Client, nil
	}
	return ClientTokenInfo{Active: true, User: t.User, Session: t.Session, Scopes: own.Scopes, Refresh: true, ExpiresAt: own.ExpiresAt()}, own.Client, nil
}
