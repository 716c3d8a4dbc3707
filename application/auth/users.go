package auth

import (
	"context"
	"fmt"
	"slices"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// Users reads and changes accounts: the caller's own and, for admins, those of others.
type Users struct{ *deps }

// maxDeleted limits how many accounts one call deletes.
const maxDeleted = 100

// Me returns the caller's own account.
func (s *Users) Me(ctx context.Context, by user.Caller) (user.User, error) {
	if !by.SignedIn() {
		return user.User{}, user.ErrUnauthenticated
	}
	return s.Users.FindUser(ctx, by.ID)
}

// UpdateProfile changes fields of the caller's student profile. The first profile must
// be complete and requires a .edu address.
func (s *Users) UpdateProfile(ctx context.Context, by user.Caller, change ProfileChange) (user.User, error) {
	if !by.SignedIn() {
		return user.User{}, user.ErrUnauthenticated
	}
	var u user.User
	err := s.Database.Atomically(ctx, func(ctx context.Context, st Stores) error {
		var err error
		if u, err = st.Users.LockUser(ctx, by.ID); err != nil {
			return err
		}
		if u.Profile == nil && !u.Email.IsEdu() {
			return user.ErrEduNeeded
		}
		profile, err := change.apply(u.Profile).Clean()
		if err != nil {
			return err
		}
		u.Profile = &profile
		return st.Users.SaveUser(ctx, u)
	})
	return u, err
}

// apply returns the profile with the changes; a nil profile is an empty one.
func (c ProfileChange) apply(to *user.Profile) user.Profile {
	var p user.Profile
	if to != nil {
		p = *to
	}
	for _, f := range []struct{ from, to *string }{
		{c.FirstName, &p.FirstName},
		{c.LastName, &p.LastName},
		{c.University, &p.University},
		{c.CampusMailbox, &p.CampusMailbox},
		{c.PaymentUsername, &p.PaymentUsername},
	} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	return p
}

// Find returns an account. Only its owner and admins may call it.
func (s *Users) Find(ctx context.Context, by user.Caller, id user.ID) (user.User, error) {
	if by.ID != id || !by.SignedIn() {
		if err := by.MustBe(user.Admin); err != nil {
			return user.User{}, err
		}
	}
	return s.Users.FindUser(ctx, id)
}

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
func (s *Users) changeRole(ctx context.Context, by user.Caller, id user.ID, next func(now user.Role) (user.Role, error)) (user.User, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return user.User{}, err
	}
	var u user.User
	err := s.Database.Atomically(ctx, func(ctx context.Context, st Stores) error {
		var changed bool
		var err error
		if u, changed, err = s.setRole(ctx, st, id, next); err != nil || !changed {
			return err
		}
		return st.SideEffects.RecordSideEffects(ctx, SideEffects{AuditEntries: []audit.Entry{s.auditEntry(by, "user.role_set", id, fmt.Sprintf("role %d", u.Role))}})
	})
	return u, err
}

func (s *Users) setRole(ctx context.Context, st Stores, id user.ID, next func(now user.Role) (user.Role, error)) (u user.User, changed bool, err error) {
	owners, err := st.Users.LockOwners(ctx) // locked first, so that two owners cannot demote each other
	if err != nil {
		return u, false, err
	}
	if u, err = st.Users.LockUser(ctx, id); err != nil {
		return u, false, err
	}
	role, err := next(u.Role)
	switch {
	case err != nil || role == u.Role:
		return u, false, err
	case role < user.Regular || role > user.Owner:
		return u, false, user.ErrRoleInvalid
	case slices.Equal(owners, []user.ID{id}):
		return u, false, ErrLastOwner
	}
	u.Role = role
	return u, true, st.Users.SaveUser(ctx, u)
}

// Promote sets a role for the operator of the program, who needs no account;
// user.ErrNotFound if the address has no account.
func (s *Users) Promote(ctx context.Context, email string, role user.Role) (user.User, error) {
	address, err := user.ParseEmail(email)
	if err != nil {
		return user.User{}, err
	}
	known, err := s.Users.FindUserByEmail(ctx, address)
	if err != nil {
		return user.User{}, err
	}
	var u user.User
	err = s.Database.Atomically(ctx, func(ctx context.Context, st Stores) error {
		var changed bool
		var err error
		u, changed, err = s.setRole(ctx, st, known.ID, func(user.Role) (user.Role, error) { return role, nil })
		if err != nil || !changed {
			return err
		}
		e := s.auditEntry(user.Caller{}, "user.role_set", u.ID, fmt.Sprintf("role %d, by the operator", role))
		return st.SideEffects.RecordSideEffects(ctx, SideEffects{AuditEntries: []audit.Entry{e}})
	})
	return u, err
}

