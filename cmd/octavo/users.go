package main

import (
	"context"
	"fmt"
	"os"

	"github.com/octavo-books/octavo/cmd/assembly"
	"github.com/octavo-books/octavo/cmd/config"
)

type usersCommand struct {
	Promote usersPromote `cmd:"" help:"Make somebody an admin or an owner; this is how the first owner is made."`
	List    usersList    `cmd:"" help:"Print everybody: id, email, role, when the account was made."`
	Import  usersImport  `cmd:"" help:"Take over accounts from lines of email,bcrypt-hash."`
}

type usersPromote struct {
	Email string `arg:"" help:"Address of the account."`
	Role  string `required:"" enum:"user,admin,owner" help:"user, admin or owner."`
}

func (u usersPromote) Run(ctx context.Context, settings *config.Settings, c console) error {
	return assembly.Promote(ctx, *settings, u.Email, u.Role, c.out, c.err)
}

type usersList struct{}

func (usersList) Run(ctx context.Context, settings *config.Settings, c console) error {
	return assembly.ListUsers(ctx, *settings, c.out, c.err)
}

type usersImport struct {
	File string `arg:"" help:"File of email,bcrypt-hash lines; - reads standard input."`
}

func (u usersImport) Run(ctx context.Context, settings *config.Settings, c console) error {
	in := c.in
	if u.File != "-" {
		f, err := os.Open(u.File)
		if err != nil {
			return fmt.Errorf("users import: %w", err)
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	return assembly.ImportUsers(ctx, *settings, in, c.out, c.err)
}
