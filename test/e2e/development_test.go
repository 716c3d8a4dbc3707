package e2e_test

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/e2e"
)

func TestADatabaseOfADevelopmentVersionIsRefusedInOneLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		driver string
		make   func(t *testing.T) (dsn, path, advice string)
	}{
		"sqlite": {"sqlite", func(t *testing.T) (string, string, string) {
			path := filepath.Join(t.TempDir(), "octavo.db")
			return "sqlite:" + path, path, "move " + path + " away and keep it: only the octavo program that served it last reads it"
		}},
		"postgres": {"pgx", func(t *testing.T) (string, string, string) {
			dsn := database.PostgresURL(t)
			return dsn, dsn, "keep a dump (pg_dump): only the octavo program that served it last reads it"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			dsn, path, advice := c.make(t)
			env := []string{"DATABASE_URL=" + dsn, "DATA_DIR=" + t.TempDir(), "PORT=0"}
			if out, code := e2e.Octavo(t, env, "migrate", "up"); code != 0 {
				t.Fatalf("migrate up: %d: %s", code, out)
			}
			makeOld(t, c.driver, path)
			before := content(t, c.driver, path)
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
			if after := content(t, c.driver, path); !bytes.Equal(before, after) {
				t.Error("the database was changed")
			}
		})
	}
}

// makeOld sets the schema versions to those of before the migrations were squashed.
func makeOld(t *testing.T, driver, path string) {
	t.Helper()
	db, err := sql.Open(driver, path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	tables := []string{"goose_outbox", "goose_work", "goose_auth", "goose_market"}
	if driver == "pgx" { // the inbox of SQLite has a file of its own
		tables = append(tables, "goose_inbox")
	}
	for _, table := range tables {
		if _, err := db.ExecContext(t.Context(), "UPDATE "+table+" SET version_id = 4 WHERE version_id > 4"); err != nil {
			t.Fatal(err)
		}
	}
}

// content returns the file of a SQLite database, or the schema versions of a Postgres one.
func content(t *testing.T, driver, path string) []byte {
	t.Helper()
	if driver == "sqlite" {
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	db, err := sql.Open(driver, path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var versions []byte
	if err := db.QueryRowContext(t.Context(), "SELECT string_agg(a::text, ',' ORDER BY id) FROM goose_auth a").Scan(&versions); err != nil {
		t.Fatal(err)
	}
	return versions
}
