package auth

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// seenEvery is how exact the time of a session's last use is while the user uses
// no other.
const seenEvery = time.Minute

// usedAnew reports whether a use at now must be written: once in a while, and when
// it changes which of the user's sessions is the least recently used.
func (s Standing) usedAnew(now time.Time) bool {
	since := now.Sub(s.Life.LastUsedAt)
	return since >= seenEvery || s.Overtaken && since > 0
}

// Gate tells who calls.
type Gate struct{ *kit }

// Authenticate reads an access token and looks up its session and its user
// every time, so that a revoked session and a changed role count at once.
// Anything but a live token is user.ErrUnauthenticated.
func (g *Gate) Authenticate(ctx context.Context, accessToken string, from user.ClientInfo) (user.Caller, error) {
	now := g.Clock.Now()
	c, s, err := g.look(ctx, accessToken, now)
	if err != nil {
		return user.Caller{}, err
	}
	if c.N > s.SeenN || s.usedAnew(now) {
		if err := g.Lineage.See(ctx, c.User, c.Session, Sighting{N: c.N, At: now, IP: from.IP}); err != nil {
			return user.Caller{}, err
		}
	}
	return user.Caller{ID: c.User, Session: c.Session, Role: s.Role, Student: s.Student, From: from}, nil
}

// Inspect says what a token is, to those who verify tokens themselves: no more
// than stands in it, such as the role its owner had then, and that it is alive.
// Asking does not count as a use of the session.
func (g *Gate) Inspect(ctx context.Context, token string) (TokenInfo, error) {
	c, _, err := g.look(ctx, token, g.Clock.Now())
	switch {
	case errors.Is(err, user.ErrUnauthenticated):
		return TokenInfo{}, nil
	case err != nil:
		return TokenInfo{}, err
	}
	return TokenInfo{Active: true, User: c.User, Session: c.Session, Role: c.Role, ExpiresAt: c.ExpiresAt}, nil
}

// look finds how those behind a token stand.
func (g *Gate) look(ctx context.Context, token string, now time.Time) (Claims, Standing, error) {
	c, err := g.Tokens.Verify(token, now)
	if err != nil {
		return c, Standing{}, err
	}
	s, err := g.Standings.Standing(ctx, c.User, c.Session)
	if errors.Is(err, session.ErrNotFound) || err == nil && !s.Life.Active(s.Epoch, now) {
		err = user.ErrUnauthenticated
	}
	return c, s, err
}
