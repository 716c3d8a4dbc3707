package assembly

import (
	"context"
	"errors"
	"io"

	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// use lends T, which stands on a database that has been made, to do.
func use[T any](ctx context.Context, s config.Settings, parts config.Components, logTo io.Writer, do func(T) error) error {
	if err := s.RequireDatabase(ctx, s.MainDatabase()); err != nil {
		return err
	}
	return lend(ctx, s, parts, logTo, do)
}

// lend builds what T needs, with what it stands on open and nothing served, lends
// it to do and closes everything again.
func lend[T any](ctx context.Context, s config.Settings, parts config.Components, logTo io.Writer, do func(T) error) error {
	if err := s.Prepare(); err != nil {
		return err
	}
	s.DeriveAddresses(nil)
	log := newLogger(s.Watching, logTo)
	var t T
	app := fx.New(core(s, parts, log, nil), fx.Populate(&t))
	if err := start(ctx, app); err != nil {
		return err
	}
	failed := do(t)
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return errors.Join(failed, app.Stop(stopping))
}
