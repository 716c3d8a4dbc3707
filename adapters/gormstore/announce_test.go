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
