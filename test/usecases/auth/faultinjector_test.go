package auth_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/stores"
	"gorm.io/gorm"
)

// errBoom is the injected error.
var errBoom = errors.New("boom")

// faultInjector lets a number of calls and statements through and fails the next one.
type faultInjector struct{ remaining int }

func (f *faultInjector) fail() error {
	f.remaining--
	if f.remaining == 0 {
		return errBoom
	}
	return nil
}

// These ports fail when their faultInjector does, besides the statements that GORM runs. Methods that are not
// overridden never fail.
type (
	failingHasher struct {
		auth.PasswordHasher
		*faultInjector
	}
	failingAccessTokens struct {
		auth.AccessTokens
		*faultInjector
	}
	failingSessions struct {
		auth.SessionStore
		*faultInjector
	}
)

func (f failingHasher) HashPassword(ctx context.Context, p user.Password) (string, error) {
	if err := f.fail(); err != nil {
		return "", err
	}
	return f.PasswordHasher.HashPassword(ctx, p)
}

func (f failingHasher) VerifyPassword(ctx context.Context, hash string, p user.Password) (bool, bool, error) {
	if err := f.fail(); err != nil {
		return false, false, err
	}
	return f.PasswordHasher.VerifyPassword(ctx, hash, p)
}

func (f failingAccessTokens) SignToken(c auth.Claims) (string, error) {
	if err := f.fail(); err != nil {
		return "", err
	}
	return f.AccessTokens.SignToken(c)
}

func (f failingSessions) AddSession(ctx context.Context, s session.Session, keep int, effects auth.SessionEffects) error {
	if err := f.fail(); err != nil {
		return err
	}
	return f.SessionStore.AddSession(ctx, s, keep, effects)
}

func (f failingSessions) FindSession(ctx context.Context, of user.ID, id user.SessionID) (session.Session, error) {
	if err := f.fail(); err != nil {
		return session.Session{}, err
	}
	return f.SessionStore.FindSession(ctx, of, id)
}

func (f failingSessions) ListSessions(ctx context.Context, of user.ID) ([]session.Session, error) {
	if err := f.fail(); err != nil {
		return nil, err
	}
	return f.SessionStore.ListSessions(ctx, of)
}

func (f failingSessions) RotateToken(ctx context.Context, p auth.PresentedToken, theft func(session.Session) auth.SideEffects) (session.Session, session.Outcome, error) {
	if err := f.fail(); err != nil {
		return session.Session{}, 0, err
	}
	return f.SessionStore.RotateToken(ctx, p, theft)
}

func (f failingSessions) TouchSession(ctx context.Context, of user.ID, id user.SessionID, s auth.SessionUse) error {
	return errors.Join(f.fail(), f.SessionStore.TouchSession(ctx, of, id, s))
}

func (f failingSessions) RevokeSessions(ctx context.Context, of user.ID, ids []user.SessionID, now time.Time, t auth.SideEffects) (int, error) {
	if err := f.fail(); err != nil {
		return 0, err
	}
	return f.SessionStore.RevokeSessions(ctx, of, ids, now, t)
}

func (f failingSessions) RebindSession(ctx context.Context, of user.ID, id user.SessionID, from, to int64) error {
	return errors.Join(f.fail(), f.SessionStore.RebindSession(ctx, of, id, from, to))
}

// newFailingFixture returns a fixture whose ports and statements fail when f does.
func newFailingFixture(t *testing.T, f *faultInjector) *authkit.Fixture {
	s := stores.SQLite(t)
	fail := func(tx *gorm.DB) { _ = tx.AddError(f.fail()) }
	for _, db := range []*gorm.DB{s.DB.Read, s.DB.Write} {
		all := db.Callback()
		must.Do(t, errors.Join(all.Create().Before("*").Register("fail", fail), all.Query().Before("*").Register("fail", fail),
			all.Update().Before("*").Register("fail", fail), all.Delete().Before("*").Register("fail", fail), all.Raw().Before("*").Register("fail", fail)))
	}
	return authkit.New(t, s.Auth(t), func(p *authrooms.Ports, _ *auth.Config) {
		p.Sessions, p.Hasher, p.Tokens = failingSessions{p.Sessions, f}, failingHasher{p.Hasher, f}, failingAccessTokens{p.Tokens, f}
	})
}
