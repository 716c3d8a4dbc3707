package account

import (
	"context"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// ErrNotOwner refuses to let somebody break the glass who is no owner.
var ErrNotOwner = fault.New(fault.Conflict, "bad_request", "Only an owner with a confirmed address can do this: octavo users promote makes one.")

// BreakGlassChange is what Users.BreakGlass does.
type BreakGlassChange struct {
	Off         bool // the password works no longer where everybody signs in at external services
	NewPassword bool // make a password also if there is one
}

// BreakGlass lets the password of an owner work where everybody else signs in at external services, for the
// operator of the program, who needs no account. It returns the password that it has made for an account without
// one, or because that is wanted, which ends the owner's sessions.
func (s *Users) BreakGlass(ctx context.Context, email string, c BreakGlassChange) (password string, err error) {
	address, err := user.ParseEmail(email)
	if err != nil {
		return "", err
	}
	known, err := s.Storage.FindUserByEmail(ctx, address)
	if err != nil {
		return "", err
	}
	var hash string
	var ended []event.Event
	if !c.Off && (c.NewPassword || known.PasswordHash == "") {
		if password, hash, err = s.drawPassword(ctx, known); err != nil {
			return "", err
		}
		if ended, err = s.ActiveSessionsEnded(ctx, known, event.PasswordChanged, 0); err != nil {
			return "", err
		}
	}
	err = s.Atomically(ctx, func(ctx context.Context, st *tx) error {
		return s.setBreakGlass(ctx, st, known.ID, !c.Off, hash, ended)
	})
	if err != nil {
		return "", err
	}
	s.revokeSupersededSessions(ctx, known.ID)
	return password, nil
}

func (s *Users) drawPassword(ctx context.Context, of user.User) (password, hash string, err error) {
	if password, err = challenge.NewLink(s.Random); err != nil {
		return "", "", err
	}
	checked, err := user.NewPassword(password, of.Email)
	if err != nil {
		return "", "", err
	}
	hash, err = s.Hasher.HashPassword(ctx, checked)
	return password, hash, err
}

func (s *Users) setBreakGlass(ctx context.Context, st *tx, id user.ID, on bool, hash string, ended []event.Event) error {
	u, err := st.LockUser(ctx, id)
	switch {
	case err != nil:
		return err
	case on && (u.Role != user.Owner || !u.Verified):
		return ErrNotOwner
	case u.BreakGlass == on && hash == "":
		return nil
	}
	u.BreakGlass = on
	detail := "off, by the operator"
	if on {
		detail = "on, by the operator"
	}
	e := s.AuditEntry(user.Caller{}, "user.break_glass", id, detail)
	if hash != "" {
		return s.replacePassword(ctx, st, u, hash, s.NextID(), e, ended)
	}
	if err := st.SaveUser(ctx, u); err != nil {
		return err
	}
	return st.RecordSideEffects(ctx, auth.SideEffects{AuditEntries: []audit.Entry{e}})
}
