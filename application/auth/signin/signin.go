// Package signin is the room in which people prove who they are: with a password, with a mailed code, and
// again within a session.
package signin

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Room has the use cases of the room.
type Room struct {
	SignIns *SignIns
}

// New returns the use cases.
func New(d *auth.Deps) *Room {
	s := &SignIns{Deps: d}
	d.Hooks.SignIn, d.Hooks.Admit = s.complete, s.admit
	return &Room{SignIns: s}
}

// SignIns signs people in.
type SignIns struct {
	*auth.Deps
	attempts keyedSemaphore // of sign-ins, by auth.FailuresKey
}

// Request is the input of SignIns.SignIn.
type Request struct {
	Email, Password string
	Remember        bool
	Strong          bool // see auth.Authentication
	From            user.ClientInfo
}

// SignIn starts a session. Together with the second factor, if there is one, it is a recent proof of
// identity. The error is ErrInvalidCredentials for a wrong password, an
// unknown or unconfirmed address and an account without a password, all after the same
// work; it is limit.ErrExceeded after too many failures for one address from one
// client, and ErrSignInsThrottled after too many from all clients.
func (s *SignIns) SignIn(ctx context.Context, in Request) (auth.TokenPair, error) {
	u, err := s.verifyCredentials(ctx, in)
	if err != nil {
		return auth.TokenPair{}, err
	}
	return s.Hooks.SignIn(ctx, auth.Authentication{
		User: u, Factors: 1, Fresh: true, Methods: session.Password, Strong: in.Strong, Remember: in.Remember, From: in.From,
	})
}

// complete is Hooks.SignIn.
func (s *SignIns) complete(ctx context.Context, a auth.Authentication) (auth.TokenPair, error) {
	if err := s.Hooks.RequireSecondFactor(ctx, &a); err != nil {
		return auth.TokenPair{}, err
	}
	return s.admit(ctx, a)
}

// admit is Hooks.Admit.
func (s *SignIns) admit(ctx context.Context, a auth.Authentication) (auth.TokenPair, error) {
	switch {
	case a.User.Suspended():
		return auth.TokenPair{}, user.ErrSuspended
	case s.ExternalOnly && !a.External && !a.User.BreaksGlass(): // as well a sign-in that began under another setting
		return auth.TokenPair{}, auth.ErrExternalOnly
	}
	if a.User.Leaving() {
		if err := s.keepOnSignIn(ctx, a); err != nil {
			return auth.TokenPair{}, err
		}
		a.User.DeleteAt = time.Time{}
	}
	return s.Hooks.StartSession(ctx, a)
}

// keepOnSignIn undoes Leave for a user who has proved their identity. The error is
// ErrInvalidCredentials if the account has changed so that the proof no longer counts.
func (s *SignIns) keepOnSignIn(ctx context.Context, a auth.Authentication) error {
	return s.Storage.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		u, exists, err := auth.Optional(st.LockUser(ctx, a.User.ID))
		switch {
		case err != nil:
			return err
		case !exists || u.Epoch != a.User.Epoch:
			return auth.ErrInvalidCredentials
		case !u.Leaving():
			return nil
		}
		return s.KeepAccount(ctx, st, u, user.Caller{ID: u.ID, From: a.From})
	})
}
