package authcontract

import (
	"context"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// pausedSessions lets something happen just before a session of a client is added, and just before sessions are revoked.
type pausedSessions struct {
	auth.SessionStore
	beforeAdd, beforeRevoke func()
}

func (p *pausedSessions) AddSession(ctx context.Context, s session.Session, limit int, effects auth.SessionEffects) error {
	if do := p.beforeAdd; do != nil && s.Client != "" {
		p.beforeAdd = nil
		do()
	}
	return p.SessionStore.AddSession(ctx, s, limit, effects)
}

func (p *pausedSessions) RevokeSessions(ctx context.Context, of user.ID, ids []user.SessionID, now time.Time, e auth.SideEffects) (int, error) {
	if do := p.beforeRevoke; do != nil {
		p.beforeRevoke = nil
		do()
	}
	return p.SessionStore.RevokeSessions(ctx, of, ids, now, e)
}

func exchangeWhileRevoked(t *testing.T, before *authkit.Fixture) {
	paused := &pausedSessions{SessionStore: before.Store.Sessions}
	k := authkit.New(t, before.Store, func(p *authrooms.Ports, _ *auth.Config) {
		p.NextID, p.Now, p.Sessions = before.IDs.Next, before.Clock.Now, paused
	})
	k.Clock = before.Clock
	c := addClient(t, k, nil)
	k.CreateUser(t, "ann@u.edu")
	for name, revoke := range map[string]func(user.Caller) error{
		"revoked":    func(by user.Caller) error { return k.Sessions.Revoke(ctx, by, by.Session) },
		"everywhere": func(by user.Caller) error { return k.Sessions.SignOutEverywhere(ctx, by) },
		"of all":     func(by user.Caller) error { return k.Sessions.SignOutOfAll(ctx, by) },
		"from elsewhere": func(by user.Caller) error {
			return must.Err(k.Sessions.RevokeOthers(ctx, k.CallerOf(t, k.SignIn(t, "ann@u.edu"))))
		},
		"another password": func(by user.Caller) error { return k.Users.SetPassword(ctx, admin, by.ID, authkit.Password) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, first := range []string{"the revocation", "the exchange"} {
				by := k.CallerOf(t, k.SignIn(t, "ann@u.edu"))
				code := authorized(t, k, by, parameters(c, "scope", "openid"))
				var tokens provider.ClientTokens
				if first == "the revocation" {
					paused.beforeAdd = func() { must.Do(t, revoke(by)) }
					tokens, _ = exchange(k, c, code)
				} else {
					paused.beforeRevoke = func() { tokens, _ = exchange(k, c, code) }
					must.Do(t, revoke(by))
				}
				paused.beforeAdd, paused.beforeRevoke = nil, nil
				if isActive(k, tokens) {
					t.Errorf("%s comes first, and the token goes on", first)
				}
			}
		})
	}
}
