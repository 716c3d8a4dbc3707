package gormstore_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"gorm.io/gorm"
)

// commitPages makes a commit of some hundred pages.
func commitPages(t *testing.T, db *gormstore.DB) error {
	t.Helper()
	return db.Atomically(t.Context(), func(tx *gorm.DB) error {
		return tx.Exec(rowsOf(int(time.Now().UnixNano()%1e6), 100)).Error
	})
}

// frames gives how many the log has, and how many of them are copied.
func frames(t *testing.T, db *gormstore.DB) (all, copied int) {
	t.Helper()
	_, read := db.SQL()
	var busy int
	if err := read.QueryRowContext(t.Context(), "PRAGMA wal_checkpoint(NOOP)").Scan(&busy, &all, &copied); err != nil {
		t.Fatal(err)
	}
	return all, copied
}

func openThings(t *testing.T, file string) *gormstore.DB {
	t.Helper()
	db, err := gormstore.Open(t.Context(), "sqlite:"+file, quiet())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.Atomically(t.Context(), func(tx *gorm.DB) error { return tx.Exec(things).Error }); err != nil {
		t.Fatal(err)
	}
	return db
}

func TestTheLogIsCopiedBeforeThoseWhoCommitHaveTo(t *testing.T) {
	db := openThings(t, filepath.Join(t.TempDir(), "octavo.db"))
	all, copied := 0, 0
	for all < 5_000 {
		if err := commitPages(t, db); err != nil {
			t.Fatal(err)
		}
		if all, copied = frames(t, db); copied > 0 && all < 4_500 {
			t.Fatalf("%d of %d frames are copied already", copied, all)
		}
	}
	for deadline := time.Now().Add(20 * time.Second); copied < 4_500 && time.Now().Before(deadline); <-time.After(time.Millisecond) {
		_, copied = frames(t, db)
	}
	if copied < 4_500 {
		t.Errorf("%d of %d frames are copied", copied, all)
	}
}

func TestAClosedDatabaseLeavesNoLog(t *testing.T) {
	file := filepath.Join(t.TempDir(), "octavo.db")
	db := openThings(t, file)
	for range 50 { // the last of them while the log is copied
		if err := commitPages(t, db); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the log is still there: %v", err)
	}
}

func TestWhileTwoProgramsWriteTheLogIsBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "octavo.db")
	dbs := []*gormstore.DB{openThings(t, file), openThings(t, file)}
	var all sync.WaitGroup
	for _, db := range dbs {
		all.Go(func() {
			for range 150 {
				if err := commitPages(t, db); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	log, err := os.Stat(file + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	if most := int64(4 * 6_000 * wholeFrame); log.Size() > most {
		t.Errorf("the log has %d bytes, at most %d are enough", log.Size(), most)
	}
}
