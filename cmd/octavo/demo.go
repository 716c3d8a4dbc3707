package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/demostore"
	"github.com/octavo-books/octavo/adapters/hashing"
	"github.com/octavo-books/octavo/cmd/assembly"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/demo"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

type demoCommand struct {
	Books int    `default:"10000" placeholder:"N" help:"How many books (${default})."`
	Users int    `default:"500" placeholder:"N" help:"How many people (${default})."`
	Seed  uint64 `default:"1" placeholder:"S" help:"The same seed makes the same campus (${default})."`
}

// demoPassword is the password of every account of a campus made in development. In
// production those accounts have none.
const demoPassword = "octavo demo campus"

func (d demoCommand) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	return assembly.With(ctx, *s, config.Components{Market: true}, c.Err, func(p assembly.DemoParts) error {
		domains, err := s.Campus()
		if err != nil {
			return err
		}
		cfg := demo.Config{
			Books: d.Books, Users: d.Users, Seed: d.Seed, Now: p.Clock.Now(), Fee: order.FeeRate(s.Market.FeeBPS),
			Currency: s.MarketCurrency(), Campus: domains,
		}
		if err := cfg.Validate(); err != nil {
			return config.Errorf("demo", "%v", err)
		}
		if !s.Production() {
			hash, err := hashDemoPassword(ctx, p.Hasher, cfg.OwnerEmail())
			if err != nil {
				return err
			}
			cfg.PasswordHash = hash
		}
		began, shown, store := c.Clock.Now(), c.StartProgress("demo"), demostore.New(p.DB, p.Market)
		totals, err := demo.Fill(ctx, store, cfg, func(what string, done, of int) { shown.Report(what, int64(done), int64(of)) })
		shown.Stop()
		if err != nil {
			return err
		}
		return printTotals(c.Out, totals, c.Clock.Now().Sub(began), cfg)
	})
}

func hashDemoPassword(ctx context.Context, h *hashing.Hasher, of user.Email) (string, error) {
	password, err := user.NewPassword(demoPassword, of)
	if err != nil {
		return "", err
	}
	return h.HashPassword(ctx, password)
}

func printTotals(out io.Writer, t demo.Totals, took time.Duration, c demo.Config) error {
	kept := ""
	if t.Kept > 0 {
		kept = fmt.Sprintf(" without the %d that were there", t.Kept)
	}
	_, err := fmt.Fprintf(out, "Made %d users, %d books, %d requests with %d matches, and %d sales in %.1f s (%.0f books a second%s).\n",
		t.Users, t.Books, t.Requests, t.Matches, t.Orders, took.Seconds(), float64(t.Books-t.Kept)/took.Seconds(), kept)
	if err != nil || c.PasswordHash == "" {
		return err
	}
	_, err = fmt.Fprintf(out, "Sign in as %s (owner), %s (admin) or anyone else with the password %q.\n", c.OwnerEmail(), c.AdminEmail(), demoPassword)
	return err
}
