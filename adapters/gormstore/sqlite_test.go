package gormstore_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

func TestANewSQLiteFileIsItsOwnersAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "octavo.db")
	db, err := gormstore.Open(t.Context(), "sqlite:"+path, quiet())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.Migrate(t.Context(), notes()); err != nil {
		t.Fatal(err)
	}
	for _, ending := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + ending)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("octavo.db%s has %v", ending, info.Mode().Perm())
		}
	}
}

func TestASQLiteFileInNoFolderIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "octavo.db")
	if _, err := gormstore.Open(t.Context(), "sqlite:"+path, quiet()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error: %v", err)
	}
}
