package external

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/user"
)

// applyGrants gives a user what the rules of a service give for its claims of now, and takes away what they gave at an earlier
// sign-in and give no more. Most sign-ins change nothing, and write nothing. The error is challenge.ErrCeremonyInvalid if the
// account has ended its sessions since the identity was found: its owner may have removed the identity.
func (i *Identities) applyGrants(
	ctx context.Context, u user.User, service string, g identity.Grants, from user.ClientInfo,
) (user.User, error) {
	has, err := i.Storage.ListLabels(ctx, u.ID)
	if err != nil {
		return u, err
	}
	same := func(kind user.LabelKind, names []string) bool {
		return slices.Equal(labelsFrom(has, service, kind), names)
	}
	if probe := u; same(user.RoleLabel, g.Roles) && same(user.GroupLabel, g.Groups) && !probe.RuleAdmin(service, g.Admin, g.Campus) {
		return u, nil
	}
	known := u
	err = i.Atomically(ctx, func(ctx context.Context, st *tx) (err error) {
		var exists bool
		if u, exists, err = auth.Optional(st.LockUser(ctx, known.ID)); err != nil {
			return err
		}
		if !exists || u.Epoch != known.Epoch {
			return challenge.ErrCeremonyInvalid
		}
		by := user.Caller{From: from}
		entries := []audit.Entry{
			i.AuditEntry(by, "user.labels_set", u.ID, service+": "+strings.Join(append(slices.Clone(g.Roles), g.Groups...), ", ")),
		}
		if u.RuleAdmin(service, g.Admin, g.Campus) {
			entries = append(entries, i.AuditEntry(
				by, "user.role_set", u.ID, strings.TrimSpace(fmt.Sprintf("role %d, by the rules of %s %s", u.Role, service, g.Campus)),
			))
			if err := st.SaveUser(ctx, u); err != nil {
				return err
			}
		}
		for kind, names := range map[user.LabelKind][]string{user.RoleLabel: g.Roles, user.GroupLabel: g.Groups} {
			if err := st.SetLabels(ctx, u.ID, kind, service, names); err != nil {
				return err
			}
		}
		return st.RecordSideEffects(ctx, auth.SideEffects{AuditEntries: entries})
	})
	return u, err
}

// labelsFrom returns the names that a service gave, in alphabetical order.
func labelsFrom(all []user.Label, service string, kind user.LabelKind) (names []string) {
	for _, l := range all {
		if l.Source == service && l.Kind == kind {
			names = append(names, l.Name)
		}
	}
	slices.Sort(names)
	return names
}
