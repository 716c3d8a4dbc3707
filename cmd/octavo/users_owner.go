package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/cmd/assembly"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/user"
)

type usersOwner struct {
	Email string `arg:"" help:"Address of the owner."`
	terminal.AsJSON
}

// Run prints the link alone to standard output, or says that there is an account, which is then an owner.
func (o usersOwner) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	return assembly.WithExisting(ctx, *s, config.Components{Auth: true}, c.Err, func(a *authrooms.Auth) error {
		link, err := a.Invitations.InviteOwner(ctx, o.Email)
		if errors.Is(err, account.ErrAlreadyVerified) {
			_, err = a.Users.Promote(ctx, o.Email, user.Owner)
		}
		if err != nil {
			return err
		}
		return o.Print(c.Out, map[string]string{"link": link}, func(out io.Writer) error {
			if link == "" {
				_, err := fmt.Fprintf(out, "%s has an account, which is an owner.\n", o.Email)
				return err
			}
			_, err := fmt.Fprintf(out, "%s\nWhoever opens this link within 7 days, for the first time, is signed in as the owner %s.\n", link, o.Email)
			return err
		})
	})
}
