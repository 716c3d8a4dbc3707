package contract

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/user"
)

// Erase deletes an account from the auth database.
func Erase(ctx context.Context, from auth.Storage, now time.Time, who user.ID) error {
	return from.Atomically(ctx, func(ctx context.Context, in auth.Stores) error { return in.EraseUsers(ctx, []user.ID{who}, now) })
}
