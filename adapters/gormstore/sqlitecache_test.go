package gormstore_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
	"modernc.org/sqlite"
)

// writeNotes writes rows of one page each.
func writeNotes(t *testing.T, pool *sql.DB, rows int) {
	t.Helper()
	if _, err := pool.ExecContext(t.Context(), `WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ?)
		INSERT INTO notes (id, word, n) SELECT id, hex(zeroblob(1900)) || id, 0 FROM ids`, rows); err != nil {
		t.Fatal(err)
	}
}

// fillCaches opens every connection that a pool permits and reads all rows on each.
func fillCaches(t *testing.T, pool *sql.DB) []*sql.Conn {
	t.Helper()
	var all []*sql.Conn
	for range pool.Stats().MaxOpenConnections {
		c := must.Get(pool.Conn(t.Context()))(t)
		t.Cleanup(func() { _ = c.Close() })
		var sum int
		must.Do(t, c.QueryRowContext(t.Context(), "SELECT sum(length(word)) FROM notes").Scan(&sum))
		all = append(all, c)
	}
	return all
}

// cached returns the size of a connection's page cache in bytes.
func cached(t *testing.T, c *sql.Conn) (size int) {
	t.Helper()
	must.Do(t, c.Raw(func(driver any) (err error) {
		size, _, err = driver.(sqlite.DBStatus).Status(sqlite.DBStatusCacheUsed, false)
		return err
	}))
	return size
}

func TestThePageCachesHaveOneLimitForAnyNumberOfProcessors(t *testing.T) {
	deep.NotShort(t, "fills the caches of many connections")
	const rows, bound = 10_000, 60 << 20
	for _, processors := range []int{1, 128} {
		t.Run(fmt.Sprint(processors), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
			db := must.Get(gormstore.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "octavo.db"), quiet()))(t)
			t.Cleanup(func() { _ = db.Close() })
			must.Do(t, db.Migrate(t.Context(), notes()))
			write, read := db.SQL()
			writeNotes(t, write, rows)
			all := 0
			for _, c := range append(fillCaches(t, read), fillCaches(t, write)...) {
				all += cached(t, c)
			}
			if all > bound || all == 0 {
				t.Errorf("%d bytes, want at most %d", all, bound)
			}
		})
	}
}
