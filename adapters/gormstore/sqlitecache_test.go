package gormstore_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/database"
	"modernc.org/sqlite"
)

// misses is how many pages a connection has read from the file so far.
func misses(t *testing.T, c *sql.Conn) (n int) {
	t.Helper()
	err := c.Raw(func(driver any) (err error) {
		n, _, err = driver.(sqlite.DBStatus).Status(sqlite.DBStatusCacheMiss, false)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// writeNotes writes some with a page each.
func writeNotes(t *testing.T, db *gormstore.DB, rows int) {
	t.Helper()
	write, _ := db.SQL()
	if _, err := write.ExecContext(t.Context(), `WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ?)
		INSERT INTO notes (id, word, n) SELECT id, hex(zeroblob(1900)) || id, 0 FROM ids`, rows); err != nil {
		t.Fatal(err)
	}
}

func readNotes(t *testing.T, c *sql.Conn, rows int) {
	t.Helper()
	var sum int
	if err := c.QueryRowContext(t.Context(), "SELECT sum(length(word)) FROM notes WHERE id <= ?", rows).Scan(&sum); err != nil {
		t.Fatal(err)
	}
}

// allOf gives every connection that a pool may have, at once.
func allOf(t *testing.T, pool *sql.DB) (all []*sql.Conn) {
	t.Helper()
	for range pool.Stats().MaxOpenConnections {
		c, err := pool.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		all = append(all, c)
	}
	return all
}

func TestAConnectionKeepsWhatItReadsThoughOthersHaveFilledTheirCaches(t *testing.T) {
	const rows = 4_000
	db := database.SQLite(t, notes())
	writeNotes(t, db, rows)
	_, pool := db.SQL()
	readers := allOf(t, pool)
	readNotes(t, readers[0], 100)
	for _, c := range readers[1:] {
		readNotes(t, c, rows)
	}
	before := misses(t, readers[0])
	readNotes(t, readers[0], 100)
	if again := misses(t, readers[0]) - before; again > 0 {
		t.Errorf("%d pages are read anew", again)
	}
}

func TestTheCachesOfAllConnectionsAreBoundedHoweverManyProcessorsThereAre(t *testing.T) {
	const rows, bound = 4_000, 60 << 20
	for _, processors := range []int{1, 128} {
		t.Run(fmt.Sprint(processors), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
			db := openFile(t)
			if err := db.Migrate(t.Context(), notes()); err != nil {
				t.Fatal(err)
			}
			writeNotes(t, db, rows)
			write, read := db.SQL()
			before := gormstore.AllSlabBytes()
			for _, c := range append(allOf(t, read), allOf(t, write)...) {
				readNotes(t, c, rows)
			}
			all := gormstore.AllSlabBytes()
			if all > bound || all == before {
				t.Errorf("%d bytes, and at most %d are allowed", all, bound)
			}
		})
	}
}

func TestACacheGivesItsMemoryBack(t *testing.T) {
	before := gormstore.AllSlabBytes()
	db, err := gormstore.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "octavo.db"), quiet())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.Migrate(t.Context(), notes()); err != nil {
		t.Fatal(err)
	}
	writeNotes(t, db, 1_000)
	write, _ := db.SQL()
	full := gormstore.AllSlabBytes()
	if _, err := write.ExecContext(t.Context(), "PRAGMA shrink_memory"); err != nil {
		t.Fatal(err)
	}
	if shrunk := gormstore.AllSlabBytes(); shrunk > full/2 {
		t.Errorf("%d bytes of %d after all was shrunk", shrunk, full)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if after := gormstore.AllSlabBytes(); after > before {
		t.Errorf("%d bytes after all was closed, %d before", after, before)
	}
}
