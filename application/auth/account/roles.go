package account

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/user"
)

// SetRole changes a user's role with effect from the next request; sessions stay.
// Owners only; ErrLastOwner if no owner would be left.
func (s *Users) SetRole(ctx context.Context, by user.Caller, id user.ID, role user.Role) (user.User, error) {
	return s.changeRole(ctx, by, id, func(user.Role) (user.Role, error) { return role, nil })
}

// MakeAdmin makes a regular user an admin and leaves admins and owners as they are.
// Owners only.
func (s *Users) MakeAdmin(ctx context.Context, by user.Caller, id user.ID) (user.User, error) {
	return s.changeRole(ctx, by, id, func(now user.Role) (user.Role, error) { return max(now, user.Admin), nil })
}

// RevokeAdmin makes an admin a regular user; ErrIsOwner for an owner. Owners only.
func (s *Users) RevokeAdmin(ctx context.Context, by user.Caller, id user.ID) (user.User, error) {
	return s.changeRole(ctx, by, id, func(now user.Role) (user.Role, error) {
		if now == user.Owner {
			return now, ErrIsOwner
		}
		return user.Regular, nil
	})
}

// changeRole sets the role that next derives from the current one and records the
// change, if there is one.
func (s *Users) changeRole(
	ctx context.Context, by user.Caller, id user.ID, next func(now user.Role) (user.Role, error),
) (user.User, error) {
	if err := errors.Join(by.MustNotBeToken(), by.MustBe(user.Owner)); err != nil {
		return user.User{}, err
	}
	var u user.User
	err := s.Atomically(ctx, func(ctx context.Context, st *tx) error {
		var changed bool
		var err error
		if u, changed, err = s.setRole(ctx, st, id, next); err != nil || !changed {
			return err
		}
		return st.RecordSideEffects(
			ctx, auth.SideEffects{AuditEntries: []audit.Entry{s.AuditEntry(by, "user.role_set", id, fmt.Sprintf("role %d", u.Role))}},
		)
	})
	return u, err
}

func (s *Users) setRole(
	ctx context.Context, st *tx, id user.ID, next func(now user.Role) (user.Role, error),
) (u user.User, changed bool, err error) {
	owners, err := st.LockOwners(ctx) // locked first, so that two owners cannot demote each other
	if err != nil {
		return u, false, err
	}
	if u, err = st.LockUser(ctx, id); err != nil {
		return u, false, err
	}
	role, err := next(u.Role)
	switch {
	case err != nil || role == u.Role && (u.AdminBy == "" || role != user.Admin):
		return u, false, err
	case role < user.Regular || role > user.Owner:
		return u, false, user.ErrRoleInvalid
	case slices.Equal(owners, []user.ID{id}):
		return u, false, ErrLastOwner
	}
	u.SetRole(role)
	u.BreakGlass = u.BreaksGlass() // it does not come back with the role
	return u, true, st.SaveUser(ctx, u)
}

// Promote sets a role for the operator of the program, who needs no account;
// user.ErrNotFound if the address has no account.
func (s *Users) Promote(ctx context.Context, email string, role user.Role) (user.User, error) {
	address, err := user.ParseEmail(email)
	if err != nil {
		return user.User{}, err
	}
	known, err := s.Storage.FindUserByEmail(ctx, address)
	if err != nil {
		return user.User{}, err
	}
	var u user.User
	err = s.Atomically(ctx, func(ctx context.Context, st *tx) error {
		var changed bool
		var err error
		u, changed, err = s.setRole(ctx, st, known.ID, func(user.Role) (user.Role, error) { return role, nil })
		if err != nil || !changed {
			return err
		}
		e := s.AuditEntry(user.Caller{}, "user.role_set", u.ID, fmt.Sprintf("role %d, by the operator", role))
		return st.RecordSideEffects(ctx, auth.SideEffects{AuditEntries: []audit.Entry{e}})
	})
	return u, err
}
