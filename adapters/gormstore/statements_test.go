package gormstore_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"gorm.io/gorm"
)

func TestStatementsOfTransactionsMayBeUsedOverAndOver(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		var wg sync.WaitGroup
		for worker := range 4 {
			wg.Go(func() {
				for i := range 10 {
					id := int64(worker*10 + i + 1)
					if err := db.Atomically(t.Context(), func(tx *gorm.DB) error { return addTwice(tx, id) }); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if n := count(t, db); n != 80 {
			t.Errorf("%d rows of 80", n)
		}
	})
}

// addTwice runs each of its statements several times in one transaction.
func addTwice(tx *gorm.DB, id int64) error {
	for _, n := range []int64{id, id + 1000} {
		if err := tx.Create(&note{ID: n, Word: fmt.Sprint(n)}).Error; err != nil {
			return err
		}
		var found note
		if err := tx.First(&found, n).Error; err != nil || found.ID != n {
			return fmt.Errorf("found %+v: %w", found, err)
		}
	}
	return nil
}

func TestAStatementOutlivesAChangeOfTheSchema(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		insert := func(tx *gorm.DB) error {
			return tx.Exec("INSERT INTO notes (id, n) SELECT 1 + count(*), 0 FROM notes").Error
		}
		for range 3 {
			if err := db.Atomically(t.Context(), insert); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Write.Exec("ALTER TABLE notes ADD COLUMN later BIGINT NOT NULL DEFAULT 7").Error; err != nil {
			t.Fatal(err)
		}
		if err := db.Atomically(t.Context(), insert); err != nil {
			t.Error(err)
		}
	})
}

func TestAPanicRollsBackAndLeavesTheDatabaseUsable(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		func() {
			defer func() { _ = recover() }()
			_ = db.Atomically(t.Context(), func(tx *gorm.DB) error {
				if err := tx.Create(&note{ID: 1, Word: "x"}).Error; err != nil {
					return err
				}
				panic("boom")
			})
		}()
		if n := count(t, db); n != 0 {
			t.Errorf("%d rows are left", n)
		}
		if err := db.Atomically(t.Context(), func(tx *gorm.DB) error { return tx.Create(&note{ID: 2, Word: "y"}).Error }); err != nil {
			t.Error(err)
		}
	})
}
