package signin

import (
	"context"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/user"
)

// verifyCredentials returns the account with this address and password. It counts the
// attempt before it compares the password, so that concurrent guesses cannot exceed the
// limit, and resets the count when the password was right.
func (s *SignIns) verifyCredentials(ctx context.Context, in Request) (user.User, error) {
	attempt := auth.RequestFrom("sign-ins", s.Rules.SignIns, in.From)
	email, err := user.ParseEmail(in.Email)
	typed, ok := user.TypedPassword(in.Password)
	if err != nil || !ok {
		if err := s.AllowRequests(ctx, attempt); err != nil {
			return user.User{}, err
		}
		return user.User{}, s.wrongCredentials()
	}
	name := auth.FailuresKey(email, in.From)
	release, err := s.attempts.acquire(ctx, name)
	if err != nil {
		return user.User{}, err
	}
	defer release()
	if err := s.AllowRequests(ctx, attempt, limit.Request{Name: name, Rule: s.Rules.SignInFailures}); err != nil {
		s.RecordLimited(ctx, err, email, in.From)
		return user.User{}, err
	}
	u, err := s.findByCredentials(ctx, email, typed, in.From)
	if err != nil {
		return user.User{}, err
	}
	return u, s.RateLimiter.ResetLimit(ctx, name)
}

// findByCredentials returns the verified account with this address and password.
func (s *SignIns) findByCredentials(ctx context.Context, email user.Email, typed []user.Password, from user.ClientInfo) (user.User, error) {
	u, _, err := auth.Optional(s.Storage.FindUserByEmail(ctx, email))
	if err != nil {
		return user.User{}, err
	}
	right, outdated, err := s.VerifyPassword(ctx, u.PasswordHash, typed)
	if err != nil {
		return user.User{}, err
	}
	right = right && u.Verified && s.PasswordCounts(u) // one that does not count is a wrong one, and reveals as little
	if err := s.throttle(ctx, email, right, from); err != nil {
		return user.User{}, err
	}
	if !right {
		return user.User{}, s.wrongCredentials()
	}
	if outdated {
		s.rehash(ctx, u, typed[0])
	}
	return u, nil
}

// wrongCredentials is one answer for every reason.
func (s *SignIns) wrongCredentials() error {
	if s.ExternalOnly {
		return auth.ErrExternalOnly
	}
	return auth.ErrInvalidCredentials
}

// rehash stores the password's hash with today's cost, unless the password was changed
// in the meantime. A failure is only logged: the next sign-in tries again.
func (s *SignIns) rehash(ctx context.Context, u user.User, p user.Password) {
	hash, err := s.Hasher.HashPassword(ctx, p)
	if err == nil {
		err = s.Storage.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
			now, err := st.LockUser(ctx, u.ID)
			if err != nil || now.PasswordHash != u.PasswordHash {
				return err
			}
			now.PasswordHash = hash
			return st.SaveUser(ctx, now)
		})
	}
	if err != nil {
		s.Log.WarnContext(ctx, "could not rehash a password", "user", u.ID.String(), "error", err)
	}
}
