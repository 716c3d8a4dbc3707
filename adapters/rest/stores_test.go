package rest_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/stores"
)

// storeVariable selects the store of the tests: sqlite or postgres.
const storeVariable = "REST_TEST_STORE"

// All tests run over SQLite; this one runs them again over Postgres.
func TestTheSuitePassesOverPostgres(t *testing.T) {
	deep.Only(t, "repeats all tests over Postgres")
	if os.Getenv(storeVariable) != "" {
		t.Skip("this is the other run")
	}
	t.Parallel()
	database.Need(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.timeout=20m")
	cmd.Env = append(os.Environ(), storeVariable+"=postgres")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func openStores(t testing.TB) stores.Stores {
	t.Helper()
	if os.Getenv(storeVariable) == "postgres" {
		return stores.Over(database.PostgresReused(t, stores.Schema...))
	}
	return stores.SQLite(t)
}
