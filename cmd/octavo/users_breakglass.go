package main

import (
	"context"
	"fmt"

	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

type usersBreakGlass struct {
	Email       string `arg:"" help:"Address of an owner."`
	NewPassword bool   `help:"Make a new password, also if there is one."`
	Off         bool   `help:"Let the password work no longer."`
}

func (b usersBreakGlass) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	return withPeople(ctx, s, c, func(people *account.Users) error {
		password, err := people.BreakGlass(ctx, b.Email, account.BreakGlassChange{Off: b.Off, NewPassword: b.NewPassword})
		if err != nil {
			return err
		}
		if b.Off {
			_, err = fmt.Fprintf(c.Out, "With SIGN_IN=sso %s signs in at the services only.\n", b.Email)
			return err
		}
		if password != "" {
			_, _ = fmt.Fprintf(c.Out, "password: %s\nIt is shown this once. Store it where you find it when the services are down.\n", password)
		}
		_, err = fmt.Fprintf(c.Out, "%s signs in with the password at %s/login?break-glass=yes\n", b.Email, s.Server.BaseURL)
		return err
	})
}
