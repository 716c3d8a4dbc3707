// Package stores wires the stores of auth and the market over one database, as cmd/assembly does,
// for tests of what lies above them. SQLite is the fast one: a test gets a file of its own within
// milliseconds.
package stores

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
)

// Schema has the tables of auth and the market.
var Schema = []gormstore.Migrations{authstore.Migrations, outboxstore.Migrations, workstore.Migrations, marketstore.Migrations}

// Unsealed stores codes and links without encryption, so that tests can read them.
type Unsealed struct{}

// Seal returns what it is given.
func (Unsealed) Seal(plain []byte) ([]byte, error) { return plain, nil }

// Open returns what it is given.
func (Unsealed) Open(sealed []byte) ([]byte, error) { return sealed, nil }

// Stores are all stores over one database.
type Stores struct {
	DB     *gormstore.DB
	Market *marketstore.Store
}

// SQLite returns empty stores in a file of their own.
func SQLite(t testing.TB) Stores {
	t.Helper()
	return Over(database.SQLite(t, Schema...))
}

// Over returns the stores over a database that has the tables of Schema.
func Over(db *gormstore.DB) Stores { return Stores{db, marketstore.New(db, Unsealed{})} }

// Accounts returns the accounts of the auth service, with the hooks of the market. When one is
// withdrawn, first runs before anything else.
func (s Stores) Accounts(d market.Deps, first ...func(context.Context, market.Stores) error) *authstore.Identity {
	d = rooms.Join(d, s.Market)
	return authstore.New(s.DB, Unsealed{}, s.Market.OnUsersDeleted(d)).
		OnUserWithdrawn(s.Market.OnUserWithdrawn(d, first...)).OnUserMoves(s.Market.OnUserMoves(d))
}

// Auth returns the ports of auth, without a marketplace.
func (s Stores) Auth(t testing.TB) authkit.Stores {
	t.Helper()
	return s.auth(t, authstore.New(s.DB, Unsealed{}, nil))
}

// AuthWithMarket returns the ports of auth where there is a marketplace.
func (s Stores) AuthWithMarket(t testing.TB) authkit.Stores {
	t.Helper()
	return s.auth(t, s.Accounts(market.Deps{IDs: new(fake.IDs).Next}))
}

func (s Stores) auth(t testing.TB, identity *authstore.Identity) authkit.Stores {
	t.Helper()
	sessions, limits := authstore.NewSessions(s.DB, Unsealed{}), authstore.NewRateLimiter(s.DB)
	return authkit.Stores{
		Identity: identity, Sessions: sessions, RateLimiter: limits, Sweepers: []account.Sweep{identity.DeleteExpired, sessions.DeleteExpired, limits.DeleteExpired},
		Messages: func() []message.Message { return s.Messages(t) }, Events: outboxstore.NewEvents(s.DB), Jobs: workstore.New(s.DB),
	}
}

// Suspender suspends accounts as the program does.
type Suspender struct {
	Stores Stores
	Deps   market.Deps
	People *account.Users
}

// SuspendAccount is guarding.SuspendAccount.
func (s Suspender) SuspendAccount(ctx context.Context, by user.Caller, id user.ID, reason string, then func(context.Context, market.Stores) error) error {
	return must.Err(s.People.Over(s.Stores.Accounts(s.Deps, then)).Suspend(ctx, by, id, reason))
}

// Messages reads the outbox, oldest first.
func (s Stores) Messages(t testing.TB) (all []message.Message) {
	t.Helper()
	_, read := s.DB.SQL()
	rows := must.Get(read.QueryContext(context.Background(), `SELECT id, kind, recipient, lang, params, secret, created_at, expires_at FROM outbox ORDER BY id`))(t)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var m message.Message
		var params string
		var secret []byte
		var created, expires int64
		must.Do(t, rows.Scan(&m.ID, &m.Kind, &m.To, &m.Lang, &params, &secret, &created, &expires))
		m.CreatedAt, m.ExpiresAt = time.UnixMicro(created), time.UnixMicro(expires)
		decode(t, []byte(params), &m.Params)
		decode(t, secret, &m) // "code" and "link"
		all = append(all, m)
	}
	must.Do(t, rows.Err())
	return all
}

func decode(t testing.TB, text []byte, into any) {
	t.Helper()
	if len(text) == 0 {
		return
	}
	must.Do(t, json.Unmarshal(text, into))
}

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
		Accounts: func(d market.Deps, first ...func(context.Context, market.Stores) error) authrooms.Storage {
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
