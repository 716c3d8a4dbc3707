package auth_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
)

// errBoom is the injected error.
var errBoom = errors.New("boom")

// faultInjector lets a number of port calls through and fails the next one.
type faultInjector struct{ remaining int }

func (f *faultInjector) fail() error {
	f.remaining--
	if f.remaining == 0 {
		return errBoom
	}
	return nil
}

// These ports fail when their faultInjector does. Methods that are not overridden never
// fail.
type (
	failingStorage struct {
		authrooms.Storage
		*faultInjector
	}
	failingStore struct {
		auth.Store
		*faultInjector
	}
	failingRateLimiter struct {
		auth.RateLimiter
		*faultInjector
	}
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

func (f failingStorage) Atomically(ctx context.Context, fn func(context.Context, auth.Stores) error) error {
	return f.Storage.Atomically(ctx, f.wrap(fn))
}

func (f failingStorage) WithAddressLock(ctx context.Context, about []user.Email, fn func(context.Context, auth.Stores) error) error {
	return f.Storage.WithAddressLock(ctx, about, f.wrap(fn))
}

func (f failingStorage) wrap(fn func(context.Context, auth.Stores) error) func(context.Context, auth.Stores) error {
	return func(ctx context.Context, st auth.Stores) error {
		st.Store = failingStore{st.Store, f.faultInjector}
		return fn(ctx, st)
	}
}

func (f failingStore) IsEmailReserved(ctx context.Context, address user.Email, except user.ID, now time.Time) (bool, error) {
	if err := f.fail(); err != nil {
		return false, err
	}
	return f.Store.IsEmailReserved(ctx, address, except, now)
}

func (f failingStorage) FindUser(ctx context.Context, id user.ID) (user.User, error) {
	if err := f.fail(); err != nil {
		return user.User{}, err
	}
	return f.Storage.FindUser(ctx, id)
}

func (f failingStorage) FindUserByEmail(ctx context.Context, e user.Email) (user.User, error) {
	if err := f.fail(); err != nil {
		return user.User{}, err
	}
	return f.Storage.FindUserByEmail(ctx, e)
}

func (f failingStorage) IsKnownClient(ctx context.Context, e user.Email, source string, now time.Time) (bool, error) {
	if err := f.fail(); err != nil {
		return false, err
	}
	return f.Storage.IsKnownClient(ctx, e, source, now)
}

func (f failingStore) RecordSideEffects(ctx context.Context, t auth.SideEffects) error {
	return errors.Join(f.Store.RecordSideEffects(ctx, t), f.fail())
}

func (f failingStore) RecordDecoy(ctx context.Context, t auth.SideEffects) error {
	return errors.Join(f.Store.RecordDecoy(ctx, t), f.fail())
}

func (f failingStore) LockUser(ctx context.Context, id user.ID) (user.User, error) {
	if err := f.fail(); err != nil {
		return user.User{}, err
	}
	return f.Store.LockUser(ctx, id)
}

func (f failingStore) LockUserByEmail(ctx context.Context, e user.Email) (user.User, error) {
	if err := f.fail(); err != nil {
		return user.User{}, err
	}
	return f.Store.LockUserByEmail(ctx, e)
}

func (f failingStore) LockOwners(ctx context.Context) ([]user.ID, error) {
	if err := f.fail(); err != nil {
		return nil, err
	}
	return f.Store.LockOwners(ctx)
}

func (f failingStore) SaveUser(ctx context.Context, u user.User) error {
	return errors.Join(f.Store.SaveUser(ctx, u), f.fail())
}

func (f failingStore) EraseUsers(ctx context.Context, ids []user.ID, now time.Time) error {
	return errors.Join(f.Store.EraseUsers(ctx, ids, now), f.fail())
}

func (f failingStore) LockRegistrations(ctx context.Context, e user.Email, now time.Time) ([]user.Registration, error) {
	if err := f.fail(); err != nil {
		return nil, err
	}
	return f.Store.LockRegistrations(ctx, e, now)
}

func (f failingStore) AddRegistration(ctx context.Context, r user.Registration) error {
	return errors.Join(f.Store.AddRegistration(ctx, r), f.fail())
}

func (f failingStore) MarkRegistrationMailed(ctx context.Context, id int64, until time.Time) error {
	return errors.Join(f.Store.MarkRegistrationMailed(ctx, id, until), f.fail())
}

func (f failingStore) DeleteRegistrations(ctx context.Context, e user.Email) error {
	return errors.Join(f.Store.DeleteRegistrations(ctx, e), f.fail())
}

func (f failingStore) PutChallenge(ctx context.Context, c challenge.Challenge, instead ...challenge.Purpose) error {
	return errors.Join(f.Store.PutChallenge(ctx, c, instead...), f.fail())
}

func (f failingStore) CountAttempt(ctx context.Context, p challenge.Purpose, e user.Email, by challenge.Client, now time.Time) ([]challenge.Challenge, error) {
	if err := f.fail(); err != nil {
		return nil, err
	}
	return f.Store.CountAttempt(ctx, p, e, by, now)
}

func (f failingStore) UseChallenge(ctx context.Context, c challenge.Challenge, now time.Time) (bool, error) {
	used, err := f.Store.UseChallenge(ctx, c, now)
	return used, errors.Join(err, f.fail())
}

func (f failingStore) DeleteChallenges(ctx context.Context, e user.Email, except int64, purposes ...challenge.Purpose) error {
	return errors.Join(f.Store.DeleteChallenges(ctx, e, except, purposes...), f.fail())
}

func (f failingStore) AddInvitation(ctx context.Context, i auth.Invitation) error {
	return errors.Join(f.Store.AddInvitation(ctx, i), f.fail())
}

func (f failingStore) AcceptInvitation(ctx context.Context, id auth.InvitationID, now time.Time) (auth.Invitation, error) {
	if err := f.fail(); err != nil {
		return auth.Invitation{}, err
	}
	return f.Store.AcceptInvitation(ctx, id, now)
}

func (f failingStore) RevokeUserInvitation(ctx context.Context, of user.ID, now time.Time) (auth.Invitation, error) {
	revoked, err := f.Store.RevokeUserInvitation(ctx, of, now)
	return revoked, errors.Join(err, f.fail())
}

func (f failingRateLimiter) AllowRequests(ctx context.Context, now time.Time, asks ...limit.Request) (time.Duration, error) {
	if err := f.fail(); err != nil {
		return 0, err
	}
	return f.RateLimiter.AllowRequests(ctx, now, asks...)
}

func (f failingRateLimiter) ResetLimit(ctx context.Context, name string) error {
	return errors.Join(f.fail(), f.RateLimiter.ResetLimit(ctx, name))
}

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

// newFailingFixture returns a fixture whose ports fail when f does.
func newFailingFixture(t *testing.T, f *faultInjector) *authkit.Fixture {
	return authkit.New(t, onSQLite(t), func(p *authrooms.Ports, _ *auth.Config) {
		p.Storage, p.Sessions = failingStorage{p.Storage, f}, failingSessions{p.Sessions, f}
		p.RateLimiter, p.Hasher, p.Tokens = failingRateLimiter{p.RateLimiter, f}, failingHasher{p.Hasher, f}, failingAccessTokens{p.Tokens, f}
	})
}
