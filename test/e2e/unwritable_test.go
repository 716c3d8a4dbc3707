package e2e_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/e2e"
)

func TestAReadOnlyPostgresIsNotReadyAndWritesAre503(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	dsn := database.PostgresURL(t)
	env := []string{"DATABASE_URL=" + dsn}
	if out, code := e2e.Octavo(t, append(env, "DATA_DIR="+t.TempDir()), "migrate", "up"); code != 0 {
		t.Fatal(out)
	}
	s := e2e.StartWith(t, env, "auth", "market", "webhooks")
	sam := s.Student("sam@mit.edu", "Sam")
	kept := sam.Post(t, "Calculus", "MTH 161")

	readOnly(t, dsn, "on")
	for range 5 { // the pool notices only one connection at a time that Postgres has closed
		if a, err := sam.Do("POST", "/api/books/postBook", e2e.Draft("Algebra", "MTH 165")); err != nil || a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
			t.Errorf("writing: %d %s %v", a.Status, a.Body, err)
		}
	}
	awaitReadiness(t, s.URL, http.StatusServiceUnavailable, `"database":"down"`)
	awaitReadiness(t, s.URL, http.StatusServiceUnavailable, `"inbox":"down"`)
	sam.Must(t, http.StatusOK, "GET", "/api/books/getBook/"+kept, nil)
	if out, code := s.Octavo("doctor"); code != 1 || !strings.Contains(out, "accepts no writes") {
		t.Errorf("the doctor: %d %s", code, out)
	}

	readOnly(t, dsn, "off")
	awaitReadiness(t, s.URL, http.StatusOK, `"status":"up"`)
	sam.Post(t, "Topology", "MATH 440")
	if out, code := s.Octavo("doctor", "--deep"); code != 0 || !strings.Contains(out, "intact") {
		t.Errorf("the doctor, afterwards: %d %s", code, out)
	}
}

// readOnly makes new connections read-only or writable, and closes the open ones.
func readOnly(t *testing.T, dsn, onOff string) {
	t.Helper()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for _, statement := range []string{
		"SET default_transaction_read_only = off",
		`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = ` + onOff + `', current_database()); END $$`,
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
	} {
		if _, err := conn.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(fmt.Errorf("%s: %w", statement, err))
		}
	}
}

func TestTheDeepCheckFindsACorruptTable(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	s := e2e.Start(t, "auth", "market")
	s.Student("sam@mit.edu", "Sam").Post(t, "Calculus", "MTH 161")
	if out, code := s.Octavo("doctor", "--deep", "auth", "market"); code != 0 || strings.Contains(out, "FAIL") {
		t.Errorf("all is well: %d %s", code, out)
	}
	db := openBesideTheProgram(t, filepath.Join(s.DataDir, "octavo.db"))
	if _, err := db.ExecContext(t.Context(), "DROP TABLE carts"); err != nil {
		t.Fatal(err)
	}
	if out, code := s.Octavo("doctor", "--deep", "auth", "market"); code != 1 || !strings.Contains(out, "the table carts is missing") {
		t.Errorf("%d %s", code, out)
	}
}

func TestAnIncompleteRestoreIsReported(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	s := e2e.Start(t, "auth", "market")
	s.Student("sam@mit.edu", "Sam")
	for file, says := range map[string]string{
		"signing-keys.pem": "everyone is signed out",
		"octavo.db":        "an empty one is created",
	} {
		if code := s.Stop(); code != 0 {
			t.Errorf("stopped with %d, want 0", code)
		}
		aside := filepath.Join(filepath.Dir(s.DataDir), file+".aside")
		if err := os.Rename(filepath.Join(s.DataDir, file), aside); err != nil {
			t.Fatal(err)
		}
		if out, _ := s.Octavo("doctor", "auth"); !strings.Contains(out, says) || !strings.Contains(out, "backup") {
			t.Errorf("the doctor of %s: %s", file, out)
		}
		s.Restart()
		if !strings.Contains(s.Log(), says) {
			t.Errorf("without %s the log says: %s", file, s.Log())
		}
		if code := s.Stop(); code != 0 {
			t.Errorf("stopped with %d, want 0", code)
		}
		if err := os.Rename(aside, filepath.Join(s.DataDir, file)); err != nil {
			t.Fatal(err)
		}
		s.Restart()
		if strings.Contains(s.Log(), says) {
			t.Errorf("after the faults: %s", s.Log())
		}
	}
}

// openBesideTheProgram opens a SQLite file that the program may be writing to.
func openBesideTheProgram(t *testing.T, file string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", file+"?_pragma=busy_timeout(60000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}
