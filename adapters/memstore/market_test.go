package memstore_test

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
	"github.com/octavo-books/octavo/test/contract"
)

func TestTheMarketKeepsItsPromisesInMemory(t *testing.T) {
	contract.Market(t, func(*testing.T) contract.MarketSide { return marketSide(memstore.New()) })
}

func marketSide(s *memstore.Store) contract.MarketSide {
	change := func(t testing.TB, fn func(context.Context, auth.Stores) error) {
		t.Helper()
		if err := s.Identity().Atomically(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	return contract.MarketSide{
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
			if err != nil {
				t.Fatal(err)
			}
			slices.Reverse(all) // the oldest first
			return all
		},
	}
}
