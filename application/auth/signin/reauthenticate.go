package signin

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Proof is what a user enters to prove their identity again.
type Proof struct {
	Password *string // nil only for an account without one
	Code     string  // of the second factor, or from a sign-in mail for an account without a password
}

// Reauthenticate proves the caller's identity within the session for
// session.ProofLifetime: by the password and, if it is on, the second factor; an account
// without a password needs the code of a sign-in mail. Failures count like failed sign-ins. A
// wrong password is ErrWrongPassword, a wrong code challenge.ErrCodeInvalid. For an application it is
// user.ErrForbidden: it would learn the password.
func (s *SignIns) Reauthenticate(ctx context.Context, by user.Caller, p Proof) error {
	if err := by.MustBeInPerson(); err != nil {
		return err
	}
	u, err := s.Storage.FindUser(ctx, by.ID)
	if err != nil {
		return err
	}
	methods, err := s.verifyProof(ctx, u, p, by.From)
	if err != nil {
		return err
	}
	err = s.Sessions.ProveSession(ctx, by.ID, by.Session, methods, s.Now())
	if errors.Is(err, session.ErrNotFound) {
		return user.ErrUnauthenticated // it was revoked in the meantime
	}
	if err != nil {
		return err
	}
	return s.Storage.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		return st.RecordSideEffects(ctx, auth.SideEffects{
			AuditEntries: []audit.Entry{s.AuditEntry(by, "session.proved", u.ID, "session "+by.Session.String())},
		})
	})
}

func (s *SignIns) verifyProof(ctx context.Context, u user.User, p Proof, from user.ClientInfo) (session.Methods, error) {
	if !s.PasswordCounts(u) {
		_, err := s.verifySignInCode(ctx, u.Email, p.Code, from)
		return session.MailedCode, err
	}
	if p.Password == nil {
		return "", auth.ErrPasswordMissing
	}
	if err := s.VerifyCurrent(ctx, u, *p.Password, from); err != nil {
		return "", err
	}
	on, err := s.Hooks.ProveSecondFactor(ctx, u, p.Code, from)
	if on {
		return session.Password.WithSecondFactor(), err
	}
	return session.Password, err
}
