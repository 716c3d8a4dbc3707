package gormstore_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
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
	if _, err := gormstore.Open(t.Context(), "sqlite:"+path, quiet()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error: %v, want %v", err, fs.ErrNotExist)
	}
}

func TestSeveralProcessesMayCreateOneSQLiteFile(t *testing.T) {
	for range 3 {
		path := filepath.Join(t.TempDir(), "octavo.db")
		var wg sync.WaitGroup
		for range 12 {
			wg.Go(func() {
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
		wg.Wait()
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
