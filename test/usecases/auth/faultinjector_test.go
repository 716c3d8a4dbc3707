package auth_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
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
	failingDatabase struct {
		auth.Database
		*faultInjector
	}
	failingUserReader struct {
		auth.UserReader
		*faultInjector
	}
	failingRecorder struct {
		auth.SideEffectRecorder
		*faultInjector
	}
	failingUsers struct {
		auth.UserStore
		*faultInjector
	}
	failingRegistrations struct {
		auth.RegistrationStore
		*faultInjector
	}
	failingChallenges struct {
		auth.ChallengeStore
		*faultInjector
	}
	failingInvitations struct {
		auth.InvitationStore
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
		auth.TokenRotator
		auth.SessionRevoker
		*faultInjector
	}
)

func (f failingDatabase) Atomically(ctx context.Context, fn func(context.Context, auth.Stores) error) error {
	return f.Database.Atomically(ctx, f.wrap(fn))
}

func (f failingDatabase) WithAddressLock(ctx context.Context, about []user.Email, fn func(context.Context, auth.Stores) error) error {
	return f.Database.WithAddressLock(ctx, about, f.wrap(fn))
}

func (f failingDatabase) wrap(fn func(context.Context, auth.Stores) error) func(context.Context, auth.Stores) error {
	return func(ctx context.Context, st auth.Stores) error {
		return fn(ctx, auth.Stores{
			Users: failingUsers{st.Users, f.faultInjector}, Registrations: failingRegistrations{st.Registrations, f.faultInjector},
			Challenges: failingChallenges{st.Challenges, f.faultInjector}, Invitations: failingInvitations{st.Invitations, f.faultInjector}, SideEffects: failingRecorder{st.SideEffects, f.faultInjector},
			EmailChanges: failingEmailChanges{st.EmailChanges, f.faultInjector},
		})
	}
}

type failingEmailChanges struct {
	auth.EmailChangeStore
	*faultInjector
}

func (f failingEmailChanges) IsEmailReserved(ctx context.Context, address user.Email, except user.ID, now time.Time) (bool, error) {
	if err := f.fail(); err != nil {
		return false, err
	}
	return f.EmailChangeStore.IsEmailReserved(ctx, address, except, now)
}

func (f failingUserReader) FindUser(ctx context.Context, id user.ID) (user.User, error) {
	if err := f.fail(); err != nil {
		return user.User{}, err
	}
	return f.UserReader.FindUser(ctx, id)
}

func (f failingUserReader) FindUserByEmail(ctx context.Context, e user.Email) (user.User, error) {
	if err := f.fail(); err != nil {
		return user.User{}, err
	}
	return f.UserReader.FindUserByEmail(ctx, e)
}

func (f failingUserReader) IsKnownClient(ctx context.Context, e user.Email, source string, now time.Time) (bool, error) {
	if err := f.fail(); err != nil {
		return false, err
	}
	return f.UserReader.IsKnownClient(ctx, e, source, now)
}

func (f failingRecorder) RecordSideEffects(ctx context.Context, t auth.SideEffects) error {
	return errors.Join(f.SideEffectRecorder.RecordSideEffects(ctx, t), f.fail())
}

func (f failingRecorder) RecordDecoy(ctx context.Context, t auth.SideEffects) error {
	return errors.Join(f.SideEffectRecorder.RecordDecoy(ctx, t), f.fail())
}

func (f failingUsers) LockUser(ctx context.Context, id user.ID) (user.User, error) {
	if err := f.fail(); err != nil {
		return user.User{}, err
	}
	return f.UserStore.LockUser(ctx, id)
}

func (f failingUsers) LockUserByEmail(ctx context.Context, e user.Email) (user.User, error) {
	if err := f.fail(); err != nil {
		return user.User{}, err
	}
	return f.UserStore.LockUserByEmail(ctx, e)
}

func (f failingUsers) LockOwners(ctx context.Context) ([]user.ID, error) {
	if err := f.fail(); err != nil {
		return nil, err
	}
	return f.UserStore.LockOwners(ctx)
}

func (f failingUsers) SaveUser(ctx context.Context, u user.User) error {
	return errors.Join(f.UserStore.SaveUser(ctx, u), f.fail())
}

func (f failingUsers) EraseUsers(ctx context.Context, ids []user.ID, now time.Time) error {
	return errors.Join(f.UserStore.EraseUsers(ctx, ids, now), f.fail())
}

