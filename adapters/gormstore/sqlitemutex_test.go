package gormstore_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

func openFile(t *testing.T) *gormstore.DB {
	t.Helper()
	db, err := gormstore.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "octavo.db"), quiet())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestOnlyConnectionsOfSQLiteGoWithoutLocking(t *testing.T) {
	openFile(t)
	mine, other := libc.NewTLS(), libc.NewTLS()
	defer mine.Close()
	defer other.Close()
	for kind, want := range map[int32]int32{
		sqlite3.SQLITE_MUTEX_RECURSIVE:   sqlite3.SQLITE_OK,
		sqlite3.SQLITE_MUTEX_FAST:        sqlite3.SQLITE_BUSY,
		sqlite3.SQLITE_MUTEX_STATIC_APP1: sqlite3.SQLITE_BUSY,
	} {
		m := sqlite3.Xsqlite3_mutex_alloc(mine, kind)
		sqlite3.Xsqlite3_mutex_enter(mine, m)
		if got := sqlite3.Xsqlite3_mutex_try(other, m); got != want {
			t.Errorf("a held mutex of kind %d: %d, want %d", kind, got, want)
		}
		sqlite3.Xsqlite3_mutex_leave(mine, m)
		if kind != sqlite3.SQLITE_MUTEX_STATIC_APP1 { // one for the whole process
			sqlite3.Xsqlite3_mutex_free(mine, m)
		}
	}
}

func TestManyConnectionsOfSQLiteWorkSideBySide(t *testing.T) {
	db := openFile(t)
	if err := db.Migrate(t.Context(), notes()); err != nil {
		t.Fatal(err)
	}
	write, read := db.SQL()
	const each = 200
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := range each {
				text := fmt.Sprintf("note %d of %d", i, worker)
				if _, err := write.ExecContext(t.Context(), "INSERT INTO notes (n, word) VALUES (0, ?)", text); err != nil {
					t.Error(err)
					return
				}
				var found string
				if err := read.QueryRowContext(t.Context(), "SELECT word FROM notes WHERE word = ?", text).Scan(&found); err != nil || found != text {
					t.Errorf("%q, %v, want %q", found, err, text)
					return
				}
			}
		})
	}
	all.Wait()
	var kept int
	var sound string
	if err := read.QueryRowContext(t.Context(), "SELECT count(*) FROM notes").Scan(&kept); err != nil || kept != 8*each {
		t.Errorf("%d notes, %v, want %d", kept, err, 8*each)
	}
	if err := read.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&sound); err != nil || sound != "ok" {
		t.Errorf("integrity: %s, %v", sound, err)
	}
}
