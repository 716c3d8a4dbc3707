package gormstore_test

import (
	"context"
	"errors"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/database"
	"gorm.io/gorm"
)

func TestABellRingsAfterTheCommitAndNotAfterARollback(t *testing.T) {
	db := database.SQLite(t, notes())
	bell, other := db.Announced("news"), db.Announced("other")
	boom := errors.New("boom")
	for _, outcome := range []error{boom, nil} {
		err := db.Atomically(t.Context(), func(tx *gorm.DB) error {
			gormstore.Announce(tx.WithContext(context.Background()), "news")
			if rang(bell) {
				t.Error("it rang before the commit")
			}
			return outcome
		})
		if !errors.Is(err, outcome) {
			t.Fatal(err)
		}
		if got := rang(bell); got != (outcome == nil) {
			t.Errorf("outcome %v: rang = %v", outcome, got)
		}
	}
	if rang(other) {
		t.Error("another topic rang")
	}
}

func TestWhatIsLeftForTheCommitIsDoneIfThereIsOne(t *testing.T) {
	boom := errors.New("boom")
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		for _, outcome := range []error{boom, nil} {
			done := 0
			err := db.Atomically(t.Context(), func(tx *gorm.DB) error {
				gormstore.OnCommit(tx.Statement.ConnPool, func() { done++ })
				if done > 0 {
					t.Error("it was done before the commit")
				}
				return outcome
			})
			if want := map[error]int{boom: 0, nil: 1}[outcome]; !errors.Is(err, outcome) || done != want {
				t.Errorf("outcome %v: done %d times, %v", outcome, done, err)
			}
		}
	})
}

func TestAnnouncingOutsideATransactionIsHarmless(t *testing.T) {
	db := database.SQLite(t, notes())
	gormstore.Announce(db.Write, "news")
	if rang(db.Announced("news")) {
		t.Error("it rang")
	}
}

func rang(bell <-chan struct{}) bool {
	select {
	case <-bell:
		return true
	default:
		return false
	}
}
