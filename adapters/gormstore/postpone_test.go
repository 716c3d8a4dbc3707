package gormstore_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/database"
	"gorm.io/gorm"
)

func postpone(ctx context.Context, tx *gorm.DB, word string) error {
	return gormstore.Postpone(ctx, tx.Statement.ConnPool, "INSERT INTO notes (id, word, n) VALUES (?, ?, 0)", nil, word)
}

func catchUp(ctx context.Context, tx *gorm.DB) error {
	return gormstore.CatchUp(ctx, tx.Statement.ConnPool)
}

func words(t *testing.T, tx *gorm.DB) (all []string) {
	t.Helper()
	if err := tx.Raw("SELECT word FROM notes ORDER BY id").Scan(&all).Error; err != nil {
		t.Fatal(err)
	}
	return all
}

func TestWhatIsPostponedIsDoneAtTheEndOrWhenSomebodyCatchesUp(t *testing.T) {
	db := database.SQLite(t, notes())
	var before, after []string
	poster := &part{do: func(ctx context.Context, tx *gorm.DB) error { return postpone(ctx, tx, "a") }}
	reader := &part{do: func(ctx context.Context, tx *gorm.DB) error {
		before = words(t, tx)
		err := catchUp(ctx, tx)
		after = words(t, tx)
		return errors.Join(err, postpone(ctx, tx, "b"))
	}}
	inOneGroup(t, db, poster, reader)
	if err := errors.Join(poster.err, reader.err); err != nil {
		t.Fatal(err)
	}
	if len(before) != 0 || !slices.Equal(after, []string{"a"}) || !slices.Equal(words(t, db.Read), []string{"a", "b"}) {
		t.Errorf("saw %v, then %v; kept %v", before, after, words(t, db.Read))
	}
}

func TestAMemberThatFailsTakesBackWhatItPostponedOnly(t *testing.T) {
	db := database.SQLite(t, notes())
	boom := errors.New("boom")
	poster := &part{do: func(ctx context.Context, tx *gorm.DB) error { return postpone(ctx, tx, "a") }}
	failing := &part{do: func(ctx context.Context, tx *gorm.DB) error {
		return errors.Join(boom, postpone(ctx, tx, "x"), catchUp(ctx, tx), postpone(ctx, tx, "y"))
	}}
	last := &part{do: func(ctx context.Context, tx *gorm.DB) error { return postpone(ctx, tx, "b") }}
	inOneGroup(t, db, poster, failing, last)
	if poster.err != nil || last.err != nil || !errors.Is(failing.err, boom) {
		t.Errorf("%v; %v; %v", poster.err, failing.err, last.err)
	}
	if kept := words(t, db.Read); !slices.Equal(kept, []string{"a", "b"}) {
		t.Errorf("kept %v", kept)
	}
}

func TestAPostponedStatementThatFailsIsToldToItsOwner(t *testing.T) {
	db := database.SQLite(t, notes())
	good := &part{do: insert(1)}
	bad := &part{do: func(ctx context.Context, tx *gorm.DB) error {
		return gormstore.Postpone(ctx, tx.Statement.ConnPool, "INSERT INTO nowhere VALUES (1)")
	}}
	inOneGroup(t, db, good, bad)
	if good.err != nil || bad.err == nil {
		t.Errorf("%v; %v", good.err, bad.err)
	}
	if n := count(t, db); n != 1 {
		t.Errorf("%d rows of 1", n)
	}
}

func TestOutsideOfASharedTransactionNothingIsPutOff(t *testing.T) {
	db := database.Postgres(t, notes())
	err := db.Atomically(t.Context(), func(tx *gorm.DB) error {
		err := gormstore.Postpone(t.Context(), tx.Statement.ConnPool, "INSERT INTO notes (id, word, n) VALUES (1, 'a', 0)")
		if seen := words(t, tx); !slices.Equal(seen, []string{"a"}) {
			t.Errorf("saw %v", seen)
		}
		return errors.Join(err, catchUp(t.Context(), tx))
	})
	if err != nil {
		t.Fatal(err)
	}
}
