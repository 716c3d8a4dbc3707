package main

import (
	"context"
	"fmt"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/cmd/assembly"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

type ledgerCommand struct {
	Check ledgerCheck `cmd:"" help:"Recompute every balance; exit code 1 and the differences if there are any."`
}

type ledgerCheck struct{}

func (ledgerCheck) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	return assembly.WithExisting(ctx, *s, config.Components{Market: true}, c.Err, func(store *marketstore.Store) error {
		ledger := buying.NewLedger(store)
		differences, err := ledger.Check(ctx)
		if err != nil {
			return err
		}
		for _, d := range differences {
			_, _ = fmt.Fprintf(c.Out, "order %s, book %s: %s\n", d.Order, d.Book, d.What)
		}
		if len(differences) > 0 {
			return terminal.ErrSilent
		}
		_, err = fmt.Fprintln(c.Out, "The ledger balances.")
		return err
	})
}
