package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/user"
)

// Unit is the unit of work of a room. A T is a transaction as the room sees it: with what all rooms
// share, and with its own stores.
type Unit[T any] struct {
	Deps
	In func(*Tx) T
}

// WithTx runs do in one transaction. What do has announced, mailed and so on is written at its end.
func (u Unit[T]) WithTx(ctx context.Context, do func(context.Context, T) error) error {
	return u.Deps.WithTx(ctx, func(ctx context.Context, t *Tx) error { return do(ctx, u.In(t)) })
}

// WithTxAs is WithTx on behalf of a caller, whose account it locks first. A caller who may not trade
// any more is refused.
func (u Unit[T]) WithTxAs(ctx context.Context, by user.Caller, do func(context.Context, T) error) error {
	return u.Deps.WithTxAs(ctx, by, func(ctx context.Context, t *Tx) error { return do(ctx, u.In(t)) })
}
