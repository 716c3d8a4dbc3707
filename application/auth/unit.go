package auth

import (
	"context"

	"github.com/octavo-books/octavo/domain/user"
)

// Unit is the unit of work of a room. A T is a transaction as the room sees it: with what all rooms
// share, and with its own store.
type Unit[T any] struct {
	*Deps
	In func(Stores) T
}

// Atomically is Storage.Atomically.
func (u Unit[T]) Atomically(ctx context.Context, do func(context.Context, T) error) error {
	return u.Storage.Atomically(ctx, func(ctx context.Context, st Stores) error { return do(ctx, u.In(st)) })
}

// WithAddressLock is Storage.WithAddressLock.
func (u Unit[T]) WithAddressLock(ctx context.Context, addresses []user.Email, do func(context.Context, T) error) error {
	return u.Storage.WithAddressLock(ctx, addresses, func(ctx context.Context, st Stores) error { return do(ctx, u.In(st)) })
}
