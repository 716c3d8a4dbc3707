package account

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/user"
)

// SetLabels replaces the roles or groups, or both, that admins have given a user. Those that the rules of a service have
// given stay. Admins only, within user.Caller.MustOutrank.
func (s *Users) SetLabels(ctx context.Context, by user.Caller, id user.ID, names map[user.LabelKind][]string) (u user.User, err error) {
	if err := by.MustBe(user.Admin); err != nil {
		return user.User{}, err
	}
	clean := map[user.LabelKind][]string{}
	for kind, typed := range names {
		if clean[kind], err = user.CleanLabels(typed); err != nil {
			return user.User{}, err
		}
	}
	err = s.Atomically(ctx, func(ctx context.Context, st *tx) (err error) {
		if u, err = lockOutranked(ctx, st, by, id); err != nil {
			return err
		}
		var effects auth.SideEffects
		for _, kind := range slices.Sorted(maps.Keys(clean)) {
			if err := st.SetLabels(ctx, id, kind, "", clean[kind]); err != nil {
				return err
			}
			effects.AuditEntries = append(effects.AuditEntries, s.AuditEntry(by, labelActions[kind], id, strings.Join(clean[kind], ", ")))
		}
		return st.RecordSideEffects(ctx, effects)
	})
	return u, err
}

// labelActions are the actions of the audit log.
var labelActions = map[user.LabelKind]string{user.RoleLabel: "user.roles_set", user.GroupLabel: "user.groups_set"}

// LabelsOf returns a user's roles and groups, whoever gave them: for the user, for those who may see the user, and for
// applications with the scope.
func (s *Users) LabelsOf(ctx context.Context, of user.ID) ([]user.Label, error) {
	return s.Storage.ListLabels(ctx, of)
}
