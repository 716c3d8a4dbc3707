package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/cmd/assembly"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/user"
)

type usersCommand struct {
	Promote    usersPromote    `cmd:"" help:"Make someone an admin or an owner. This creates the first owner."`
	Owner      usersOwner      `cmd:"" help:"Print a link that opens an account which is an owner, for the first one."`
	List       usersList       `cmd:"" help:"Print all accounts: ID, email, role, time of creation."`
	Reset2FA   usersReset2FA   `cmd:"" name:"reset-2fa" help:"Turn off the second factor of somebody who has lost the app and the recovery codes."`
	Find       usersFind       `cmd:"" help:"Find accounts by address, or by part of an address or name."`
	Export     usersExport     `cmd:"" help:"Print everything that is stored about somebody, as JSON."`
	Delete     usersDelete     `cmd:"" help:"Delete an account for good, or again all that were deleted before a restore."`
	Deleted    usersDeleted    `cmd:"" help:"List the accounts that were deleted, for users delete --again after a restore."`
	Suspend    usersSuspend    `cmd:"" help:"Suspend an account, or all of people who have not signed in through a service for long."`
	BreakGlass usersBreakGlass `cmd:"" help:"Let an owner sign in with a password although SIGN_IN=sso."`
	Import     usersImport     `cmd:"" help:"Import accounts with their password hashes."`
}

// withPeople runs do with the use cases of accounts, on an existing database.
func withPeople(ctx context.Context, s *config.Settings, c terminal.Console, do func(*account.Users) error) error {
	return assembly.WithExisting(ctx, *s, config.Components{Auth: true}, c.Err, do)
}

var roles = map[string]user.Role{"user": user.Regular, "admin": user.Admin, "owner": user.Owner}

func roleName(r user.Role) string {
	for name, role := range roles {
		if role == r {
			return name
		}
	}
	return "?"
}

type usersPromote struct {
	Email string `arg:"" help:"Address of the account."`
	Role  string `required:"" enum:"user,admin,owner" help:"user, admin or owner."`
}

func (p usersPromote) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	return withPeople(ctx, s, c, func(people *account.Users) error {
		u, err := people.Promote(ctx, p.Email, roles[p.Role])
		if err != nil {
			return howToFind(err)
		}
		_, err = fmt.Fprintf(c.Out, "%s is now %s.\n", u.Email, p.Role)
		return err
	})
}

type usersReset2FA struct {
	Email string `arg:"" help:"Address of the account."`
}

func (r usersReset2FA) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	return assembly.WithExisting(ctx, *s, config.Components{Auth: true}, c.Err, func(a *authrooms.Auth) error {
		u, err := a.SecondFactors.Reset(ctx, r.Email)
		if err != nil {
			return howToFind(err)
		}
		_, err = fmt.Fprintf(c.Out, "The second factor of %s is off. Its owner gets a mail about it.\n", u.Email)
		return err
	})
}

type usersList struct{}

func (usersList) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	return withPeople(ctx, s, c, func(people *account.Users) error {
		w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(w, "ID\tEMAIL\tROLE\tCREATED")
		for query := (account.UserQuery{First: account.MaxPage}); ; {
			page, err := people.List(ctx, terminal.Operator, query)
			if err != nil {
				return err
			}
			for _, u := range page.Users {
				_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", u.ID, u.Email, roleName(u.Role), u.CreatedAt.Format(time.RFC3339))
			}
			if !page.HasNext {
				return w.Flush()
			}
			query.After = page.EndCursor
		}
	})
}
