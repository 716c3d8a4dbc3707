package stores

import (
	"context"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
)

// Backend returns the market over a database, for the suites of contract.
func Backend(db *gormstore.DB) contract.MarketBackend {
	s := Stores{db, marketstore.New(database.WithoutPolls(db), Unsealed{})}
	return contract.MarketBackend{
		Ports:   s.Market,
		Work:    workstore.New(db),
		AddUser: func(t testing.TB, u user.User) { t.Helper(); s.addUser(t, u) },
		Erase: func(t testing.TB, d market.Deps, now time.Time, who user.ID) {
			t.Helper()
			must.Do(t, contract.Erase(t.Context(), s.Accounts(d), now, who))
		},
		Accounts: func(d market.Deps, first ...func(context.Context, market.Stores) error) auth.Storage {
			return s.Accounts(d, first...)
		},
		Mails: func(t testing.TB) []message.Message { t.Helper(); return s.Messages(t) },
		Audits: func(t testing.TB) (all []audit.Entry) {
			t.Helper()
			must.Do(t, db.Read.WithContext(t.Context()).Raw("SELECT actor, action, target, ip, detail FROM audit_entries ORDER BY id").Scan(&all).Error)
			return all
		},
		Events: func(t testing.TB) []event.Stored { t.Helper(); return fake.PeekEvents(t, outboxstore.NewEvents(db)) },
	}
}

// addUser adds or replaces an account without the market's hooks.
func (s Stores) addUser(t testing.TB, u user.User) {
	t.Helper()
	must.Do(t, authstore.New(s.DB, Unsealed{}, nil).Atomically(t.Context(), func(ctx context.Context, in auth.Stores) error { return in.SaveUser(ctx, u) }))
}
