// Package market_test has the tests of the market's use cases that need a whole store, and are about
// more than what contract.Market asks of each adapter: who may call what, what a search reads, and
// what a standby serves. They run over SQLite.
package market_test

import (
	"testing"

	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/stores"
)

func open(t testing.TB) contract.MarketBackend {
	t.Helper()
	return stores.Backend(database.SQLite(t, stores.Schema...))
}
