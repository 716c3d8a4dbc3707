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
		auth.Directory
		*fuse
	}
	fusedTrail struct {
		auth.Trail
		*fuse
	}
	fusedUsers struct {
		auth.Users
		*fuse
	}
	fusedRegistrations struct {
		auth.Registrations
		*fuse
	}
	fusedChallenges struct {
		auth.Challenges
		*fuse
	}
	fusedBook struct {
		auth.InvitationBook
		*fuse
	}
	fusedLimits struct {
		auth.Limits
		*fuse
	}
	fusedHasher struct {
		auth.Hasher
		*fuse
	}
	fusedTokens struct {
		auth.Tokens
		*fuse
	}
	fusedSessions struct {
		auth.SessionStore
		auth.SessionLineage
		auth.SessionEnds
		*fuse
	}
)

func (f fusedDatabase) Atomically(ctx context.Context, fn func(context.Context, auth.Stores) error) error {
	return f.Database.Atomically(ctx, f.fused(fn))
}

func (f fusedDatabase) InTurn(ctx context.Context, about []user.Email, fn func(context.Context, auth.Stores) error) error {
	return f.Database.InTurn(ctx, about, f.fused(fn))
}

func (f fusedDatabase) fused(fn func(context.Context, auth.Stores) error) func(context.Context, auth.Stores) error {
	return func(ctx context.Context, st auth.Stores) error {
		return fn(ctx, auth.Stores{
			Users: fusedUsers{st.Users, f.fuse}, Registrations: fusedRegistrations{st.Registrations, f.fuse},
			Challenges: fusedChallenges{st.Challenges, f.fuse}, Invitations: fusedBook{st.Invitations, f.fuse}, Trail: fusedTrail{st.Trail, f.fuse},
		})
	}
}

func (f fusedDirectory) ByID(ctx context.Context, id user.ID) (user.User, error) {
	if err := f.blown(); err != nil {
		return user.User{}, err
	}
	return f.Directory.ByID(ctx, id)
}

func (f fusedDirectory) ByEmail(ctx context.Context, e user.Email) (user.User, error) {
	if err := f.blown(); err != nil {
		return user.User{}, err
	}
	return f.Directory.ByEmail(ctx, e)
}

func (f fusedDirectory) KnowsSource(ctx context.Context, e user.Email, source string, now time.Time) (bool, error) {
	if err := f.blown(); err != nil {
		return false, err
	}
	return f.Directory.KnowsSource(ctx, e, source, now)
}

func (f fusedTrail) Leave(ctx context.Context, t auth.Trace) error {
	return errors.Join(f.Trail.Leave(ctx, t), f.blown())
}

func (f fusedTrail) Rehearse(ctx context.Context, t auth.Trace) error {
	return errors.Join(f.Trail.Rehearse(ctx, t), f.blown())
}

func (f fusedUsers) ByID(ctx context.Context, id user.ID) (user.User, error) {
	if err := f.blown(); err != nil {
		return user.User{}, err
	}
	return f.Users.ByID(ctx, id)
}

func (f fusedUsers) ByEmail(ctx context.Context, e user.Email) (user.User, error) {
	if err := f.blown(); err != nil {
		return user.User{}, err
	}
	return f.Users.ByEmail(ctx, e)
}

func (f fusedUsers) Owners(ctx context.Context) ([]user.ID, error) {
	if err := f.blown(); err != nil {
		return nil, err
	}
	return f.Users.Owners(ctx)
}

func (f fusedUsers) Save(ctx context.Context, u user.User) error {
	return errors.Join(f.Users.Save(ctx, u), f.blown())
}

func (f fusedUsers) Erase(ctx context.Context, ids []user.ID, now time.Time) error {
	return errors.Join(f.Users.Erase(ctx, ids, now), f.blown())
}

func (f fusedRegistrations) Of(ctx context.Context, e user.Email, now time.Time) ([]user.Registration, error) {
	if err := f.blown(); err != nil {
		return nil, err
	}
	return f.Registrations.Of(ctx, e, now)
}

func (f fusedRegistrations) Add(ctx context.Context, r user.Registration) error {
	return errors.Join(f.Registrations.Add(ctx, r), f.blown())
}

func (f fusedRegistrations) SetMailed(ctx context.Context, id int64, until time.Time) error {
	return errors.Join(f.Registrations.SetMailed(ctx, id, until), f.blown())
}

func (f fusedRegistrations) Drop(ctx context.Context, e user.Email) error {
	return errors.Join(f.Registrations.Drop(ctx, e), f.blown())
}

func (f fusedChallenges) Put(ctx context.Context, c challenge.Challenge, instead ...challenge.Purpose) error {
	return errors.Join(f.Challenges.Put(ctx, c, instead...), f.blown())
}

