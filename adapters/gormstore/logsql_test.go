package gormstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"pgregory.net/rapid"
)

// test is of the testing package or of rapid.
type test interface {
	rapid.TB
	Cleanup(do func())
	Context() context.Context
}

// connect opens a pool of one connection; files is what it asks for as vfs, or nothing.
func connect(t test, file, files string, pragmas ...string) *sql.DB {
	t.Helper()
	dsn := "file:" + file + "?_pragma=busy_timeout(0)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"
	if files != "" {
		dsn += "&vfs=" + files
	}
	for _, p := range pragmas {
		dsn += "&_pragma=" + p
	}
	pool, err := sql.Open("sqlite", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	pool.SetMaxOpenConns(1)
	return pool
}

func do(t test, c *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := c.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// rowsOf makes rows with a page each, of which all hold the same number.
func rowsOf(n, rows int) string {
	return fmt.Sprintf("WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < %d) "+
		"INSERT OR REPLACE INTO things SELECT id, %d, CAST(printf('%%03900d', %d * id) AS TEXT) FROM ids", rows, n, n)
}

const (
	things    = "CREATE TABLE IF NOT EXISTS things (id INTEGER PRIMARY KEY, n INTEGER, v TEXT)"
	allThings = "SELECT group_concat(id || '=' || n || ifnull(nullif(v + 0, n * id), ''), ' ') FROM (SELECT * FROM things ORDER BY id)"
)

// sound gives all things of a database in which nothing is wrong.
func sound(ctx context.Context, c *sql.DB) (all string, err error) {
	var state string
	if err := c.QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&state); err != nil || state != "ok" {
		return "", fmt.Errorf("integrity: %s, %w", state, err)
	}
	var found sql.NullString
	err = c.QueryRowContext(ctx, allThings).Scan(&found)
	return found.String, err
}

func TestACommitOfManyPagesIsWrittenWithFewCalls(t *testing.T) {
	if err := gormstore.ConfigureSQLite(); err != nil {
		t.Fatal(err)
	}
	c := connect(t, filepath.Join(t.TempDir(), "octavo.db"), gormstore.GatheringFiles)
	do(t, c, things, rowsOf(1, 90))
	calls := 0
	gormstore.OnWrite(t, func(_ int32, size int) int { calls++; return size })
	for n := range 5 {
		calls = 0
		do(t, c, rowsOf(n, 90))
		if calls > 5 {
			t.Errorf("some 90 pages are written with %d calls", calls)
		}
	}
}

func TestWhatWasRolledBackIsNotWrittenOverWhatAnotherConnectionCommits(t *testing.T) {
	if err := gormstore.ConfigureSQLite(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "octavo.db")
	first := connect(t, file, gormstore.GatheringFiles, "cache_size(10)")
	do(t, first, things, rowsOf(1, 60))
	for name, files := range map[string]string{"one of Octavo": gormstore.GatheringFiles, "any other": ""} {
		t.Run(name, func(t *testing.T) {
			other := connect(t, file, files)
			for n := 2; n < 12; n++ {
				do(t, first, "BEGIN IMMEDIATE", rowsOf(1000+n, 10+5*n), "ROLLBACK")
				do(t, other, rowsOf(n, 60))
				if all, err := sound(t.Context(), first); err != nil || strings.Count(all, fmt.Sprintf("=%d", n)) != 60 {
					t.Fatalf("round %d: %s, %v", n, all, err)
				}
				do(t, first, rowsOf(100+n, 60))
				if all, err := sound(t.Context(), other); err != nil || strings.Count(all, fmt.Sprintf("=%d", 100+n)) != 60 {
					t.Fatalf("round %d: %s, %v", n, all, err)
				}
			}
		})
	}
}

// disk is one that is full after so many bytes.
type disk struct{ room int }

const plenty = 1 << 30

func (d *disk) allow(_ int32, size int) int {
	size = min(size, d.room)
	d.room -= size
	return size
}

// copyOf is what was written so far, as one finds it after the program was killed.
func copyOf(t test, file string) string {
	t.Helper()
	copied := file + ".copy"
	for _, ending := range []string{"", "-wal"} {
		b, err := os.ReadFile(file + ending)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(copied+ending, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return copied
}

// holds looks for all things that were committed, and for nothing else.
func holds(t test, c *sql.DB, committed, when string) {
	t.Helper()
	if all, err := sound(t.Context(), c); err != nil || all != committed {
		t.Fatalf("%s: %v\n%s, want\n%s", when, err, all, committed)
	}
}

func TestWhereverWritingFailsWhatWasCommittedIsThereAndNothingElse(t *testing.T) {
	if err := gormstore.ConfigureSQLite(); err != nil {
		t.Fatal(err)
	}
	var d disk
	gormstore.OnWrite(t, d.allow)
	folder := t.TempDir()
	file := filepath.Join(folder, "octavo.db")
	rapid.Check(t, func(t *rapid.T) {
		if err := empty(folder); err != nil {
			t.Fatal(err)
		}
		d.room = plenty
		c := connect(t, file, gormstore.GatheringFiles,
			fmt.Sprintf("cache_size(%d)", rapid.IntRange(10, 100).Draw(t, "cache")),
			fmt.Sprintf("wal_autocheckpoint(%d)", rapid.IntRange(50, 400).Draw(t, "checkpoint")),
			"synchronous("+rapid.SampledFrom([]string{"FULL", "NORMAL", "OFF"}).Draw(t, "synchronous")+")")
		reader := connect(t, file, "")
		do(t, c, things, rowsOf(1, 40))
		committed, err := sound(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		for n := range rapid.IntRange(1, 6).Draw(t, "transactions") {
			d.room = rapid.OneOf(rapid.Just(plenty), rapid.IntRange(0, 500_000)).Draw(t, "room")
			if changed, ok := d.change(t, c, n+2); ok {
				committed = changed
			}
			copied := copyOf(t, file)
			d.room = plenty
			found := connect(t, copied, "")
			holds(t, found, committed, "after a kill")
			_ = found.Close()
			holds(t, reader, committed, "elsewhere")
			holds(t, c, committed, "with room again")
		}
	})
}

// change makes a transaction of some statements, and gives what it left if it was
// committed. A program goes on after a statement that failed, as long as it may.
func (d *disk) change(t *rapid.T, c *sql.DB, n int) (left string, committed bool) {
	do := func(statement string) error {
		_, err := c.ExecContext(t.Context(), statement)
		return err
	}
	if do("BEGIN IMMEDIATE") != nil {
		return "", false
	}
	for range rapid.IntRange(1, 4).Draw(t, "statements") {
		statement := rowsOf(n, rapid.IntRange(1, 80).Draw(t, "rows"))
		if rapid.Bool().Draw(t, "savepoint") {
			statement = "SAVEPOINT s;" + statement + ";ROLLBACK TO s;" + statement
		}
		if do(statement) == nil {
			continue
		}
		if do("BEGIN") == nil { // the transaction has ended
			return "", do("ROLLBACK") != nil
		}
		d.room = rapid.SampledFrom([]int{d.room, plenty}).Draw(t, "room now")
	}
	seen := c.QueryRowContext(t.Context(), allThings).Scan(&left)
	end := rapid.SampledFrom([]string{"COMMIT", "COMMIT", "ROLLBACK"}).Draw(t, "end")
	if do(end) != nil {
		_ = do("ROLLBACK")
		return "", false
	}
	if end == "COMMIT" && seen != nil {
		t.Fatalf("committed what could not be read: %v", seen)
	}
	return left, end == "COMMIT"
}
