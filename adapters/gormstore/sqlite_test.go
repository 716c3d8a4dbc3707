package gormstore_test

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
	"modernc.org/sqlite"
)

func TestANewSQLiteFileIsReadableOnlyForItsOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "octavo.db")
	db := must.Get(gormstore.Open(t.Context(), "sqlite:"+path, quiet()))(t)
	defer func() { _ = db.Close() }()
	must.Do(t, db.Migrate(t.Context(), notes()))
	for _, ending := range []string{"", "-wal", "-shm"} {
		info := must.Get(os.Stat(path + ending))(t)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("octavo.db%s has %v, want -rw-------", ending, info.Mode().Perm())
		}
	}
}

func TestASQLiteFileInAMissingFolderIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "octavo.db")
	must.Refuse(t, must.Err(gormstore.Open(t.Context(), "sqlite:"+path, quiet())), fs.ErrNotExist, "error")
}

func TestSeveralProcessesMayCreateOneSQLiteFile(t *testing.T) {
	for range 3 {
		path := filepath.Join(t.TempDir(), "octavo.db")
		must.Together(12, func(int) {
			db, err := gormstore.Open(t.Context(), "sqlite:"+path, quiet())
			if err != nil {
				t.Error(err)
				return
			}
			_, seen := db.Schema(t.Context(), notes(), steps())
			if err := errors.Join(seen, db.Migrate(t.Context(), notes(), steps()), db.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAFailedMigrationIsAnError(t *testing.T) {
	broken := gormstore.Migrations{Name: "broken", FS: fstest.MapFS{
		"sqlite/00001_good.sql": {Data: []byte("-- +goose Up\nCREATE TABLE good (id INTEGER PRIMARY KEY);\n")},
		"sqlite/00002_bad.sql":  {Data: []byte("-- +goose Up\nCREATE TABLE good (id INTEGER PRIMARY KEY);\n")},
	}}
	db := database.SQLite(t)
	for range 2 {
		if err := db.Migrate(t.Context(), broken); err == nil || !strings.Contains(err.Error(), "migrate broken") {
			t.Errorf("error: %v", err)
		}
	}
	if states, err := db.Schema(t.Context(), broken); err != nil || states[0].Current != 0 {
		t.Errorf("states %v, %v", states, err)
	}
}

// steps has several migrations, so that processes can interleave.
func steps() gormstore.Migrations {
	files := fstest.MapFS{}
	for i := range 6 {
		text := fmt.Sprintf("-- +goose Up\nCREATE TABLE step%d (id INTEGER PRIMARY KEY);\n", i)
		files[fmt.Sprintf("sqlite/%05d_step.sql", i+1)] = &fstest.MapFile{Data: []byte(text)}
	}
	return gormstore.Migrations{Name: "steps", FS: files}
}

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

// counting has migrations that would change the data, and not fail, if they ran twice.
func counting() gormstore.Migrations {
	files := fstest.MapFS{}
	for _, dialect := range []string{"sqlite", "postgres"} {
		files[dialect+"/00001_count.sql"] = &fstest.MapFile{Data: []byte(
			"-- +goose Up\nCREATE TABLE IF NOT EXISTS counted (n INTEGER NOT NULL);\nINSERT INTO counted VALUES (0);\n")}
		files[dialect+"/00002_more.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nUPDATE counted SET n = n + 1;\n")}
	}
	return gormstore.Migrations{Name: "steps", FS: files}
}

func TestOfSeveralProcessesOneMigratesWhileTheOthersWait(t *testing.T) {
	for name, fresh := range map[string]func(t *testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "octavo.db") },
		"postgres": func(t *testing.T) string { return database.PostgresURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			dsn := fresh(t)
			must.Together(4, func(int) {
				db, err := gormstore.Open(t.Context(), dsn, quiet())
				if err != nil {
					t.Error(err)
					return
				}
				defer func() { _ = db.Close() }()
				if err := db.Migrate(t.Context(), counting()); err != nil {
					t.Error(err)
				}
				if n := counted(t, db); len(n) != 1 || n[0] != 1 {
					t.Errorf("counted %v", n)
				}
			})
		})
	}
}

func counted(t *testing.T, db *gormstore.DB) (n []int) {
	t.Helper()
	if err := db.Read.Raw("SELECT n FROM counted").Scan(&n).Error; err != nil {
		t.Error(err)
	}
	return n
}

// A failing migration also undoes those before it, so that the next attempt begins at
// the same version.
func TestOnSQLiteAFailedMigrationLeavesNothing(t *testing.T) {
	db := database.SQLite(t)
	files := counting().FS.(fstest.MapFS)
	files["sqlite/00003_wrong.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nUPDATE nothing SET n = 1;\n")}
	if err := db.Migrate(t.Context(), gormstore.Migrations{Name: "steps", FS: files}); err == nil {
		t.Fatal("a wrong migration succeeded")
	}
	must.Do(t, db.Migrate(t.Context(), counting()))
	if n := counted(t, db); len(n) != 1 || n[0] != 1 {
		t.Errorf("counted %v", n)
	}
}
