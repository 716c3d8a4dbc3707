package assembly

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/user"
)

// suspender suspends an account as the auth service does, in one transaction with what the market
// does about it.
type suspender struct {
	deps     market.Deps
	store    *marketstore.Store
	accounts *authstore.Identity
	people   *account.Users
}

// suspend is guarding.SuspendAccount.
func (s suspender) suspend(ctx context.Context, by user.Caller, id user.ID, reason string, then func(context.Context, market.Stores) error) error {
	accounts := s.accounts.OnUserWithdrawn(s.store.OnUserWithdrawn(s.deps, then))
	_, err := s.people.Over(accounts).Suspend(ctx, by, id, reason)
	return err
}