// SetPassword replaces a user's password, revokes the sessions and notifies the user.
// Admins only, within user.Caller.MustOutrank.
func (s *Users) SetPassword(ctx context.Context, by user.Caller, id user.ID, password string) error {
	u, err := s.findOutranked(ctx, by, id)
	if err != nil {
		return err
	}
	next, err := user.NewPassword(password, u.Email)
	if err != nil {
		return err
	}
	hash, err := s.Hasher.HashPassword(ctx, next)
	if err != nil {
		return err
	}
	err = s.Database.Atomically(ctx, func(ctx context.Context, st Stores) error {
		u, err := st.Users.LockUser(ctx, id)
		if err != nil {
			return err
		}
		if err := by.MustOutrank(u); err != nil {
			return err
		}
		return s.replacePassword(ctx, st, u, hash, s.IDs.Next(), s.auditEntry(by, "user.password_set", id, ""))
	})
	if err == nil {
		s.revokeSupersededSessions(ctx, id)
	}
	return err
}

// findOutranked returns a user whom the caller may administrate.
func (s *Users) findOutranked(ctx context.Context, by user.Caller, id user.ID) (user.User, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return user.User{}, err
	}
	u, err := s.Users.FindUser(ctx, id)
	if err != nil {
		return u, err
	}
	return u, by.MustOutrank(u)
}

// EndSessions revokes all sessions of a user and returns their number. Admins only,
// within user.Caller.MustOutrank.
func (s *Users) EndSessions(ctx context.Context, by user.Caller, id user.ID) (int, error) {
	u, err := s.findOutranked(ctx, by, id)
	if err != nil {
		return 0, err
	}
	active, err := s.activeSessions(ctx, u)
	if err != nil {
		return 0, err
	}
	err = s.Database.Atomically(ctx, func(ctx context.Context, st Stores) error {
		u, err := st.Users.LockUser(ctx, id)
		if err != nil {
			return err
		}
		if err := by.MustOutrank(u); err != nil {
			return err
		}
		u.AdvanceEpoch(s.IDs.Next())
		if err := st.Users.SaveUser(ctx, u); err != nil {
			return err
		}
		return st.SideEffects.RecordSideEffects(ctx, SideEffects{AuditEntries: []audit.Entry{s.auditEntry(by, "user.sessions_ended", id, text.Count(len(active), "session", "sessions"))}})
	})
	if err != nil {
		return 0, err
	}
	s.revokeSupersededSessions(ctx, id)
	return len(active), nil
}

// Delete erases users, all or none, and returns their number. Their ids remain where
// other records refer to them. Admins only, within user.Caller.MustOutrank; callers
// cannot delete themselves.
func (s *Users) Delete(ctx context.Context, by user.Caller, ids []user.ID) (int, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return 0, err
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	switch {
	case len(ids) == 0:
		return 0, nil
	case len(ids) > maxDeleted:
		return 0, ErrTooMany
	case slices.Contains(ids, by.ID):
		return 0, ErrCannotDeleteSelf
	}
	addresses, err := s.addresses(ctx, ids)
	if err != nil {
		return 0, err
	}
	err = s.Database.WithAddressLock(ctx, addresses, func(ctx context.Context, st Stores) error {
		return s.erase(ctx, st, by, ids)
	})
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		s.revokeSupersededSessions(ctx, id)
	}
	return len(ids), nil
}

// addresses returns the users' addresses, which never change.
func (s *Users) addresses(ctx context.Context, of []user.ID) ([]user.Email, error) {
	all := make([]user.Email, len(of))
	for i, id := range of {
		u, err := s.Users.FindUser(ctx, id)
		if err != nil {
			return nil, err
		}
		all[i] = u.Email
	}
	return all, nil
}

func (s *Users) erase(ctx context.Context, st Stores, by user.Caller, ids []user.ID) error {
	owners, err := st.Users.LockOwners(ctx)
	if err != nil {
		return err
	}
	var effects SideEffects
	for _, id := range ids {
		u, err := st.Users.LockUser(ctx, id)
		if err != nil {
			return err
		}
		if err := by.MustOutrank(u); err != nil {
			return err
		}
		effects.AuditEntries = append(effects.AuditEntries, s.auditEntry(by, "user.deleted", id, ""))
	}
	if len(owners) > 0 && !slices.ContainsFunc(owners, func(o user.ID) bool { return !slices.Contains(ids, o) }) {
		return ErrLastOwner
	}
	if err := st.Users.EraseUsers(ctx, ids, s.Clock.Now()); err != nil {
		return err
	}
	return st.SideEffects.RecordSideEffects(ctx, effects)
}
