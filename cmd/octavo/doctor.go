package main

import (
	"context"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/doctor"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

type doctorCommand struct {
	Running    bool     `help:"Only check that the server at HOST and PORT is alive, as a container's health check does."`
	Deep       bool     `help:"Read every table, index and photo too; on a large database that takes a while."`
	Components []string `arg:"" optional:"" complete:"auth,market,webhooks,mailer" help:"Components to check: auth, market, webhooks, mailer. Default: the first three."`
}

func (d *doctorCommand) Run(ctx context.Context, settings *config.Settings, c terminal.Console) error {
	if d.Running {
		return doctor.CheckRunning(ctx, *settings)
	}
	verdict, err := doctor.Examine(ctx, *settings, doctor.Options{Components: d.Components, Deep: d.Deep, Paint: c.Style.Paint}, c.Out)
	switch {
	case err != nil:
		return err
	case verdict == doctor.Misconfigured:
		return terminal.ErrReported
	case verdict == doctor.Unhealthy:
		return terminal.ErrSilent
	}
	return nil
}
