package contract

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/memstore"
)

// Erase deletes an account from the auth database.
func Erase(ctx context.Context, from auth.Database, now time.Time, who user.ID) error {
	return from.Atomically(ctx, func(ctx context.Context, in auth.Stores) error {
		return in.Users.EraseUsers(ctx, []user.ID{who}, now)
	})
}

// InMemory returns the backend of a memory store.
func InMemory(s *memstore.Store) MarketBackend {
	return MarketBackend{
		Ports: s.Market(),
		AddUser: func(t testing.TB, u user.User) {
			t.Helper()
			succeed(t, s.Identity().Atomically(t.Context(), func(ctx context.Context, in auth.Stores) error { return in.Users.SaveUser(ctx, u) }))
		},
		Erase: func(t testing.TB, deps market.Deps, now time.Time, who user.ID) {
			t.Helper()
			succeed(t, Erase(t.Context(), s.Identity().WithMarket(deps), now, who))
		},
		Accounts: func(deps market.Deps, first ...func(context.Context, market.Stores) error) auth.Database {
			return s.Identity().WithMarket(deps, first...)
		},
		Mails: func(testing.TB) []message.Message { return s.Messages() },
		Audits: func(t testing.TB) []audit.Entry {
			all, err := s.Identity().ListAuditEntries(t.Context(), auth.AuditFilter{}, 0, 1000)
			succeed(t, err)
			slices.Reverse(all) // the oldest first
			return all
		},
		Events: func(t testing.TB) []event.Stored { return fake.PeekEvents(t, memstore.NewEvents(s)) },
	}
}
