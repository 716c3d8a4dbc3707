package sessions

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// touchInterval is the precision of a session's last use while the user uses no other
// session. It saves a write for most requests.
const touchInterval = time.Minute

// needsTouch reports whether a use at now must be stored: after touchInterval, and
// whenever it changes which of the user's sessions is the least recently used.
func needsTouch(s auth.SessionState, now time.Time) bool {
	since := now.Sub(s.Lifetime.LastUsedAt)
	return since >= touchInterval || s.OtherUsedSince && since > 0
}

// Authenticator identifies the caller of a request.
type Authenticator struct{ *unit }

// Authenticate verifies an access token and returns the caller. It reads the session
// and the user every time, so that a revoked session and a changed role take effect on
// the next request. Anything but a token of an active session is
// user.ErrUnauthenticated. The token of a third-party client makes a limited caller, who
// has no role. That of a personal access token is limited, too, but see user.Caller.InMarket.
func (a *Authenticator) Authenticate(ctx context.Context, accessToken string, from user.ClientInfo) (user.Caller, error) {
	if session.IsPersonalToken(accessToken) {
		t, err := a.authenticateToken(ctx, accessToken)
		if err != nil {
			return user.Caller{}, err
		}
		by := user.Caller{
			ID: t.User, Session: t.ID, From: from, Expires: t.ExpiresAt, Token: true, Client: user.PersonalToken, Scopes: t.Scopes,
		}
		return a.withRole(by, t.SessionState, t.PersonalToken.Factors), nil
	}
	c, s, err := a.authenticate(ctx, accessToken, from)
	if err != nil {
		return user.Caller{}, err
	}
	by := user.Caller{ID: c.User, Session: c.Session, From: from, Expires: c.ExpiresAt}
	if c.ThirdParty() {
		by.Client, by.Scopes = c.Client, c.Scopes
		return by, nil
	}
	by.FirstParty = c.Client != ""
	return a.withRole(by, s, s.Factors), nil
}

// withRole returns a caller with what the user may do.
func (a *Authenticator) withRole(by user.Caller, s auth.SessionState, factors int) user.Caller {
	by.Role, by.Student = effectiveRole(a.Deps, s.Role, factors), s.Student
	by.RoleWithheld = by.Role < s.Role
	by.CampusOnly, by.University = a.CampusAdmins, s.University
	if s.AdminCampus != "" {
		by.CampusOnly, by.University = true, s.AdminCampus
	}
	return by
}

// EndedSessions returns those of the callers' sessions that are not active any more. It costs
// one read for all of them and one for all personal access tokens, and does not count as their use.
func (a *Authenticator) EndedSessions(ctx context.Context, of []user.Caller) ([]user.SessionID, error) {
	now := a.Now()
	refs, tokens := make([]auth.SessionRef, 0, len(of)), []user.SessionID(nil)
	for _, by := range of {
		if by.Token {
			tokens = append(tokens, by.Session)
		} else {
			refs = append(refs, auth.SessionRef{User: by.ID, Session: by.Session})
		}
	}
	found, err := a.Sessions.FindSessionLifetimes(ctx, refs)
	if err != nil {
		return nil, err
	}
	if len(tokens) > 0 {
		more, err := a.reader.FindPersonalTokenLifetimes(ctx, tokens)
		if err != nil {
			return nil, err
		}
		maps.Copy(found, more)
	}
	var ended []user.SessionID
	for _, by := range of {
		if s, ok := found[by.Session]; !ok || !s.Active(s.UserEpoch, now) {
			ended = append(ended, by.Session)
		}
	}
	return ended, nil
}

// authenticate verifies a token and records the use of its session.
func (a *Authenticator) authenticate(
	ctx context.Context, accessToken string, from user.ClientInfo,
) (auth.Claims, auth.SessionState, error) {
	now := a.Now()
	c, s, err := a.VerifyToken(ctx, accessToken, now)
	if err == nil && (c.TokenNumber > s.NewestSeen || needsTouch(s, now)) {
		err = a.Sessions.TouchSession(ctx, c.User, c.Session, auth.SessionUse{TokenNumber: c.TokenNumber, At: now, IP: from.IP})
	}
	return c, s, err
}

// Introspect tells a service that verifies tokens itself whether a token is active. It
// returns only what the token itself says, for instance the role that the owner had
// when it was issued. It does not count as a use of the session.
func (a *Authenticator) Introspect(ctx context.Context, token string) (TokenInfo, error) {
	c, _, err := a.VerifyToken(ctx, token, a.Now())
	switch {
	case errors.Is(err, user.ErrUnauthenticated):
		return TokenInfo{}, nil
	case err != nil:
		return TokenInfo{}, err
	}
	return TokenInfo{Active: true, User: c.User, Session: c.Session, Role: c.Role, ExpiresAt: c.ExpiresAt}, nil
}

// effectiveRole returns the role that a session may use of its user's. Where admins need a
// second factor, a session without one is that of a regular user.
func effectiveRole(d *auth.Deps, role user.Role, factors int) user.Role {
	if d.RequireSecondFactor && factors < 2 {
		return user.Regular
	}
	return role
}

// About returns what the access token of a client says about its user. The errors are
// openid.ErrInvalidToken and openid.ErrInsufficientScope.
func (a *Authenticator) About(ctx context.Context, accessToken string, from user.ClientInfo) (auth.UserInfo, error) {
	of, scopes, err := a.userAndScopes(ctx, accessToken, from)
	if errors.Is(err, user.ErrUnauthenticated) {
		return auth.UserInfo{}, openid.ErrInvalidToken
	}
	if err != nil {
		return auth.UserInfo{}, err
	}
	if !openid.HasScope(scopes, openid.ScopeOpenID) {
		return auth.UserInfo{}, openid.ErrInsufficientScope
	}
	u, err := a.Storage.FindUser(ctx, of)
	if err != nil {
		return auth.UserInfo{}, err
	}
	return a.DescribeUser(ctx, u, scopes, openid.AtUserInfo)
}

// userAndScopes returns the user of a client's token or of a personal access token, and what it is for.
func (a *Authenticator) userAndScopes(ctx context.Context, accessToken string, from user.ClientInfo) (user.ID, string, error) {
	if session.IsPersonalToken(accessToken) {
		t, err := a.authenticateToken(ctx, accessToken)
		return t.User, t.Scopes, err
	}
	c, _, err := a.authenticate(ctx, accessToken, from)
	if c.Client == "" { // a session of Octavo itself, which has no scopes
		return c.User, "", err
	}
	return c.User, c.Scopes, err
}

// TokenInfo describes an access token. All fields are zero unless Active.
type TokenInfo struct {
	Active    bool
	User      user.ID
	Session   user.SessionID
	Role      user.Role
	ExpiresAt time.Time
}
