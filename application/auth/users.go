package auth

import (
	"context"
	"fmt"
	"slices"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// Users reads and changes accounts: one's own, and for admins those of others.
type Users struct{ *deps }

// maxDeleted bounds how many accounts are deleted in one step.
const maxDeleted = 100

// Me is the caller's own account.
func (p *Users) Me(ctx context.Context, by user.Caller) (user.User, error) {
	if !by.SignedIn() {
		return user.User{}, user.ErrUnauthenticated
	}
	return p.Users.FindUser(ctx, by.ID)
}

// UpdateProfile changes some fields of the caller's student profile. The first
// profile must be whole and demands a .edu address.
func (p *Users) UpdateProfile(ctx context.Context, by user.Caller, change ProfileChange) (user.User, error) {
	if !by.SignedIn() {
		return user.User{}, user.ErrUnauthenticated
	}
	var u user.User
	err := p.Database.Atomically(ctx, func(ctx context.Context, st Stores) error {
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

// apply returns the profile with what is to change; nil is an empty one.
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

// Find is an account, for its owner and for admins.
func (p *Users) Find(ctx context.Context, by user.Caller, id user.ID) (user.User, error) {
	if by.ID != id || !by.SignedIn() {
		if err := by.MustBe(user.Admin); err != nil {
			return user.User{}, err
		}
	}
	return p.Users.FindUser(ctx, id)
}

// SetRole gives a person another role, from the next request on and without
// ending a session. Owners; ErrLastOwner if nobody would be one.
func (p *Users) SetRole(ctx context.Context, by user.Caller, id user.ID, role user.Role) (user.User, error) {
	return p.changeRole(ctx, by, id, func(user.Role) (user.Role, error) { return role, nil })
}

// MakeAdmin makes an admin of a person who is less, and nothing of anybody else.
// Owners.
func (p *Users) MakeAdmin(ctx context.Context, by user.Caller, id user.ID) (user.User, error) {
	return p.changeRole(ctx, by, id, func(now user.Role) (user.Role, error) { return max(now, user.Admin), nil })
}

// RevokeAdmin makes an admin a regular user; ErrIsOwner for an owner. Owners.
func (p *Users) RevokeAdmin(ctx context.Context, by user.Caller, id user.ID) (user.User, error) {
	return p.changeRole(ctx, by, id, func(now user.Role) (user.Role, error) {
		if now == user.Owner {
			return now, ErrIsOwner
		}
		return user.Regular, nil
	})
}

// changeRole sets the role that follows from the one that a person has, and
// notes it if it is another.
func (p *Users) changeRole(ctx context.Context, by user.Caller, id user.ID, next func(now user.Role) (user.Role, error)) (user.User, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return user.User{}, err
	}
	var u user.User
	err := p.Database.Atomically(ctx, func(ctx context.Context, st Stores) error {
		var changed bool
		var err error
		if u, changed, err = p.setRole(ctx, st, id, next); err != nil || !changed {
			return err
		}
		return st.SideEffects.RecordSideEffects(ctx, SideEffects{AuditEntries: []audit.Entry{p.auditEntry(by, "user.role_set", id, fmt.Sprintf("role %d", u.Role))}})
	})
	return u, err
}

func (p *Users) setRole(ctx context.Context, st Stores, id user.ID, next func(now user.Role) (user.Role, error)) (u user.User, changed bool, err error) {
	owners, err := st.Users.LockOwners(ctx) // before any other lock, so that two owners cannot demote each other
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

// Promote sets a role on behalf of who runs the program; user.ErrNotFound if the
// address has no account.
func (p *Users) Promote(ctx context.Context, email string, role user.Role) (user.User, error) {
	address, err := user.ParseEmail(email)
	if err != nil {
		return user.User{}, err
	}
	known, err := p.Users.FindUserByEmail(ctx, address)
	if err != nil {
		return user.User{}, err
	}
	var u user.User
	err = p.Database.Atomically(ctx, func(ctx context.Context, st Stores) error {
		var changed bool
		var err error
		u, changed, err = p.setRole(ctx, st, known.ID, func(user.Role) (user.Role, error) { return role, nil })
		if err != nil || !changed {
			return err
		}
		e := p.auditEntry(user.Caller{}, "user.role_set", u.ID, fmt.Sprintf("role %d, by the operator", role))
		return st.SideEffects.RecordSideEffects(ctx, SideEffects{AuditEntries: []audit.Entry{e}})
	})
	return u, err
}

// SetPassword gives a person another password, ends their sessions and tells
// them. Admins, within user.Caller.MustOutrank.
func (p *Users) SetPassword(ctx context.Context, by user.Caller, id user.ID, password string) error {
	u, err := p.findOutranked(ctx, by, id)
	if err != nil {
		return err
	}
	next, err := user.NewPassword(password, u.Email)
	if err != nil {
		return err
	}
	hash, err := p.Hasher.HashPassword(ctx, next)
	if err != nil {
		return err
	}
	err = p.Database.Atomically(ctx, func(ctx context.Context, st Stores) error {
		u, err := st.Users.LockUser(ctx, id)
		if err != nil {
			return err
		}
		if err := by.MustOutrank(u); err != nil {
			return err
		}
		return p.replacePassword(ctx, st, u, hash, p.IDs.Next(), p.auditEntry(by, "user.password_set", id, ""))
	})
	if err == nil {
		p.deleteDeadSessions(ctx, id)
	}
	return err
}

// findOutranked finds somebody on whom the caller may act.
func (p *Users) findOutranked(ctx context.Context, by user.Caller, id user.ID) (user.User, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return user.User{}, err
	}
	u, err := p.Users.FindUser(ctx, id)
	if err != nil {
		return u, err
	}
	return u, by.MustOutrank(u)
}

// EndSessions ends all sessions of a person and says how many those were.
// Admins, within user.Caller.MustOutrank.
func (p *Users) EndSessions(ctx context.Context, by user.Caller, id user.ID) (int, error) {
	u, err := p.findOutranked(ctx, by, id)
	if err != nil {
		return 0, err
	}
	live, err := p.activeSessions(ctx, u)
	if err != nil {
		return 0, err
	}
	err = p.Database.Atomically(ctx, func(ctx context.Context, st Stores) error {
		u, err := st.Users.LockUser(ctx, id)
		if err != nil {
			return err
		}
		if err := by.MustOutrank(u); err != nil {
			return err
		}
		u.AdvanceEpoch(p.IDs.Next())
		if err := st.Users.SaveUser(ctx, u); err != nil {
			return err
		}
		return st.SideEffects.RecordSideEffects(ctx, SideEffects{AuditEntries: []audit.Entry{p.auditEntry(by, "user.sessions_ended", id, text.Count(len(live), "session", "sessions"))}})
	})
	if err != nil {
		return 0, err
	}
	p.deleteDeadSessions(ctx, id)
	return len(live), nil
}

// Delete erases people, all or none, and says how many. Their ids stay where
// others refer to them. Admins, within user.Caller.MustOutrank; not oneself.
func (p *Users) Delete(ctx context.Context, by user.Caller, ids []user.ID) (int, error) {
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
	addresses, err := p.addresses(ctx, ids)
	if err != nil {
		return 0, err
	}
	err = p.Database.WithAddressLock(ctx, addresses, func(ctx context.Context, st Stores) error {
		return p.erase(ctx, st, by, ids)
	})
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		p.deleteDeadSessions(ctx, id)
	}
	return len(ids), nil
}

// addresses are those of people, which they keep as long as they have an account.
func (p *Users) addresses(ctx context.Context, of []user.ID) ([]user.Email, error) {
	all := make([]user.Email, len(of))
	for i, id := range of {
		u, err := p.Users.FindUser(ctx, id)
		if err != nil {
			return nil, err
		}
		all[i] = u.Email
	}
	return all, nil
}

func (p *Users) erase(ctx context.Context, st Stores, by user.Caller, ids []user.ID) error {
	owners, err := st.Users.LockOwners(ctx)
	if err != nil {
		return err
	}
	var t SideEffects
	for _, id := range ids {
		u, err := st.Users.LockUser(ctx, id)
		if err != nil {
			return err
		}
		if err := by.MustOutrank(u); err != nil {
			return err
		}
		t.AuditEntries = append(t.AuditEntries, p.auditEntry(by, "user.deleted", id, ""))
	}
	if len(owners) > 0 && !slices.ContainsFunc(owners, func(o user.ID) bool { return !slices.Contains(ids, o) }) {
		return ErrLastOwner
	}
	if err := st.Users.EraseUsers(ctx, ids, p.Clock.Now()); err != nil {
		return err
	}
	return st.SideEffects.RecordSideEffects(ctx, t)
}