func (f fusedChallenges) Try(ctx context.Context, p challenge.Purpose, e user.Email, by challenge.Client, now time.Time) ([]challenge.Challenge, error) {
	if err := f.blown(); err != nil {
		return nil, err
	}
	return f.Challenges.Try(ctx, p, e, by, now)
}

func (f fusedChallenges) Use(ctx context.Context, c challenge.Challenge, now time.Time) (bool, error) {
	used, err := f.Challenges.Use(ctx, c, now)
	return used, errors.Join(err, f.blown())
}

func (f fusedChallenges) Drop(ctx context.Context, e user.Email, except int64, purposes ...challenge.Purpose) error {
	return errors.Join(f.Challenges.Drop(ctx, e, except, purposes...), f.blown())
}

func (f fusedBook) Add(ctx context.Context, i auth.Invitation) error {
	return errors.Join(f.InvitationBook.Add(ctx, i), f.blown())
}

func (f fusedBook) Accept(ctx context.Context, id auth.InvitationID, now time.Time) (auth.Invitation, error) {
	if err := f.blown(); err != nil {
		return auth.Invitation{}, err
	}
	return f.InvitationBook.Accept(ctx, id, now)
}

func (f fusedBook) WithdrawOf(ctx context.Context, of user.ID, now time.Time) error {
	return errors.Join(f.InvitationBook.WithdrawOf(ctx, of, now), f.blown())
}

func (f fusedLimits) Take(ctx context.Context, now time.Time, asks ...limit.Request) (time.Duration, error) {
	if err := f.blown(); err != nil {
		return 0, err
	}
	return f.Limits.Take(ctx, now, asks...)
}

func (f fusedLimits) Forget(ctx context.Context, name string) error {
	return errors.Join(f.blown(), f.Limits.Forget(ctx, name))
}

func (f fusedHasher) Hash(ctx context.Context, p user.Password) (string, error) {
	if err := f.blown(); err != nil {
		return "", err
	}
	return f.Hasher.Hash(ctx, p)
}

func (f fusedHasher) Verify(ctx context.Context, hash string, p user.Password) (bool, bool, error) {
	if err := f.blown(); err != nil {
		return false, false, err
	}
	return f.Hasher.Verify(ctx, hash, p)
}

func (f fusedTokens) Sign(c auth.Claims) (string, error) {
	if err := f.blown(); err != nil {
		return "", err
	}
	return f.Tokens.Sign(c)
}

func (f fusedSessions) Begin(ctx context.Context, s session.Session, keep int, trace func(bool) auth.Trace) error {
	if err := f.blown(); err != nil {
		return err
	}
	return f.SessionStore.Begin(ctx, s, keep, trace)
}

func (f fusedSessions) Find(ctx context.Context, of user.ID, id user.SessionID) (session.Session, error) {
	if err := f.blown(); err != nil {
		return session.Session{}, err
	}
	return f.SessionStore.Find(ctx, of, id)
}

func (f fusedSessions) Of(ctx context.Context, of user.ID) ([]session.Session, error) {
	if err := f.blown(); err != nil {
		return nil, err
	}
	return f.SessionStore.Of(ctx, of)
}

func (f fusedSessions) Rotate(ctx context.Context, p auth.Presented, theft func(session.Session) auth.Trace) (session.Session, session.Outcome, error) {
	if err := f.blown(); err != nil {
		return session.Session{}, 0, err
	}
	return f.SessionLineage.Rotate(ctx, p, theft)
}

func (f fusedSessions) See(ctx context.Context, of user.ID, id user.SessionID, s auth.Sighting) error {
	return errors.Join(f.blown(), f.SessionLineage.See(ctx, of, id, s))
}

func (f fusedSessions) End(ctx context.Context, of user.ID, ids []user.SessionID, now time.Time, t auth.Trace) (int, error) {
	if err := f.blown(); err != nil {
		return 0, err
	}
	return f.SessionEnds.End(ctx, of, ids, now, t)
}

func (f fusedSessions) Move(ctx context.Context, of user.ID, id user.SessionID, from, to int64) error {
	return errors.Join(f.blown(), f.SessionEnds.Move(ctx, of, id, from, to))
}

// fused is a kit whose ports blow when the fuse does.
func fused(t *testing.T, f *fuse) *authkit.Kit {
	return authkit.New(t, inMemory(t), func(p *auth.Ports, _ *auth.Config) {
		s := fusedSessions{p.Sessions, p.Lineage, p.Ends, f}
		p.Directory, p.Database = fusedDirectory{p.Directory, f}, fusedDatabase{p.Database, f}
		p.Limits, p.Hasher, p.Tokens = fusedLimits{p.Limits, f}, fusedHasher{p.Hasher, f}, fusedTokens{p.Tokens, f}
		p.Sessions, p.Lineage, p.Ends = s, s, s
	})
}
