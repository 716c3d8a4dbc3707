package gormstore_test

import (
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

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
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
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
			}
			all.Wait()
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
