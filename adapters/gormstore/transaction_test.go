package gormstore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/groupcommit"
	"github.com/octavo-books/octavo/test/must"
	"gorm.io/gorm"
)

func TestATransactionWithinAnotherIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		err := db.Atomically(t.Context(), func(tx *gorm.DB) error {
			return db.Atomically(tx.Statement.Context, func(*gorm.DB) error { return nil })
		})
		if !errors.Is(err, groupcommit.ErrNested) {
			t.Error(err)
		}
	})
}

func TestATransactionIsRefusedAfterItsFunctionReturned(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		var kept *gorm.DB
		must.Do(t, db.Atomically(t.Context(), func(tx *gorm.DB) error { kept = tx; return nil }))
		err := db.Atomically(t.Context(), func(*gorm.DB) error {
			must.Refuse(t, kept.Exec("SELECT 1").Error, sql.ErrTxDone, "exec")
			if err := kept.Raw("SELECT 1").Row().Scan(new(int)); err == nil {
				t.Error("a row was read after the transaction had ended")
			}
			return kept.Find(&note{}).Error
		})
		if !errors.Is(err, sql.ErrTxDone) {
			t.Errorf("query: %v, want %v", err, sql.ErrTxDone)
		}
	})
}

func TestANotificationArrivesOnlyAfterTheCommit(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		var heard []string
		db.Wakeups().NotifyOthers(func(topic string) { heard = append(heard, topic) })
		gormstore.NotifyAfterCommit(db.Write, "news") // without a transaction there is no commit
		boom := errors.New("boom")
		for _, outcome := range []error{boom, nil} {
			err := db.Atomically(t.Context(), func(tx *gorm.DB) error {
				gormstore.NotifyAfterCommit(tx.WithContext(context.Background()), "news")
				if len(heard) > 0 {
					t.Error("the notification arrived before the commit")
				}
				return outcome
			})
			if !errors.Is(err, outcome) || len(heard) > 0 != (outcome == nil) {
				t.Errorf("outcome %v: notifications of %q, %v", outcome, heard, err)
			}
		}
		if !slices.Equal(heard, []string{"news"}) {
			t.Errorf("notifications of %q", heard)
		}
	})
}

func TestADeferredStatementIsExecutedInItsTransaction(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		err := db.Atomically(t.Context(), func(tx *gorm.DB) error {
			pool := tx.Statement.ConnPool
			if err := gormstore.Defer(t.Context(), pool, "INSERT INTO notes (id, word, n) VALUES (1, 'a', 0)"); err != nil {
				return err
			}
			if err := gormstore.Flush(t.Context(), pool); err != nil {
				return err
			}
			return tx.First(&note{}, 1).Error
		})
		if n := count(t, db); err != nil || n != 1 {
			t.Errorf("%d rows, %v; want 1", n, err)
		}
	})
}

func TestAWriterThatWaitsTooLongGetsUnavailable(t *testing.T) {
	if err := gormstore.WrapUnavailable(groupcommit.ErrBusy); !errors.Is(err, gormstore.ErrUnavailable) {
		t.Error(err)
	}
}

func TestStatementsInTransactionsCanBeRepeated(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		must.Together(4, func(worker int) {
			for i := range 10 {
				id := int64(worker*10 + i + 1)
				if err := db.Atomically(t.Context(), func(tx *gorm.DB) error { return addTwice(tx, id) }); err != nil {
					t.Error(err)
				}
			}
		})
		if n := count(t, db); n != 80 {
			t.Errorf("%d rows, want 80", n)
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
			must.Do(t, db.Atomically(t.Context(), insert))
		}
		must.Do(t, db.Write.Exec("ALTER TABLE notes ADD COLUMN later BIGINT NOT NULL DEFAULT 7").Error)
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
			t.Errorf("%d rows are left, want 0", n)
		}
		if err := db.Atomically(t.Context(), func(tx *gorm.DB) error { return tx.Create(&note{ID: 2, Word: "y"}).Error }); err != nil {
			t.Error(err)
		}
	})
}
