package account

import (
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// Over returns the same use cases over another view of the storage, whose hooks differ.
func (s *Users) Over(in auth.Storage) *Users {
	d, u := *s.Deps, *s.unit
	d.Storage, u.Deps = in, &d
	return &Users{&u}
}

// Suspend keeps a user from signing in until Unsuspend: it ends all sessions, mails the
// reason, unlists the user's books, cancels orders that no admin has verified, and deletes
// the codes that were mailed to them. Suspending somebody twice changes nothing; whom a directory
// has suspended, it no longer lets in. Admins only, within user.Caller.MustOutrank or, of a
// reported user, see Overseer; callers cannot suspend themselves or the last owner.
func (s *Users) Suspend(ctx context.Context, by user.Caller, id user.ID, reason string) (user.User, error) {
	by, err := s.Overseer(ctx, by, id)
	if err != nil {
		return user.User{}, err
	}
	known, err := s.findOutranked(ctx, by, id)
	if err != nil {
		return user.User{}, err
	}
	if id == by.ID {
		return user.User{}, ErrCannotSuspendSelf
	}
	if reason, err = user.CleanReason(reason); err != nil {
		return user.User{}, err
	}
	ended, err := s.ActiveSessionsEnded(ctx, known, event.EndedByAdmin, 0)
	if err != nil {
		return user.User{}, err
	}
	var u user.User
	err = s.Atomically(ctx, func(ctx context.Context, st *tx) (err error) {
		u, err = s.suspend(ctx, st, id, suspension{by: by, reason: reason, detail: reason, ended: ended})
		return err
	})
	if err == nil {
		s.revokeSupersededSessions(ctx, id)
	}
	return u, err
}

// suspension is why an account is suspended, and by whom.
type suspension struct {
	by             user.Caller
	operator       bool          // nobody with an account, but the operator or a directory
	reason, detail string        // for the user and for the audit log
	ended          []event.Event // of the user's sessions
}

func (s *Users) suspend(ctx context.Context, st *tx, id user.ID, why suspension) (user.User, error) {
	owners, err := st.LockOwners(ctx) // locked first, so that two owners cannot suspend each other
	if err != nil {
		return user.User{}, err
	}
	u, err := lockOutranked(ctx, st, why.by, id)
	if err != nil || u.SuspendedByPeople() {
		return u, err
	}
	if slices.Equal(owners, []user.ID{id}) {
		return u, ErrLastOwner
	}
	u.Directory.Inactive = false // the decision is an admin's from now on
	return s.suspendLocked(ctx, st, u, why)
}

// suspendLocked suspends an account that is locked after the owners.
func (s *Users) suspendLocked(ctx context.Context, st *tx, u user.User, why suspension) (user.User, error) {
	now := s.Now()
	u.SuspendedAt = now
	u.AdvanceEpoch(s.NextID())
	if err := st.SaveUser(ctx, u); err != nil {
		return u, err
	}
	if err := s.withdraw(ctx, st, u, user.Withdrawal{User: u.ID, SuspendedBy: why.by.ID, ByOperator: why.operator}); err != nil {
		return u, err
	}
	return u, st.RecordSideEffects(ctx, auth.SideEffects{
		AuditEntries: []audit.Entry{s.AuditEntry(why.by, "user.suspended", u.ID, why.detail)},
		Messages: []message.Message{{
			ID: s.NextID(), Kind: message.Suspended, To: u.Email, Lang: u.Lang, CreatedAt: now,
			Params: map[string]string{message.ParamReason: why.reason},
		}},
		Events: append(s.StampEvents(event.OfUser(event.UserSuspended, u.ID)), why.ended...), Logouts: s.LogoutOfAll(u.ID),
	})
}

// withdraw informs the other components that a user may not sign in any more, and deletes the
// codes that were mailed.
func (d *unit) withdraw(ctx context.Context, st *tx, u user.User, w user.Withdrawal) error {
	if err := st.WithdrawUser(ctx, w, d.Now()); err != nil {
		return err
	}
	return st.DeleteChallenges(ctx, u.Email, 0, challenge.PasswordReset, challenge.SignInCode)
}

// Unsuspend lets a user sign in again. Unlisted books stay unlisted: their seller decides.
// Admins only, within the bounds of Suspend.
func (s *Users) Unsuspend(ctx context.Context, by user.Caller, id user.ID) (u user.User, err error) {
	if err := by.MustBe(user.Admin); err != nil {
		return user.User{}, err
	}
	if by, err = s.Overseer(ctx, by, id); err != nil {
		return user.User{}, err
	}
	err = s.Atomically(ctx, func(ctx context.Context, st *tx) (err error) {
		if u, err = lockOutranked(ctx, st, by, id); err != nil || !u.Suspended() {
			return err
		}
		u, err = s.unsuspendLocked(ctx, st, u, by, "")
		return err
	})
	return u, err
}

func (s *Users) unsuspendLocked(ctx context.Context, st *tx, u user.User, by user.Caller, detail string) (user.User, error) {
	u.SuspendedAt, u.Directory.Inactive = time.Time{}, false
	if err := st.SaveUser(ctx, u); err != nil {
		return u, err
	}
	return u, st.RecordSideEffects(ctx, auth.SideEffects{AuditEntries: []audit.Entry{s.AuditEntry(by, "user.unsuspended", u.ID, detail)}})
}
