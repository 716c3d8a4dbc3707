package gormstore_test

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/database"
	"gorm.io/gorm"
)

// part is what one member of a group does, and what it is told.
type part struct {
	do  func(ctx context.Context, tx *gorm.DB) error
	ctx context.Context //nolint:containedctx // each member comes with its own
	err error
	tx  *gorm.DB // the last that it was given
	ran int
}

func insert(id int64) func(context.Context, *gorm.DB) error {
	return func(_ context.Context, tx *gorm.DB) error {
		return tx.Create(&note{ID: id, Word: strconv.FormatInt(id, 10)}).Error
	}
}

// inOneGroup lets the parts come, in their order, while the first is at work.
func inOneGroup(t *testing.T, db *gormstore.DB, parts ...*part) {
	t.Helper()
	db.TakeTime()
	var wg sync.WaitGroup
	all := make(chan struct{})
	for i, p := range parts {
		if p.ctx == nil {
			p.ctx = t.Context()
		}
		began := make(chan struct{})
		wg.Go(func() {
			defer func() { _ = recover() }()
			p.err = db.Atomically(p.ctx, func(tx *gorm.DB) error {
				p.tx, p.ran = tx, p.ran+1
				if i == 0 && p.ran == 1 {
					close(began)
					<-all
				}
				return p.do(p.ctx, tx)
			})
		})
		if i == 0 {
			<-began
		}
		for db.InLine() < i {
			runtime.Gosched()
		}
	}
	close(all)
	wg.Wait()
}

func TestThoseInLineShareATransaction(t *testing.T) {
	db := database.SQLite(t, notes())
	a, b, c := &part{do: insert(1)}, &part{do: insert(2)}, &part{do: insert(3)}
	inOneGroup(t, db, a, b, c)
	if err := errors.Join(a.err, b.err, c.err); err != nil {
		t.Fatal(err)
	}
	if !gormstore.Shared(a.tx, b.tx) || !gormstore.Shared(a.tx, c.tx) {
		t.Error("they had transactions of their own")
	}
	if n := count(t, db); n != 3 {
		t.Errorf("%d rows of 3", n)
	}
}

func TestAMemberThatFailsTakesBackItsOwnPartOnly(t *testing.T) {
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		then func(ctx context.Context, leave func(), tx *gorm.DB) error
		want error
	}{
		"refuses": {func(context.Context, func(), *gorm.DB) error { return boom }, boom},
		"panics":  {func(context.Context, func(), *gorm.DB) error { panic(boom) }, nil},
		"exits":   {func(context.Context, func(), *gorm.DB) error { runtime.Goexit(); return nil }, nil},
		"leaves": {func(ctx context.Context, leave func(), tx *gorm.DB) error {
			leave()
			return insert(98)(ctx, tx)
		}, context.Canceled},
		"violates a constraint": {func(ctx context.Context, _ func(), tx *gorm.DB) error { return insert(99)(ctx, tx) }, gorm.ErrDuplicatedKey},
	} {
		for at := range 3 {
			t.Run(name, func(t *testing.T) {
				db := database.SQLite(t, notes())
				ctx, leave := context.WithCancel(t.Context())
				bad := part{ctx: ctx, do: func(ctx context.Context, tx *gorm.DB) error {
					return errors.Join(insert(99)(ctx, tx), c.then(ctx, leave, tx))
				}}
				parts := []*part{{do: insert(1)}, {do: insert(2)}}
				parts = append(parts[:at:at], append([]*part{&bad}, parts[at:]...)...)
				inOneGroup(t, db, parts...)
				for i, p := range parts {
					if i == at && !errors.Is(p.err, c.want) || i != at && p.err != nil {
						t.Errorf("part %d: %v", i, p.err)
					}
				}
				if n := count(t, db); n != 2 {
					t.Errorf("%d rows of 2", n)
				}
			})
		}
	}
}

func TestWhenATransactionIsLostEachIsRunAgainAlone(t *testing.T) {
	db := database.SQLite(t, notes())
	first, last := &part{do: insert(1)}, &part{do: insert(2)}
	bad := &part{do: func(_ context.Context, tx *gorm.DB) error {
		return errors.Join(insert(3)(t.Context(), tx), tx.Exec("ROLLBACK").Error)
	}}
	inOneGroup(t, db, first, bad, last)
	if first.err != nil || last.err != nil || bad.err == nil {
		t.Errorf("errors: %v; %v; %v", first.err, bad.err, last.err)
	}
	if first.ran != 2 || bad.ran != 2 || gormstore.Shared(first.tx, last.tx) {
		t.Errorf("the first ran %d times, the bad one %d times", first.ran, bad.ran)
	}
	if n := count(t, db); n != 2 {
		t.Errorf("%d rows of 2", n)
	}
}

