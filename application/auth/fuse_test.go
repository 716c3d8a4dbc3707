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

var errBoom = errors.New("boom")

// fuse lets some calls of ports through and blows at the next.
type fuse struct{ left int }

func (f *fuse) blown() error {
	f.left--
	if f.left == 0 {
		return errBoom
	}
	return nil
}

// The ports behind a fuse. Only what may fail on its way in is here; what is
// embedded passes.
type (
	fusedDatabase struct {
		auth.Database
		*fuse
	}
	fusedDirectory struct {
		auth.UserReader
		*fuse
	}
	fusedTrail struct {
		auth.SideEffectRecorder
		*fuse
	}
	fusedUsers struct {
		auth.UserStore
		*fuse
	}
	fusedRegistrations struct {
		auth.RegistrationStore
		*fuse
	}
	fusedChallenges struct {
		auth.ChallengeStore
		*fuse
	}
	fusedBook struct {
		auth.InvitationStore
		*fuse
	}
	fusedLimits struct {
		auth.RateLimiter
		*fuse
	}
	fusedHasher struct {
		auth.PasswordHasher
		*fuse
	}
	fusedTokens struct {
		auth.AccessTokens
		*fuse
	}
	fusedSessions struct {
		auth.SessionStore
		auth.TokenRotator
		auth.SessionRevoker
		*fuse
	}
)

func (f fusedDatabase) Atomically(ctx context.Context, fn func(context.Context, auth.Stores) error) error {
	return f.Database.Atomically(ctx, f.fused(fn))
}

func (f fusedDatabase) WithAddressLock(ctx context.Context, about []user.Email, fn func(context.Context, auth.Stores) error) error {
	return f.Database.WithAddressLock(ctx, about, f.fused(fn))
}

func (f fusedDatabase) fused(fn func(context.Context, auth.Stores) error) func(context.Context, auth.Stores) error {
	return func(ctx context.Context, st auth.Stores) error {
		return fn(ctx, auth.Stores{
			Users: fusedUsers{st.Users, f.fuse}, Registrations: fusedRegistrations{st.Registrations, f.fuse},
			Challenges: fusedChallenges{st.Challenges, f.fuse}, Invitations: fusedBook{st.Invitations, f.fuse}, SideEffects: fusedTrail{st.SideEffects, f.fuse},
		})
	}
}

func (f fusedDirectory) FindUser(ctx context.Context, id user.ID) (user.User, error) {
	if err := f.blown(); err != nil {
		return user.User{}, err
	}
	return f.UserReader.FindUser(ctx, id)
}

func (f fusedDirectory) FindUserByEmail(ctx context.Context, e user.Email) (user.User, error) {
	if err := f.blown(); err != nil {
		return user.User{}, err
	}
	return f.UserReader.FindUserByEmail(ctx, e)
}

func (f fusedDirectory) IsKnownClient(ctx context.Context, e user.Email, source string, now time.Time) (bool, error) {
	if err := f.blown(); err != nil {
		return false, err
	}
	return f.UserReader.IsKnownClient(ctx, e, source, now)
}

func (f fusedTrail) RecordSideEffects(ctx context.Context, t auth.SideEffects) error {
	return errors.Join(f.SideEffectRecorder.RecordSideEffects(ctx, t), f.blown())
}

func (f fusedTrail) RecordDecoy(ctx context.Context, t auth.SideEffects) error {
	return errors.Join(f.SideEffectRecorder.RecordDecoy(ctx, t), f.blown())
}

func (f fusedUsers) LockUser(ctx context.Context, id user.ID) (user.User, error) {
	if err := f.blown(); err != nil {
		return user.User{}, err
	}
	return f.UserStore.LockUser(ctx, id)
}

func (f fusedUsers) LockUserByEmail(ctx context.Context, e user.Email) (user.User, error) {
	if err := f.blown(); err != nil {
		return user.User{}, err
	}
	return f.UserStore.LockUserByEmail(ctx, e)
}

func (f fusedUsers) LockOwners(ctx context.Context) ([]user.ID, error) {
	if err := f.blown(); err != nil {
		return nil, err
	}
	return f.UserStore.LockOwners(ctx)
}

func (f fusedUsers) SaveUser(ctx context.Context, u user.User) error {
	return errors.Join(f.UserStore.SaveUser(ctx, u), f.blown())
}

func (f fusedUsers) EraseUsers(ctx context.Context, ids []user.ID, now time.Time) error {
	return errors.Join(f.UserStore.EraseUsers(ctx, ids, now), f.blown())
}

func (f fusedRegistrations) LockRegistrations(ctx context.Context, e user.Email, now time.Time) ([]user.Registration, error) {
	if err := f.blown(); err != nil {
		return nil, err
	}
	return f.RegistrationStore.LockRegistrations(ctx, e, now)
}

func (f fusedRegistrations) AddRegistration(ctx context.Context, r user.Registration) error {
	return errors.Join(f.RegistrationStore.AddRegistration(ctx, r), f.blown())
}

func (f fusedRegistrations) MarkRegistrationMailed(ctx context.Context, id int64, until time.Time) error {
	return errors.Join(f.RegistrationStore.MarkRegistrationMailed(ctx, id, until), f.blown())
}

func (f fusedRegistrations) DeleteRegistrations(ctx context.Context, e user.Email) error {
	return errors.Join(f.RegistrationStore.DeleteRegistrations(ctx, e), f.blown())
}

