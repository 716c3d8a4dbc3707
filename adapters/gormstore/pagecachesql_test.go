package gormstore_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"pgregory.net/rapid"
)

// script is what some connections of one database do, one after the other.
type script struct {
	Folder     string                    // where the database is made, after all else there is removed
	Files      [scriptConnections]string // what a connection asks for as vfs, where there is more than the platform's
	Statements []statement
}

type statement struct {
	Connection int
	SQL        string
}

const scriptConnections = 2

// run gives what each statement gives, and at last what is in the database and in a
// copy, and whether both are sound.
func (s script) run(ctx context.Context) (results []string, err error) {
	if err := empty(s.Folder); err != nil {
		return nil, err
	}
	file := filepath.Join(s.Folder, "octavo.db")
	var conns []*sql.Conn
	for _, files := range s.Files {
		pool, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(0)&_pragma=synchronous(OFF)"+files)
		if err != nil {
			return nil, err
		}
		defer func() { _ = pool.Close() }()
		c, err := pool.Conn(ctx)
		if err != nil {
			return nil, err
		}
		defer func() { _ = c.Close() }()
		conns = append(conns, c)
	}
	for _, st := range s.Statements {
		results = append(results, ask(ctx, conns[st.Connection], st.SQL))
	}
	for _, c := range conns {
		_ = ask(ctx, c, "ROLLBACK")
	}
	for _, last := range []string{
		"PRAGMA integrity_check", contents("main"),
		"VACUUM INTO '" + file + ".copy'", "ATTACH '" + file + ".copy' AS copy", "PRAGMA copy.integrity_check", contents("copy"),
	} {
		results = append(results, ask(ctx, conns[0], last))
	}
	return results, nil
}

func contents(schema string) string {
	return "SELECT k, w, length(v), hex(substr(v, -20)) FROM " + schema + ".things ORDER BY k"
}

// ask gives the rows of an answer, or the error, as text.
func ask(ctx context.Context, c *sql.Conn, query string) string {
	rows, err := c.QueryContext(ctx, query)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = rows.Close() }()
	columns, _ := rows.Columns()
	var b strings.Builder
	for rows.Next() {
		values, places := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			return err.Error()
		}
		fmt.Fprintln(&b, values...)
	}
	if err := rows.Err(); err != nil {
		b.WriteString(err.Error())
	}
	return b.String()
}

// kinds of statements; %d are numbers that are drawn.
var kinds = []string{
	insertMany, insertMany, insertMany, insertMany,
	"UPDATE things SET v = CAST(printf('%%0*d', %d, k) AS BLOB), w = w || k %% 10 WHERE k %% 7 = %d %% 7",
	"UPDATE things SET w = w || 'x' WHERE k > %d",
	"DELETE FROM things WHERE k %% 5 = %d %% 5", "DELETE FROM things WHERE k BETWEEN %d + 100 AND %d + 300", "DELETE FROM things WHERE w LIKE 'w%d%%'",
	"INSERT INTO near SELECT k, v FROM things WHERE k > %d ORDER BY w LIMIT %d", "DELETE FROM near WHERE k > %d",
	"SELECT count(*), sum(length(v)), sum(k) FROM things WHERE w > 'w%d'",
	"SELECT w, count(*), max(length(v)) FROM things WHERE k > %d GROUP BY w ORDER BY 2 DESC, 1 LIMIT %d",
	"SELECT count(*), sum(length(a.v)) FROM near a JOIN things b USING (k) WHERE k > %d",
	"BEGIN", "BEGIN IMMEDIATE", "BEGIN IMMEDIATE", "COMMIT", "COMMIT", "COMMIT", "ROLLBACK", "ROLLBACK",
	"SAVEPOINT one", "SAVEPOINT two", "ROLLBACK TO one", "ROLLBACK TO two", "RELEASE one", "RELEASE two",
	"VACUUM", "PRAGMA incremental_vacuum(%d)", "PRAGMA shrink_memory",
	"PRAGMA cache_size = %d", "PRAGMA cache_size = -%d", "PRAGMA cache_spill = %d",
	"PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA integrity_check",
	"DROP INDEX IF EXISTS by_w", "CREATE INDEX IF NOT EXISTS by_w ON things (w, v)",
}

const insertMany = "WITH RECURSIVE n (k) AS (SELECT %d UNION ALL SELECT k + 1 FROM n LIMIT 50 + %d) " +
	"INSERT OR REPLACE INTO things SELECT k, CAST(printf('%%0*d', %d, k * 31) AS BLOB), 'w' || (k * 31 %% 97) FROM n"