func TestWhoLeavesTheLineIsNotRun(t *testing.T) {
	db := database.SQLite(t, notes())
	ctx, leave := context.WithCancel(t.Context())
	gone, stays := &part{ctx: ctx, do: insert(2)}, &part{do: insert(3)}
	first := &part{do: func(ctx context.Context, tx *gorm.DB) error {
		leave()
		for db.InLine() > 1 {
			runtime.Gosched()
		}
		return insert(1)(ctx, tx)
	}}
	inOneGroup(t, db, first, gone, stays)
	if !errors.Is(gone.err, context.Canceled) || gone.ran != 0 {
		t.Errorf("ran %d times: %v", gone.ran, gone.err)
	}
	if n := count(t, db); first.err != nil || stays.err != nil || n != 2 {
		t.Errorf("%d rows of 2: %v, %v", n, first.err, stays.err)
	}
}

func TestATransactionWithinAnotherIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		err := db.Atomically(t.Context(), func(tx *gorm.DB) error {
			return db.Atomically(tx.Statement.Context, func(*gorm.DB) error { return nil })
		})
		if !errors.Is(err, gormstore.ErrNested) {
			t.Error(err)
		}
	})
}

func TestATransactionIsOfNoUseAfterItsFunction(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		var kept *gorm.DB
		if err := db.Atomically(t.Context(), func(tx *gorm.DB) error { kept = tx; return nil }); err != nil {
			t.Fatal(err)
		}
		err := db.Atomically(t.Context(), func(*gorm.DB) error {
			if err := kept.Exec("SELECT 1").Error; !errors.Is(err, sql.ErrTxDone) {
				t.Errorf("exec: %v", err)
			}
			if err := kept.Raw("SELECT 1").Row().Scan(new(int)); err == nil {
				t.Error("it read a row")
			}
			return kept.Find(&note{}).Error
		})
		if !errors.Is(err, sql.ErrTxDone) {
			t.Errorf("query: %v", err)
		}
	})
}

func TestNobodyWaitsForATurnForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var line gormstore.Turns
		ctx, cancel := context.WithTimeout(t.Context(), gormstore.Patience/2)
		defer cancel()
		for _, c := range []struct {
			ctx   context.Context //nolint:containedctx // a case of the test
			want  error
			after time.Duration
		}{
			{t.Context(), nil, 0},
			{ctx, context.DeadlineExceeded, gormstore.Patience / 2},
			{t.Context(), gormstore.ErrUnavailable, gormstore.Patience},
		} {
			began := time.Now()
			if err := gormstore.Take(&line, c.ctx); !errors.Is(err, c.want) || time.Since(began) != c.after {
				t.Errorf("%v after %v", err, time.Since(began))
			}
		}
	})
}

// TestMoneyMovesOnceOrNotAtAll lets many move money between two rows; some fail,
// leave or panic half way.
func TestMoneyMovesOnceOrNotAtAll(t *testing.T) {
	db := database.SQLite(t, notes())
	const whole, workers, each = 1_000_000, 16, 40
	for id, n := range []int64{whole, 0} {
		if err := db.Write.Create(&note{ID: int64(id + 1), N: n, Word: string(rune('a' + id))}).Error; err != nil {
			t.Fatal(err)
		}
	}
	var moved atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range each {
				moved.Add(move(t, db, 1+rand.Int64N(9)))
			}
		})
	}
	wg.Wait()
	var left, right note
	if err := errors.Join(db.Read.First(&left, 1).Error, db.Read.First(&right, 2).Error); err != nil {
		t.Fatal(err)
	}
	if left.N+right.N != whole || right.N != moved.Load() {
		t.Errorf("%d left and %d moved; told of %d", left.N, right.N, moved.Load())
	}
}

// move says what it was told was moved.
func move(t *testing.T, db *gormstore.DB, n int64) (moved int64) {
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	defer func() { _ = recover() }()
	fate := rand.N(10)
	err := db.Atomically(ctx, func(tx *gorm.DB) error {
		if err := tx.Exec("UPDATE notes SET n = n - ? WHERE id = 1", n).Error; err != nil {
			return err
		}
		switch fate {
		case 0:
			leave()
		case 1:
			panic("half way")
		case 2:
			return sql.ErrNoRows
		}
		return tx.Exec("UPDATE notes SET n = n + ? WHERE id = 2", n).Error
	})
	if err != nil {
		return 0
	}
	return n
}
