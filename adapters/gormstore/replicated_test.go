package gormstore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
	"gorm.io/gorm"
)

// A commit waits for a standby that does not exist, and its caller leaves. Other tests' commits wait for nothing,
// because their synchronous_commit is off.
func TestACommitThatNoStandbyHasIsShownToNobody(t *testing.T) {
	dsn := database.PostgresURL(t)
	must.Do(t, openPostgres(t, dsn).Migrate(t.Context(), notes()))
	db := openPostgres(t, dsn+"&synchronous_commit=on")
	insert := func(id int64) error {
		soon, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		return db.Atomically(soon, func(tx *gorm.DB) error { return tx.Create(&note{ID: id, Word: fmt.Sprint(id)}).Error })
	}
	database.WaitForStandby(t, "nobody")
	last := int64(0)
	awaitError(t, func() error { last++; return insert(last) }, gormstore.ErrUnavailable)
	if err := insert(last); !errors.Is(err, gormstore.ErrUnavailable) {
		t.Errorf("a repeat of it: %v, want %v", err, gormstore.ErrUnavailable)
	}
	database.WaitForStandby(t, "")
	awaitError(t, func() error { return db.Read.First(&note{}, last).Error }, nil)
}

// awaitError repeats do until its error is want: the server reads its settings some time later.
func awaitError(t *testing.T, do func() error, want error) {
	t.Helper()
	var got error
	if !poll.Until(func() bool { got = do(); return errors.Is(got, want) }) {
		t.Errorf("error: %v, want %v", got, want)
	}
}
