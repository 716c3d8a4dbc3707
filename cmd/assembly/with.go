package assembly

import (
	"context"
	"errors"
	"io"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/hashing"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// WithExisting is With on databases that exist already; it creates none.
func WithExisting[T any](ctx context.Context, s config.Settings, parts config.Components, logTo io.Writer, do func(T) error) error {
	if err := s.RequireDatabase(ctx, s.MainDatabase()); err != nil {
		return err
	}
	return With(ctx, s, parts, logTo, do)
}

// With builds the T of the named components for a command, with the databases open and
// nothing served, calls do and closes everything again.
func With[T any](ctx context.Context, s config.Settings, parts config.Components, logTo io.Writer, do func(T) error) error {
	if err := s.Prepare(); err != nil {
		return err
	}
	s.DeriveAddresses(nil)
	log := s.NewLogger(logTo)
	var t T
	life := newLifetime(ctx)
	defer life.end()
	app := fx.New(core(life, s, parts, log, nil), fx.Populate(&t))
	if err := start(ctx, app); err != nil {
		return err
	}
	failed := do(t)
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return errors.Join(failed, app.Stop(stopping))
}

// DemoParts are what a demo campus is filled with.
type DemoParts struct {
	fx.In
	DB     *gormstore.DB
	Market *marketstore.Store
	Hasher *hashing.Hasher
	Clock  system.Clock
}
