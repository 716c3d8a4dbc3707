package main

import (
	"context"

	"github.com/octavo-books/octavo/cmd/assembly"
	"github.com/octavo-books/octavo/cmd/config"
)

type ledgerCommand struct {
	Check ledgerCheck `cmd:"" help:"Recompute every balance; exit code 1 and the differences if there are any."`
}

type ledgerCheck struct{}

func (ledgerCheck) Run(ctx context.Context, settings *config.Settings, c console) error {
	balanced, err := assembly.CheckLedger(ctx, *settings, c.out, c.err)
	if err == nil && !balanced {
		return errSilent
	}
	return err
}
