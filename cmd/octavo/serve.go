package main

import (
	"context"

	"github.com/octavo-books/octavo/cmd/assembly"
	"github.com/octavo-books/octavo/cmd/config"
)

type serveCommand struct {
	Components []string `arg:"" optional:"" complete:"auth,market,webhooks,mailer" help:"auth, market, webhooks, mailer. Default: the first three."`
}

func (s *serveCommand) Run(ctx context.Context, settings *config.Settings, c console) error {
	return assembly.Serve(ctx, *settings, s.Components, c.out, c.err)
}
