package gormstore_test

import (
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/test/must"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

func TestOneQueryLocksAndLimitsOnBothEngines(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		must.Do(t, db.Atomically(t.Context(), func(tx *gorm.DB) error {
			if err := tx.Create([]note{{ID: 1, Word: "a"}, {ID: 2, Word: "b"}, {ID: 3, Word: "c"}, {ID: 4, Word: "d"}}).Error; err != nil {
				return err
			}
			first, err := table.Of[note](tx, clause.Locking{Strength: "UPDATE"}).Order("id").Offset(1).Limit(2).Find(t.Context())
			if err != nil || len(first) != 2 || first[0].ID != 2 || first[1].ID != 3 {
				t.Errorf("first: %v, %v", first, err)
			}
			rest, err := table.Of[note](tx, clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}).Order("id").Offset(3).Find(t.Context())
			if err != nil || len(rest) != 1 || rest[0].ID != 4 {
				t.Errorf("rest: %v, %v", rest, err)
			}
			return nil
		}))
	})
}

func TestReadsContinueAfterALaterReleaseAddsAColumn(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		read := func() {
			t.Helper()
			if _, err := table.Of[note](db.Read).Where("n = ?", 1).Find(t.Context()); err != nil {
				t.Error(err)
			}
		}
		read()
		must.Do(t, db.Write.Exec("ALTER TABLE notes ADD COLUMN colour TEXT").Error)
		read()
	})
}
