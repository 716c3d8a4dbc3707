package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/user"
)

type usersFind struct {
	Part []string `arg:"" help:"An address, which prints all about its account; or part of an address or name, which lists 50 accounts at most."`
	terminal.AsJSON
}

// mostFound bounds the accounts that match a part.
const mostFound = 50

func (f usersFind) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	part := strings.Join(f.Part, " ") // no quotes are needed
	return withPeople(ctx, s, c, func(people *account.Users) error {
		if _, err := user.ParseEmail(part); err != nil {
			return f.list(ctx, people, c, part)
		}
		u, err := people.FindByAddress(ctx, part)
		if err != nil {
			return howToFind(err)
		}
		found := foundUserOf(u)
		return f.Print(c.Out, found, found.print)
	})
}

func (f usersFind) list(ctx context.Context, people *account.Users, c terminal.Console, part string) error {
	page, err := people.List(ctx, terminal.Operator, account.UserQuery{Search: part, InNames: true, First: mostFound})
	if err != nil {
		return err
	}
	if len(page.Users) == 0 {
		return fmt.Errorf("%q is part of no address and no name", part)
	}
	found := make(foundUsers, len(page.Users))
	for i, u := range page.Users {
		found[i] = foundUserOf(u)
	}
	if page.HasNext {
		_, _ = fmt.Fprintf(c.Err, "There are more: these are the newest %d. Give more of the address or name.\n", mostFound)
	}
	return f.Print(c.Out, found, found.print)
}

// howToFind tells somebody who has named nobody's address how to look for it.
func howToFind(err error) error {
	if errors.Is(err, user.ErrNotFound) || errors.Is(err, user.ErrEmailInvalid) {
		return fmt.Errorf("%w `octavo users find PART` finds accounts by part of an address or name", err)
	}
	return err
}

// foundUser is an account in JSON.
type foundUser struct {
	ID          string     `json:"id"`
	Email       string     `json:"email"`
	Name        string     `json:"name,omitempty"`
	Role        string     `json:"role"`
	Verified    bool       `json:"verified"`
	University  string     `json:"university,omitempty"`
	CreatedAt   time.Time  `json:"createdAt"`
	SuspendedAt *time.Time `json:"suspendedAt,omitempty"`
	DeleteAt    *time.Time `json:"deleteAt,omitempty"`
}

func foundUserOf(u user.User) foundUser {
	found := foundUser{
		ID: u.ID.String(), Email: string(u.Email), Name: nameOf(u), Role: roleName(u.Role), Verified: u.Verified,
		University: u.University(), CreatedAt: u.CreatedAt,
	}
	if u.Suspended() {
		found.SuspendedAt = &u.SuspendedAt
	}
	if !u.DeleteAt.IsZero() {
		found.DeleteAt = &u.DeleteAt
	}
	return found
}

// nameOf is the name in the profile of a student, or what somebody without one wants to be called.
func nameOf(u user.User) string {
	if u.Profile != nil {
		return strings.TrimSpace(u.Profile.FirstName + " " + u.Profile.LastName)
	}
	return u.Name
}

func (f foundUser) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(w, "id\t%s\nemail\t%s\n", f.ID, f.Email)
	if f.Name != "" {
		_, _ = fmt.Fprintf(w, "name\t%s\n", f.Name)
	}
	_, _ = fmt.Fprintf(w, "role\t%s\naddress confirmed\t%t\ncreated\t%s\n", f.Role, f.Verified, f.CreatedAt.Format(time.RFC3339))
	if f.SuspendedAt != nil {
		_, _ = fmt.Fprintf(w, "suspended since\t%s\n", f.SuspendedAt.Format(time.RFC3339))
	}
	if f.DeleteAt != nil {
		_, _ = fmt.Fprintf(w, "will be deleted\t%s\n", f.DeleteAt.Format(time.RFC3339))
	}
	if f.University != "" {
		_, _ = fmt.Fprintf(w, "university\t%s\n", f.University)
	}
	return w.Flush()
}

type foundUsers []foundUser

func (all foundUsers) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "ID\tEMAIL\tNAME\tROLE\tCREATED")
	for _, f := range all {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", f.ID, f.Email, f.Name, f.Role, f.CreatedAt.Format(time.RFC3339))
	}
	return w.Flush()
}
