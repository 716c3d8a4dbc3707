package marketstore_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/fake"
)

func TestTheMarketKeepsItsPromisesInADatabase(t *testing.T) { onEach(t, contract.Market) }

// A transaction runs again after a deadlock and, on SQLite, when the commit that it shares fails.
func TestTheMarketKeepsItsPromisesThoughEveryTransactionRunsTwice(t *testing.T) {
	t.Parallel()
	contract.Market(t, func(t *testing.T) contract.MarketBackend {
		return backend(database.Twice(database.SQLite(t, migrations...)))
	})
}

// With small bounds, the few books of a test are treated as many.
func TestListsDoNotDependOnTheNumberOfBooks(t *testing.T) {
	t.Parallel()
	contract.MarketOfManyBooks(t, smallBounds(func(t *testing.T) contract.MarketBackend { return backend(database.SQLite(t, migrations...)) }))
}

func TestListsDoNotDependOnTheNumberOfBooksOnPostgres(t *testing.T) {
	t.Parallel()
	contract.MarketOfManyBooks(t, smallBounds(func(t *testing.T) contract.MarketBackend { return backend(database.PostgresReused(t, migrations...)) }))
}

// smallBounds opens a market that treats a few books as many.
func smallBounds(open func(*testing.T) contract.MarketBackend) func(*testing.T) contract.MarketBackend {
	return func(t *testing.T) contract.MarketBackend {
		m := open(t)
		m.Ports = marketstore.WithSmallBounds(m.Ports.(*marketstore.Store))
		return m
	}
}

func TestNoOrderOfActionsBreaksTheMarketInADatabase(t *testing.T) { onEach(t, contract.MarketLife) }

func TestConcurrentCallsDoNotBreakTheMarketInADatabase(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		contract.MarketRaces(t, func(t *testing.T) contract.MarketBackend { return backend(database.SQLite(t, migrations...)) })
	})
	t.Run("postgres", func(t *testing.T) {
		dsn := database.PostgresURL(t)
		db := database.Connect(t, dsn)
		check(t, db.Migrate(t.Context(), migrations...))
		contract.MarketRaces(t, func(t *testing.T) contract.MarketBackend { return emptied(t, db) })
		if n := database.Deadlocks(t, dsn); n != 0 {
			t.Errorf("Postgres detected %d deadlocks, want 0", n)
		}
	})
}

var migrations = []gormstore.Migrations{authstore.Migrations, outboxstore.Migrations, marketstore.Migrations}

// onEach runs a suite over both engines, at the same time as other tests.
func onEach(t *testing.T, suite func(*testing.T, func(*testing.T) contract.MarketBackend)) {
	t.Parallel()
	for engine, open := range map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{
		"sqlite": database.SQLite, "postgres": database.PostgresReused,
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			suite(t, func(t *testing.T) contract.MarketBackend { return backend(open(t, migrations...)) })
		})
	}
}

// emptied deletes all rows of a Postgres database and returns the market over it.
func emptied(t *testing.T, db *gormstore.DB) contract.MarketBackend {
	t.Helper()
	check(t, database.Empty(t.Context(), db))
	return backend(db)
}

// plain does not encrypt: the mails of the market contain no secrets.
type plain struct{}

func (plain) Seal(b []byte) ([]byte, error) { return b, nil }
func (plain) Open(b []byte) ([]byte, error) { return b, nil }

func backend(db *gormstore.DB) contract.MarketBackend {
	return contract.MarketBackend{
		Ports:   marketstore.New(database.WithoutPolls(db), plain{}),
		AddUser: func(t testing.TB, u user.User) { addUser(t, db, u) },
		Erase: func(t testing.TB, deps market.Deps, now time.Time, who user.ID) {
			t.Helper()
			identity := authstore.New(db, plain{}, marketstore.New(db, plain{}).OnUsersDeleted(deps))
			check(t, contract.Erase(t.Context(), identity, now, who))
		},
		Accounts: func(deps market.Deps, first ...func(context.Context, market.Stores) error) auth.Database {
			store := marketstore.New(db, plain{})
			return authstore.New(db, plain{}, store.OnUsersDeleted(deps)).OnUserWithdrawn(store.OnUserWithdrawn(deps, first...)).OnUserMoves(store.OnUserMoves(deps))
		},
		Mails: func(t testing.TB) []message.Message { return mails(t, db) },
		Audits: func(t testing.TB) (all []audit.Entry) {
			check(t, db.Write.WithContext(t.Context()).Raw("SELECT actor, action, target, ip, detail FROM audit_entries ORDER BY id").Scan(&all).Error)
			return all
		},
		Events: func(t testing.TB) []event.Stored { return fake.PeekEvents(t, outboxstore.NewEvents(db)) },
	}
}

func addUser(t testing.TB, db *gormstore.DB, u user.User) {
	t.Helper()
	p := u.Profile
	run(t, db, `INSERT INTO users (id, email, role, lang, verified, created_at, first_name, last_name, university, campus_mailbox, payment_username, name_key)
		VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET university = excluded.university`,
		int64(u.ID), string(u.Email), int(u.Role), string(u.Lang), u.CreatedAt.UnixMicro(),
		p.FirstName, p.LastName, p.University, p.CampusMailbox, p.PaymentUsername, p.NameKey())
}

func mails(t testing.TB, db *gormstore.DB) (all []message.Message) {
	t.Helper()
	var rows []struct{ Kind, Recipient, Params string }
	check(t, db.Write.WithContext(t.Context()).Raw("SELECT kind, recipient, params FROM outbox ORDER BY id").Scan(&rows).Error)
	for _, r := range rows {
		m := message.Message{Kind: message.Kind(r.Kind), To: user.Email(r.Recipient)}
		check(t, json.Unmarshal([]byte(r.Params), &m.Params))
		all = append(all, m)
	}
	return all
}

// run executes a statement for which there is no port.
func run(t testing.TB, db *gormstore.DB, statement string, args ...any) {
	t.Helper()
	check(t, db.Write.WithContext(t.Context()).Exec(statement, args...).Error)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
