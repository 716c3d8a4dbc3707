package auth

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// seenEvery is how exact the time of a session's last use is.
const seenEvery = time.Minute

// Gate tells who calls.
type Gate struct{ *kit }

// Authenticate reads an access token and looks up its session and its user
// every time, so that a revoked session and a changed role count at once.
// Anything but a live token is user.ErrUnauthenticated.
func (g *Gate) Authenticate(ctx context.Context, accessToken string, from user.Source) (user.Caller, error) {
	now := g.Clock.Now()
	c, s, u, err := g.look(ctx, accessToken, now)
	if err != nil {
		return user.Caller{}, err
	}
	if c.N > s.Lineage.SeenN || now.Sub(s.LastSeenAt) >= seenEvery {
		if err := g.Lineage.See(ctx, u.ID, s.ID, Sighting{N: c.N, At: now, IP: from.IP}); err != nil {
			return user.Caller{}, err
		}
	}
	return user.Caller{ID: u.ID, Session: s.ID, Role: u.Role, Student: u.Student(), From: from}, nil
}

// Inspect says what a token is, to those who verify tokens themselves: no more
// than stands in it, such as the role its owner had then, and that it is alive.
// Asking does not count as a use of the session.
func (g *Gate) Inspect(ctx context.Context, token string) (TokenInfo, error) {
	c, _, _, err := g.look(ctx, token, g.Clock.Now())
	switch {
	case errors.Is(err, user.ErrUnauthenticated):
		return TokenInfo{}, nil
	case err != nil:
		return TokenInfo{}, err
	}
	return TokenInfo{Active: true, User: c.User, Session: c.Session, Role: c.Role, ExpiresAt: c.ExpiresAt}, nil
}

// look finds the session and the user behind a token.
func (g *Gate) look(ctx context.Context, token string, now time.Time) (Claims, session.Session, user.User, error) {
	c, err := g.Tokens.Verify(token, now)
	if err != nil {
		return c, session.Session{}, user.User{}, err
	}
	s, err := g.Sessions.Find(ctx, c.User, c.Session)
	if errors.Is(err, session.ErrNotFound) {
		err = user.ErrUnauthenticated
	}
	if err != nil {
		return c, s, user.User{}, err
	}
	u, ok, err := found(g.Directory.ByID(ctx, c.User))
	if err == nil && (!ok || !s.Live(u.Epoch, now)) {
		err = user.ErrUnauthenticated
	}
	return c, s, u, err
}
