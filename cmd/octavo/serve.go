package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/octavo-books/octavo/cmd/assembly"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

type serveCommand struct {
	Components []string `arg:"" optional:"" complete:"auth,market,webhooks,mailer" help:"auth, market, webhooks, mailer. Default: the first three."`
}

func (s *serveCommand) Run(ctx context.Context, settings *config.Settings, c terminal.Console) error {
	err := assembly.Serve(ctx, *settings, s.Components, c.Out, c.Err)
	if errors.Is(err, config.ErrSetting) { // perhaps because what was meant as one is none
		for _, m := range settings.Misspelt(os.Environ()) {
			fmt.Fprintf(c.Err, "octavo: warning: %s is no setting of Octavo, and is ignored; %s\n", m.Name, m.Advice())
		}
	}
	return err
}