func (f failingRegistrations) LockRegistrations(ctx context.Context, e user.Email, now time.Time) ([]user.Registration, error) {
	if err := f.fail(); err != nil {
		return nil, err
	}
	return f.RegistrationStore.LockRegistrations(ctx, e, now)
}

func (f failingRegistrations) AddRegistration(ctx context.Context, r user.Registration) error {
	return errors.Join(f.RegistrationStore.AddRegistration(ctx, r), f.fail())
}

func (f failingRegistrations) MarkRegistrationMailed(ctx context.Context, id int64, until time.Time) error {
	return errors.Join(f.RegistrationStore.MarkRegistrationMailed(ctx, id, until), f.fail())
}

func (f failingRegistrations) DeleteRegistrations(ctx context.Context, e user.Email) error {
	return errors.Join(f.RegistrationStore.DeleteRegistrations(ctx, e), f.fail())
}

func (f failingChallenges) PutChallenge(ctx context.Context, c challenge.Challenge, instead ...challenge.Purpose) error {
	return errors.Join(f.ChallengeStore.PutChallenge(ctx, c, instead...), f.fail())
}

func (f failingChallenges) CountAttempt(ctx context.Context, p challenge.Purpose, e user.Email, by challenge.Client, now time.Time) ([]challenge.Challenge, error) {
	if err := f.fail(); err != nil {
		return nil, err
	}
	return f.ChallengeStore.CountAttempt(ctx, p, e, by, now)
}

func (f failingChallenges) UseChallenge(ctx context.Context, c challenge.Challenge, now time.Time) (bool, error) {
	used, err := f.ChallengeStore.UseChallenge(ctx, c, now)
	return used, errors.Join(err, f.fail())
}

func (f failingChallenges) DeleteChallenges(ctx context.Context, e user.Email, except int64, purposes ...challenge.Purpose) error {
	return errors.Join(f.ChallengeStore.DeleteChallenges(ctx, e, except, purposes...), f.fail())
}

func (f failingInvitations) AddInvitation(ctx context.Context, i auth.Invitation) error {
	return errors.Join(f.InvitationStore.AddInvitation(ctx, i), f.fail())
}

func (f failingInvitations) AcceptInvitation(ctx context.Context, id auth.InvitationID, now time.Time) (auth.Invitation, error) {
	if err := f.fail(); err != nil {
		return auth.Invitation{}, err
	}
	return f.InvitationStore.AcceptInvitation(ctx, id, now)
}

func (f failingInvitations) RevokeUserInvitation(ctx context.Context, of user.ID, now time.Time) (auth.Invitation, error) {
	revoked, err := f.InvitationStore.RevokeUserInvitation(ctx, of, now)
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
	return f.TokenRotator.RotateToken(ctx, p, theft)
}

func (f failingSessions) TouchSession(ctx context.Context, of user.ID, id user.SessionID, s auth.SessionUse) error {
	return errors.Join(f.fail(), f.TokenRotator.TouchSession(ctx, of, id, s))
}

func (f failingSessions) RevokeSessions(ctx context.Context, of user.ID, ids []user.SessionID, now time.Time, t auth.SideEffects) (int, error) {
	if err := f.fail(); err != nil {
		return 0, err
	}
	return f.SessionRevoker.RevokeSessions(ctx, of, ids, now, t)
}

func (f failingSessions) RebindSession(ctx context.Context, of user.ID, id user.SessionID, from, to int64) error {
	return errors.Join(f.fail(), f.SessionRevoker.RebindSession(ctx, of, id, from, to))
}

// newFailingFixture returns a fixture whose ports fail when f does.
func newFailingFixture(t *testing.T, f *faultInjector) *authkit.Fixture {
	return authkit.New(t, onSQLite(t), func(p *auth.Ports, _ *auth.Config) {
		s := failingSessions{p.Sessions, p.Rotator, p.Revoker, f}
		p.Users, p.Database = failingUserReader{p.Users, f}, failingDatabase{p.Database, f}
		p.RateLimiter, p.Hasher, p.Tokens = failingRateLimiter{p.RateLimiter, f}, failingHasher{p.Hasher, f}, failingAccessTokens{p.Tokens, f}
		p.Sessions, p.Rotator, p.Revoker = s, s, s
	})
}
