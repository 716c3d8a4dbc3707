package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/text"
)

type usersSuspend struct {
	Email   string `arg:"" optional:"" help:"Address of the account; or --not-seen and --service."`
	Reason  string `default:"The people who run this service have suspended your account." help:"What the person is mailed."`
	NotSeen string `placeholder:"DURATION" help:"Everybody who has not signed in through the service for so long, such as 60d; 1d at least. Owners are left out."`
	Service string `placeholder:"NAME" help:"A service of OIDC_PROVIDERS or SAML_PROVIDERS."`
	Yes     bool   `help:"With --not-seen: suspend them. Without it they are only listed."`
}

var (
	errWhomToSuspend = errors.New("users suspend: name one address, or --not-seen DURATION and --service NAME")
	errNotSeen       = errors.New("users suspend: --not-seen is a duration of 1d or more, such as 60d")
)

func (u usersSuspend) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	bulk := u.NotSeen != "" || u.Service != ""
	if bulk == (u.Email != "") || bulk && (u.NotSeen == "" || u.Service == "") {
		return errWhomToSuspend
	}
	if bulk {
		return u.suspendUnseen(ctx, s, c)
	}
	return withPeople(ctx, s, c, func(people *account.Users) error {
		suspended, err := people.SuspendByOperator(ctx, u.Email, u.Reason)
		if err != nil {
			return howToFind(err)
		}
		_, err = fmt.Fprintf(c.Out, "%s is suspended, and all sessions have ended.\n", suspended.Email)
		return err
	})
}

func (u usersSuspend) suspendUnseen(ctx context.Context, s *config.Settings, c terminal.Console) error {
	long, err := text.ParseDuration(u.NotSeen)
	if err != nil || long < 24*time.Hour {
		return errNotSeen
	}
	since := time.Now().UTC().Add(-long)
	return withPeople(ctx, s, c, func(people *account.Users) error {
		n := 0
		err := people.ListUnseen(ctx, u.Service, since, func(one account.UnseenUser) error {
			if u.Yes {
				done, err := people.SuspendUnseen(ctx, u.Service, since, one)
				if err != nil || !done {
					return err
				}
			}
			n++
			_, err := fmt.Fprintf(c.Out, "%s\tlast seen %s\n", one.User.Email, one.LastSeen.Format(time.DateOnly))
			return err
		})
		if err != nil {
			return err
		}
		if u.Yes {
			_, err = fmt.Fprintf(c.Out, "%d suspended, and all their sessions have ended.\n", n)
			return err
		}
		_, err = fmt.Fprintf(c.Out, "%d would be suspended; nothing was changed. Add --yes to do it.\n", n)
		return err
	})
}
