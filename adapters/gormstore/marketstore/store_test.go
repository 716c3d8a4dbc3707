package marketstore_test

import (
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/stores"
)

func TestTheMarketKeepsItsPromisesInADatabase(t *testing.T) { onEach(t, contract.Market) }

// A transaction runs again after a deadlock and, on SQLite, when the commit that it shares fails.
func TestTheMarketKeepsItsPromisesThoughEveryTransactionRunsTwice(t *testing.T) {
	deep.NotShort(t, "repeats the suite with every transaction run twice")
	t.Parallel()
	contract.Market(t, func(t *testing.T) contract.MarketBackend {
		return backend(database.Twice(database.SQLite(t, migrations...)))
	})
}

// With small bounds, the few books of a test are treated as many.
func TestListsDoNotDependOnTheNumberOfBooks(t *testing.T) {
	deep.NotShort(t, "repeats the lists with small bounds")
	t.Parallel()
	contract.MarketOfManyBooks(t, smallBounds(func(t *testing.T) contract.MarketBackend { return backend(database.SQLite(t, migrations...)) }))
}

func TestListsDoNotDependOnTheNumberOfBooksOnPostgres(t *testing.T) {
	deep.Only(t, "repeats the lists of Postgres with small bounds")
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
		must.Do(t, db.Migrate(t.Context(), migrations...))
		contract.MarketRaces(t, func(t *testing.T) contract.MarketBackend { return emptied(t, db) })
		if n := database.Deadlocks(t, dsn); n != 0 {
			t.Errorf("Postgres detected %d deadlocks, want 0", n)
		}
	})
}

var migrations = stores.Schema

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
	must.Do(t, database.Empty(t.Context(), db))
	return backend(db)
}

// plain does not encrypt: the mails of the market contain no secrets.
type plain struct{}

func (plain) Seal(b []byte) ([]byte, error) { return b, nil }
func (plain) Open(b []byte) ([]byte, error) { return b, nil }

func backend(db *gormstore.DB) contract.MarketBackend { return stores.Backend(db) }

// run executes a statement for which there is no port.
func run(t testing.TB, db *gormstore.DB, statement string) {
	t.Helper()
	must.Do(t, db.Write.WithContext(t.Context()).Exec(statement).Error)
}
