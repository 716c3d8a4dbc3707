package auth

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Authentication is a proof of identity that entitles a user to a session.
type Authentication struct {
	User     user.User
	Factors  int  // how many factors were proved: 1 or 2
	External bool // they were proved at another service, which replaces no second factor here
	Fresh    bool // the sign-in itself counts as a recent proof, see session.Session
	// ProvedAt is when an external proof was given; zero if nobody knows.
	ProvedAt time.Time
	Remember bool
	From     user.ClientInfo

	Client, Scopes string // of an OpenID client, see session.Session
	FirstParty     bool
	Expires        time.Duration // the session ends then in any case; 0: after session.AbsoluteTimeout
}

// complete is the last step of every way to sign in: it starts a session, unless the account
// has a second factor to prove (ErrSecondFactorRequired) or must not be signed in to. The
// caller has verified the proof, so an error may reveal the state of the account.
func (s *Sessions) complete(ctx context.Context, a Authentication) (TokenPair, error) {
	needed, err := s.needsSecondFactor(ctx, &a)
	if err == nil && needed {
		err = s.awaitSecondFactor(ctx, a)
	}
	if err != nil {
		return TokenPair{}, err
	}
	return s.admit(ctx, a)
}

// admit starts a session for a user who has proved every factor, unless the account must
// not be signed in to. It cancels a planned deletion of the account.
func (s *Sessions) admit(ctx context.Context, a Authentication) (TokenPair, error) {
	if a.User.Suspended() {
		return TokenPair{}, user.ErrSuspended
	}
	if a.User.Leaving() {
		if err := s.keepOnSignIn(ctx, a); err != nil {
			return TokenPair{}, err
		}
		a.User.DeleteAt = time.Time{}
	}
	return s.start(ctx, a)
}

// MustHaveProved returns user.ErrProofNeeded unless the caller has proved their identity
// within the last session.ProofLifetime.
func (d *Deps) MustHaveProved(ctx context.Context, by user.Caller) error {
	_, err := d.ProvedSession(ctx, by)
	return err
}

func (d *Deps) ProvedSession(ctx context.Context, by user.Caller) (session.Session, error) {
	if err := by.MustBe(user.Regular); err != nil {
		return session.Session{}, err
	}
	own, err := d.Sessions.FindSession(ctx, by.ID, by.Session)
	if errors.Is(err, session.ErrNotFound) {
		return own, user.ErrUnauthenticated // it was revoked in the meantime
	}
	if err == nil && !own.RecentlyProved(d.Now()) {
		err = user.ErrProofNeeded
	}
	return own, err
}

// MustKeepSignIn returns ErrLastSignIn if a locked account has no way to sign in: no password, no
// passkey and no identity at a service of the settings. Mailed codes do not count: they would leave
// the account to whoever reads the mailbox.
func (d *Deps) MustKeepSignIn(ctx context.Context, st Stores, u user.User) error {
	if u.PasswordHash != "" {
		return nil
	}
	passkeys, err := st.LockPasskeys(ctx, u.ID)
	if err != nil || len(passkeys) > 0 {
		return err
	}
	for _, signsIn := range d.Hooks.SignsIn {
		if found, err := signsIn(ctx, st, u.ID); err != nil || found {
			return err
		}
	}
	return ErrLastSignIn
}

// LockProved locks the account of a session that ProvedSession has returned. The error is
// user.ErrUnauthenticated if the account ended its sessions in the meantime: a change that a
// thief has begun must not take effect after the owner has undone the others.
func (d *Deps) LockProved(ctx context.Context, st Stores, own session.Session) (user.User, error) {
	u, err := st.LockUser(ctx, own.User)
	if errors.Is(err, user.ErrNotFound) || err == nil && !own.Active(u.Epoch, d.Now()) {
		err = user.ErrUnauthenticated
	}
	return u, err
}
