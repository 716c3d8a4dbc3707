package contract

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/memstore"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// InMemory is the side of a memory store.
func InMemory(s *memstore.Store) MarketSide {
	change := func(t testing.TB, fn func(context.Context, auth.Stores) error) {
		t.Helper()
		succeed(t, s.Identity().Atomically(t.Context(), fn))
	}
	return MarketSide{
		Ports: s.Market(),
		AddUser: func(t testing.TB, u user.User) {
			change(t, func(ctx context.Context, in auth.Stores) error { return in.Users.Save(ctx, u) })
		},
		Erase: func(t testing.TB, id user.ID) {
			change(t, func(ctx context.Context, in auth.Stores) error { return in.Users.Erase(ctx, []user.ID{id}, time.Now()) })
		},
		Mails: func(testing.TB) []message.Message { return s.Messages() },
		Audits: func(t testing.TB) []audit.Entry {
			all, err := s.Identity().Entries(t.Context(), 0, 0, 1000)
			succeed(t, err)
			slices.Reverse(all) // the oldest first
			return all
		},
	}
}
