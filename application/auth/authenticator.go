package auth

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// touchInterval is how exact the time of a session's last use is while the user uses
// no other.
const touchInterval = time.Minute

// needsTouch reports whether a use at now must be written: once in a while, and when
// it changes which of the user's sessions is the least recently used.
func (s SessionState) needsTouch(now time.Time) bool {
	since := now.Sub(s.Lifetime.LastUsedAt)
	return since >= touchInterval || s.UsedSinceElsewhere && since > 0
}

// Authenticator tells who calls.
type Authenticator struct{ *deps }

// Authenticate reads an access token and looks up its session and its user
// every time, so that a revoked session and a changed role count at once.
// Anything but a live token is user.ErrUnauthenticated.
func (g *Authenticator) Authenticate(ctx context.Context, accessToken string, from user.ClientInfo) (user.Caller, error) {
	now := g.Clock.Now()
	c, s, err := g.verifyToken(ctx, accessToken, now)
	if err != nil {
		return user.Caller{}, err
	}
	if c.TokenNumber > s.NewestSeen || s.needsTouch(now) {
		if err := g.Rotator.TouchSession(ctx, c.User, c.Session, SessionUse{TokenNumber: c.TokenNumber, At: now, IP: from.IP}); err != nil {
			return user.Caller{}, err
		}
	}
	return user.Caller{ID: c.User, Session: c.Session, Role: s.Role, Student: s.Student, From: from}, nil
}

// Introspect says what a token is, to those who verify tokens themselves: no more
// than stands in it, such as the role its owner had then, and that it is alive.
// Asking does not count as a use of the session.
func (g *Authenticator) Introspect(ctx context.Context, token string) (TokenInfo, error) {
	c, _, err := g.verifyToken(ctx, token, g.Clock.Now())
	switch {
	case errors.Is(err, user.ErrUnauthenticated):
		return TokenInfo{}, nil
	case err != nil:
		return TokenInfo{}, err
	}
	return TokenInfo{Active: true, User: c.User, Session: c.Session, Role: c.Role, ExpiresAt: c.ExpiresAt}, nil
}

// verifyToken finds how those behind a token stand.
func (g *Authenticator) verifyToken(ctx context.Context, token string, now time.Time) (Claims, SessionState, error) {
	c, err := g.Tokens.VerifyToken(token, now)
	if err != nil {
		return c, SessionState{}, err
	}
	s, err := g.SessionStates.FindSessionState(ctx, c.User, c.Session)
	if errors.Is(err, session.ErrNotFound) || err == nil && !s.Lifetime.Active(s.UserEpoch, now) {
		err = user.ErrUnauthenticated
	}
	return c, s, err
}
