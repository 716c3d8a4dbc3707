// Package auth_test has the tests of auth's use cases that need all stores, and are about more than
// what contract/authcontract asks of each adapter: ports that fail anywhere, and any sequence of
// actions. They run over SQLite.
package auth_test

import (
	"testing"

	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/stores"
)

func onSQLite(t testing.TB) authkit.Stores {
	t.Helper()
	return stores.SQLite(t).Auth(t)
}
