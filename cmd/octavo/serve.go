package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/octavo-books/octavo/cmd/assembly"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/config/misspelt"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

type serveCommand struct {
	Components []string `arg:"" optional:"" complete:"auth,market,webhooks,mailer" help:"auth, market, webhooks, mailer. Default: the first three."`
}

func (s *serveCommand) Run(ctx context.Context, settings *config.Settings, c terminal.Console) error {
	if err := s.prepareISBNTable(ctx, settings, c); err != nil {
		return err
	}
	err := assembly.Serve(ctx, *settings, s.Components, c.Out, c.Err)
	if errors.Is(err, config.ErrSetting) { // perhaps because what was meant as one is none
		for _, m := range misspelt.Find(settings, os.Environ()) {
			fmt.Fprintf(c.Err, "octavo: warning: %s is no setting of Octavo, and is ignored; %s\n", m.Name, m.Advice())
		}
	}
	return err
}

// prepareISBNTable shows how far a dump of Open Library is read before the market is served. Invalid settings are left
// to the start, which reports all that is wrong.
func (s *serveCommand) prepareISBNTable(ctx context.Context, settings *config.Settings, c terminal.Console) error {
	market := len(s.Components) == 0 || slices.Contains(s.Components, "market")
	if !market || settings.Market.ISBNTable == "" || settings.Validate() != nil {
		return nil
	}
	shown := c.StartProgress("ISBN_TABLE")
	defer shown.Stop()
	return settings.PrepareISBNTable(ctx, shown.Report)
}