func (f fusedChallenges) PutChallenge(ctx context.Context, c challenge.Challenge, instead ...challenge.Purpose) error {
	return errors.Join(f.ChallengeStore.PutChallenge(ctx, c, instead...), f.blown())
}

func (f fusedChallenges) CountAttempt(ctx context.Context, p challenge.Purpose, e user.Email, by challenge.Client, now time.Time) ([]challenge.Challenge, error) {
	if err := f.blown(); err != nil {
		return nil, err
	}
	return f.ChallengeStore.CountAttempt(ctx, p, e, by, now)
}

func (f fusedChallenges) UseChallenge(ctx context.Context, c challenge.Challenge, now time.Time) (bool, error) {
	used, err := f.ChallengeStore.UseChallenge(ctx, c, now)
	return used, errors.Join(err, f.blown())
}

func (f fusedChallenges) DeleteChallenges(ctx context.Context, e user.Email, except int64, purposes ...challenge.Purpose) error {
	return errors.Join(f.ChallengeStore.DeleteChallenges(ctx, e, except, purposes...), f.blown())
}

func (f fusedBook) AddInvitation(ctx context.Context, i auth.Invitation) error {
	return errors.Join(f.InvitationStore.AddInvitation(ctx, i), f.blown())
}

func (f fusedBook) AcceptInvitation(ctx context.Context, id auth.InvitationID, now time.Time) (auth.Invitation, error) {
	if err := f.blown(); err != nil {
		return auth.Invitation{}, err
	}
	return f.InvitationStore.AcceptInvitation(ctx, id, now)
}

func (f fusedBook) RevokeUserInvitation(ctx context.Context, of user.ID, now time.Time) error {
	return errors.Join(f.InvitationStore.RevokeUserInvitation(ctx, of, now), f.blown())
}

func (f fusedLimits) AllowRequests(ctx context.Context, now time.Time, asks ...limit.Request) (time.Duration, error) {
	if err := f.blown(); err != nil {
		return 0, err
	}
	return f.RateLimiter.AllowRequests(ctx, now, asks...)
}

func (f fusedLimits) ResetLimit(ctx context.Context, name string) error {
	return errors.Join(f.blown(), f.RateLimiter.ResetLimit(ctx, name))
}

func (f fusedHasher) HashPassword(ctx context.Context, p user.Password) (string, error) {
	if err := f.blown(); err != nil {
		return "", err
	}
	return f.PasswordHasher.HashPassword(ctx, p)
}

func (f fusedHasher) VerifyPassword(ctx context.Context, hash string, p user.Password) (bool, bool, error) {
	if err := f.blown(); err != nil {
		return false, false, err
	}
	return f.PasswordHasher.VerifyPassword(ctx, hash, p)
}

func (f fusedTokens) SignToken(c auth.Claims) (string, error) {
	if err := f.blown(); err != nil {
		return "", err
	}
	return f.AccessTokens.SignToken(c)
}

func (f fusedSessions) AddSession(ctx context.Context, s session.Session, keep int, trace func(bool) auth.SideEffects) error {
	if err := f.blown(); err != nil {
		return err
	}
	return f.SessionStore.AddSession(ctx, s, keep, trace)
}

func (f fusedSessions) FindSession(ctx context.Context, of user.ID, id user.SessionID) (session.Session, error) {
	if err := f.blown(); err != nil {
		return session.Session{}, err
	}
	return f.SessionStore.FindSession(ctx, of, id)
}

func (f fusedSessions) ListSessions(ctx context.Context, of user.ID) ([]session.Session, error) {
	if err := f.blown(); err != nil {
		return nil, err
	}
	return f.SessionStore.ListSessions(ctx, of)
}

func (f fusedSessions) RotateToken(ctx context.Context, p auth.PresentedToken, theft func(session.Session) auth.SideEffects) (session.Session, session.Outcome, error) {
	if err := f.blown(); err != nil {
		return session.Session{}, 0, err
	}
	return f.TokenRotator.RotateToken(ctx, p, theft)
}

func (f fusedSessions) TouchSession(ctx context.Context, of user.ID, id user.SessionID, s auth.SessionUse) error {
	return errors.Join(f.blown(), f.TokenRotator.TouchSession(ctx, of, id, s))
}

func (f fusedSessions) RevokeSessions(ctx context.Context, of user.ID, ids []user.SessionID, now time.Time, t auth.SideEffects) (int, error) {
	if err := f.blown(); err != nil {
		return 0, err
	}
	return f.SessionRevoker.RevokeSessions(ctx, of, ids, now, t)
}

func (f fusedSessions) RebindSession(ctx context.Context, of user.ID, id user.SessionID, from, to int64) error {
	return errors.Join(f.blown(), f.SessionRevoker.RebindSession(ctx, of, id, from, to))
}

// fused is a kit whose ports blow when the fuse does.
func fused(t *testing.T, f *fuse) *authkit.Kit {
	return authkit.New(t, inMemory(t), func(p *auth.Ports, _ *auth.Config) {
		s := fusedSessions{p.Sessions, p.Rotator, p.Revoker, f}
		p.Users, p.Database = fusedDirectory{p.Users, f}, fusedDatabase{p.Database, f}
		p.Limits, p.Hasher, p.Tokens = fusedLimits{p.Limits, f}, fusedHasher{p.Hasher, f}, fusedTokens{p.Tokens, f}
		p.Sessions, p.Rotator, p.Revoker = s, s, s
	})
}