func drawScript(t *rapid.T, folder string) script {
	s := script{Folder: folder}
	for c := range s.Files {
		s.Files[c] = rapid.SampledFrom([]string{"", "&vfs=" + gormstore.GatheringFiles}).Draw(t, "files")
	}
	all := func(format string, args ...any) {
		for c := range scriptConnections {
			s.Statements = append(s.Statements, statement{c, fmt.Sprintf(format, args...)})
		}
	}
	// Without WAL a full cache locks the others out, and when it is full may differ.
	journal := rapid.SampledFrom([]string{"WAL", "WAL", "DELETE", "TRUNCATE"}).Draw(t, "journal")
	busy := 0
	if journal == "WAL" {
		busy = scriptConnections - 1
	}
	s.Statements = append(s.Statements,
		statement{0, fmt.Sprintf("PRAGMA page_size = %d", 512<<rapid.IntRange(0, 4).Draw(t, "page size"))},
		statement{0, fmt.Sprintf("PRAGMA auto_vacuum = %d", rapid.IntRange(0, 2).Draw(t, "auto vacuum"))},
		statement{0, "PRAGMA journal_mode = " + journal},
		statement{0, "CREATE TABLE things (k INTEGER PRIMARY KEY, v BLOB, w TEXT)"})
	all("PRAGMA temp_store = %s", rapid.SampledFrom([]string{"MEMORY", "FILE"}).Draw(t, "temporary"))
	all("PRAGMA cache_size = %d", rapid.IntRange(1, 60).Draw(t, "cache"))
	all("CREATE TEMP TABLE near (k INTEGER, v BLOB)")
	s.Statements = append(s.Statements, statement{0, fmt.Sprintf(insertMany, 1, 300, 200)})
	number := rapid.OneOf(rapid.IntRange(0, 12), rapid.IntRange(0, 900))
	for range rapid.IntRange(10, 40).Draw(t, "statements") {
		kind := rapid.SampledFrom(kinds).Draw(t, "kind")
		var args []any
		for range strings.Count(strings.ReplaceAll(kind, "%%", ""), "%") {
			args = append(args, number.Draw(t, "number"))
		}
		s.Statements = append(s.Statements, statement{rapid.IntRange(0, busy).Draw(t, "connection"), fmt.Sprintf(kind, args...)})
	}
	return s
}

const underPlatform = "OCTAVO_TEST_PLATFORM_CACHES"

// TestRunScriptsUnderTheCachesOfSQLite is the other process: nothing of SQLite is
// replaced there.
func TestRunScriptsUnderTheCachesOfSQLite(t *testing.T) {
	if os.Getenv(underPlatform) == "" {
		t.Skip("part of another test")
	}
	scripts, results := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var s script
		if scripts.Decode(&s) != nil {
			return
		}
		s.Files = [scriptConnections]string{}
		r, err := s.run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := results.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
}

// startPlatform gives what runs a script in the other process.
func startPlatform(t *testing.T) func(script) ([]string, error) {
	t.Helper()
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRunScriptsUnderTheCachesOfSQLite$")
	other.Env = append(os.Environ(), underPlatform+"=1")
	other.Stderr = os.Stderr
	in, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = other.Wait() })
	scripts, results := json.NewEncoder(in), json.NewDecoder(out)
	return func(s script) (r []string, err error) {
		if err := scripts.Encode(s); err != nil {
			return nil, err
		}
		return r, results.Decode(&r)
	}
}

func TestSQLiteAnswersAsItDoesWithItsOwnCaches(t *testing.T) {
	if err := gormstore.ConfigureSQLite(); err != nil {
		t.Fatal(err)
	}
	platform, folder := startPlatform(t), t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		s := drawScript(rt, folder)
		got, err := s.run(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		want, err := platform(s)
		if err != nil {
			rt.Fatal(err)
		}
		if i := slices.IndexFunc(got, func(r string) bool { return strings.Contains(r, "malformed") }); i >= 0 {
			rt.Fatalf("answer %d: %s", i, got[i])
		}
		for i := range want {
			if got[i] != want[i] && !tellsOfFrames(s, i) {
				rt.Fatalf("answer %d: %.300q, want %.300q", i, got[i], want[i])
			}
		}
	})
}

// tellsOfFrames holds for an answer that says how often pages were written.
func tellsOfFrames(s script, i int) bool {
	return i < len(s.Statements) && strings.HasPrefix(s.Statements[i].SQL, "PRAGMA wal_checkpoint")
}

func empty(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	for _, f := range files {
		if err := os.Remove(f); err != nil {
			return err
		}
	}
	return err
}
