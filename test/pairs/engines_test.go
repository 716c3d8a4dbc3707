package pairs_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/memstore"
)

// engine keeps a world.
type engine struct {
	backend  contract.MarketBackend
	memory   *memstore.Store // nil: in a database
	runTwice func()
	// snapshot returns all content, to be compared by reflect.DeepEqual.
	snapshot func(testing.TB) any
}

func inMemory() engine { return over(memstore.New()) }

func over(s *memstore.Store) engine {
	return engine{backend: contract.InMemory(s), memory: s, snapshot: func(testing.TB) any { return s.Snapshot() }}
}

var migrations = []gormstore.Migrations{authstore.Migrations, outboxstore.Migrations, marketstore.Migrations}

// plain does not encrypt: the mails of the market contain no secrets.
type plain struct{}

func (plain) Seal(b []byte) ([]byte, error) { return b, nil }
func (plain) Open(b []byte) ([]byte, error) { return b, nil }

func inDatabase(db *gormstore.DB) engine {
	store := marketstore.New(database.WithoutPolls(db), plain{})
	accounts := func(d market.Deps, first ...func(context.Context, market.Stores) error) auth.Database {
		return authstore.New(db, plain{}, store.OnUsersDeleted(d)).OnUserWithdrawn(store.OnUserWithdrawn(d, first...))
	}
	backend := contract.MarketBackend{
		Ports: store, Accounts: accounts,
		AddUser: func(t testing.TB, u user.User) {
			t.Helper()
			must(t, authstore.New(db, plain{}, nil).Atomically(t.Context(), func(ctx context.Context, in auth.Stores) error { return in.Users.SaveUser(ctx, u) }))
		},
		Erase: func(t testing.TB, d market.Deps, now time.Time, who user.ID) {
			t.Helper()
			must(t, contract.Erase(t.Context(), accounts(d), now, who))
		},
	}
	return engine{backend: backend, runTwice: db.RunTwice, snapshot: func(t testing.TB) any { return rows(t, db) }}
}

// rows returns all rows of all tables but the answers that are kept under idempotency keys: those
// contain refusals.
func rows(t testing.TB, db *gormstore.DB) map[string]string {
	t.Helper()
	list := `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'book_search%'`
	if db.Dialect == gormstore.Postgres {
		list = `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`
	}
	var tables []string
	must(t, db.Read.WithContext(t.Context()).Raw(list).Scan(&tables).Error)
	all := map[string]string{}
	for _, name := range tables {
		if strings.HasPrefix(name, "goose_") || name == "replies" {
			continue
		}
		var found []map[string]any
		must(t, db.Read.WithContext(t.Context()).Raw("SELECT * FROM "+name).Scan(&found).Error)
		lines := make([]string, len(found))
		for i, row := range found {
			lines[i] = fmt.Sprint(row)
		}
		slices.Sort(lines)
		all[name] = strings.Join(lines, "\n")
	}
	return all
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
