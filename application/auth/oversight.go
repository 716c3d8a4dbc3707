package auth

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/domain/user"
)

// Overseer returns the caller, and one who looks after a report about a user without the bound to
// one university. Only what the report is for may be done as such: to see the user, and to suspend
// the account.
func (d *Deps) Overseer(ctx context.Context, by user.Caller, of user.ID) (user.Caller, error) {
	if d.Reported == nil || by.Campus() == "" || by.Role < user.Admin {
		return by, nil
	}
	reporting, err := d.Reported(ctx, of)
	if slices.ContainsFunc(reporting, by.Oversees) {
		by.CampusOnly = false
	}
	return by, err
}

// MustOversee returns an error unless the caller is an admin of the user's university, or of one
// that looks after a report about the user.
func (d *Deps) MustOversee(ctx context.Context, by user.Caller, u user.User) error {
	by, err := d.Overseer(ctx, by, u.ID)
	if err != nil {
		return err
	}
	return by.MustOversee(u.University())
}
