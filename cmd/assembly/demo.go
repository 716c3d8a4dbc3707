package assembly

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/demostore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/hashing"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/application/demo"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"go.uber.org/fx"
)

// demoPassword is everybody's on a campus made in development. In production
// nobody there has a password.
const demoPassword = "octavo demo campus"

// campusParts are what a campus is loaded with.
type campusParts struct {
	fx.In
	DB     *gormstore.DB
	Market *marketstore.Store
	Hasher *hashing.Hasher
	Clock  system.Clock
}

// Campus is how large a campus is to be made up.
type Campus struct {
	Books, Users int
	Seed         uint64
}

// Demo fills an empty database with a campus and tells out how it goes.
func Demo(ctx context.Context, s config.Settings, size Campus, out, logTo io.Writer) error {
	return lend(ctx, s, config.Components{Market: true}, logTo, func(p campusParts) error {
		cfg := demo.Config{
			Books: size.Books, Users: size.Users, Seed: size.Seed, Now: p.Clock.Now(), Fee: order.FeeRate(s.Market.FeeBPS),
		}
		if err := cfg.Validate(); err != nil {
			return config.Errorf("demo", "%v", err)
		}
		if !s.Production() {
			hash, err := hashDemoPassword(ctx, p.Hasher)
			if err != nil {
				return err
			}
			cfg.PasswordHash = hash
		}
		began := time.Now()
		totals, err := demo.Fill(ctx, demostore.New(p.DB, p.Market), cfg, tenths(out))
		if err != nil {
			return err
		}
		return sumUp(out, totals, time.Since(began), cfg.PasswordHash != "")
	})
}

func hashDemoPassword(ctx context.Context, h *hashing.Hasher) (string, error) {
	password, err := user.NewPassword(demoPassword, demo.OwnerEmail)
	if err != nil {
		return "", err
	}
	return h.Hash(ctx, password)
}

// tenths prints a line for every tenth of what is to be made.
func tenths(out io.Writer) demo.Progress {
	last := map[string]int{}
	return func(what string, done, of int) {
		if tenth := 10 * done / max(of, 1); tenth > last[what] {
			last[what] = tenth
			_, _ = fmt.Fprintf(out, "%8s %3d %%  %d of %d\n", what, 10*tenth, done, of)
		}
	}
}

func sumUp(out io.Writer, t demo.Totals, took time.Duration, signIn bool) error {
	_, err := fmt.Fprintf(out, "Made %d users, %d books, %d requests with %d matches, and %d sales in %.1f s (%.0f books a second).\n",
		t.Users, t.Books, t.Requests, t.Pairs, t.Sales, took.Seconds(), float64(t.Books)/took.Seconds())
	if err != nil || !signIn {
		return err
	}
	_, err = fmt.Fprintf(out, "Sign in as %s (owner), %s (admin) or anybody else with the password %q.\n", demo.OwnerEmail, demo.AdminEmail, demoPassword)
	return err
}
