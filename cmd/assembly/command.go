package assembly

import (
	"context"
	"errors"
	"io"

	"go.uber.org/fx"
)

// use lends T, which stands on a database that has been made, to do.
func use[T any](ctx context.Context, s Settings, parts Components, logTo io.Writer, do func(T) error) error {
	if err := s.expect(ctx, s.mainPlace()); err != nil {
		return err
	}
	return lend(ctx, s, parts, logTo, do)
}

// lend builds what T needs, with what it stands on open and nothing served, lends
// it to do and closes everything again.
func lend[T any](ctx context.Context, s Settings, parts Components, logTo io.Writer, do func(T) error) error {
	if err := s.prepare(); err != nil {
		return err
	}
	s.imply(nil)
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
