package e2e_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

// That it is not changed, on either engine, is a test of the migrations.
func TestADatabaseOfADevelopmentVersionIsRefusedInOneLine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "octavo.db")
	env := []string{"DATABASE_URL=sqlite:" + path, "DATA_DIR=" + t.TempDir(), "PORT=0"}
	if out, code := e2e.Octavo(t, env, "migrate", "up"); code != 0 {
		t.Fatalf("migrate up: %d: %s", code, out)
	}
	makeOld(t, path)
	advice := "move " + path + " away and keep it: only the octavo program that served it last reads it"
	for _, command := range [][]string{{"serve", "auth", "market"}, {"migrate", "up"}, {"users", "list"}} {
		out, code := e2e.Octavo(t, env, command...)
		if code != 1 || strings.Count(out, "\n") != 1 || !strings.Contains(out, "a development version") || !strings.Contains(out, advice) {
			t.Errorf("%v: %d: %s", command, code, out)
		}
	}
	out, code := e2e.Octavo(t, env, "doctor", "--deep", "auth", "market")
	if code != 1 || !strings.Contains(out, "FAIL  database ") || !strings.Contains(out, "→ "+advice) || strings.Contains(out, "ok    database in depth") {
		t.Errorf("the doctor: %d: %s", code, out)
	}
	if out, code := e2e.Octavo(t, env, "migrate", "status"); code != 1 || !strings.Contains(out, "version 4 of ") || !strings.Contains(out, advice) {
		t.Errorf("migrate status: %d: %s", code, out)
	}
}

// makeOld sets the schema versions to those of before the migrations were squashed.
func makeOld(t *testing.T, path string) {
	t.Helper()
	db := openBesideTheProgram(t, path)
	for _, table := range []string{"goose_outbox", "goose_work", "goose_auth", "goose_market"} {
		if _, err := db.ExecContext(t.Context(), "UPDATE "+table+" SET version_id = 4 WHERE version_id > 4"); err != nil {
			t.Fatal(err)
		}
	}
}
