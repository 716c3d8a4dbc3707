package account

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/user"
)

// maxDeleted limits how many accounts one call deletes.
const maxDeleted = 100

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
	err = s.WithAddressLock(ctx, addresses, func(ctx context.Context, st *tx) error {
		return s.erase(ctx, st, by, ids, addresses, func(id user.ID) audit.Entry { return s.AuditEntry(by, "user.deleted", id, "") })
	})
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		s.revokeSupersededSessions(ctx, id)
	}
	return len(ids), nil
}

// addresses returns the users' addresses.
func (s *Users) addresses(ctx context.Context, of []user.ID) ([]user.Email, error) {
	all := make([]user.Email, len(of))
	for i, id := range of {
		u, err := s.Storage.FindUser(ctx, id)
		if err != nil {
			return nil, err
		}
		all[i] = u.Email
	}
	return all, nil
}

// erase deletes users whose addresses are locked. An address that was changed since it was
// read is not: that is ErrAddressMoved.
func (s *Users) erase(
	ctx context.Context, st *tx, by user.Caller, ids []user.ID, locked []user.Email, entry func(user.ID) audit.Entry,
) error {
	owners, err := st.LockOwners(ctx)
	if err != nil {
		return err
	}
	var effects auth.SideEffects
	for _, id := range ids {
		u, err := st.LockUser(ctx, id)
		if err != nil {
			return err
		}
		if err := by.MustOutrank(u); err != nil {
			return err
		}
		if !slices.Contains(locked, u.Email) {
			return ErrAddressMoved
		}
		effects.AuditEntries = append(effects.AuditEntries, entry(id))
		// before what is needed for it is erased
		if err := st.RecordSideEffects(ctx, auth.SideEffects{Logouts: s.LogoutOfAll(id)}); err != nil {
			return err
		}
		effects.Events = append(effects.Events, s.StampEvents(event.OfUser(event.UserDeleted, id))...)
	}
	if len(owners) > 0 && !slices.ContainsFunc(owners, func(o user.ID) bool { return !slices.Contains(ids, o) }) {
		return ErrLastOwner
	}
	if err := st.EraseUsers(ctx, ids, s.Now()); err != nil {
		return err
	}
	return st.RecordSideEffects(ctx, effects)
}
