package gormstore_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

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

func read(t *testing.T, c *sql.Conn, rows int) {
	t.Helper()
	var sum int
	if err := c.QueryRowContext(t.Context(), "SELECT sum(length(word)) FROM notes WHERE id <= ?", rows).Scan(&sum); err != nil {
		t.Fatal(err)
	}
}

func TestAConnectionKeepsWhatItReadsThoughOthersHaveFilledAllCaches(t *testing.T) {
	const rows = 15_000 // a page each, more than all caches hold
	db := database.SQLite(t, notes())
	write, pool := db.SQL()
	if _, err := write.ExecContext(t.Context(), `WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ?)
		INSERT INTO notes (id, word, n) SELECT id, hex(zeroblob(1900)) || id, 0 FROM ids`, rows); err != nil {
		t.Fatal(err)
	}
	var all []*sql.Conn
	for range 4 {
		c, err := pool.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		all = append(all, c)
		read(t, c, rows)
	}
	read(t, all[3], rows) // takes pages from the others
	waiting, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for kept := false; !kept; {
		if waiting.Err() != nil {
			t.Fatal("every page is read anew each time")
		}
		read(t, all[0], 100)
		before := misses(t, all[0])
		read(t, all[0], 100)
		kept = misses(t, all[0]) == before
	}
}
