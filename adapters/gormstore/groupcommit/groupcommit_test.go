package groupcommit_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/groupcommit"
	"github.com/octavo-books/octavo/test/must"
)

var errBoom = errors.New("boom")

func TestQueuedCallersShareATransactionAndReturnAfterItsCommit(t *testing.T) {
	shared(t, func(b *fixture) {
		var callers []*caller
		for i := range 3 {
			callers = append(callers, &caller{do: func(ctx context.Context, tx *groupcommit.Tx) error {
				tx.OnCommit(func() {
					if got := b.words(); got != "0 1 2" {
						b.Errorf("committed: %q", got)
					}
				})
				if got := b.words(); got != "" {
					b.Errorf("committed before the end: %q", got)
				}
				return insert(fmt.Sprint(i))(ctx, tx)
			}})
		}
		b.together(callers...)
		for _, c := range callers {
			if c.err != nil || !groupcommit.SameBatch(c.tx, callers[0].tx) {
				b.Errorf("%v, or it had its own transaction", c.err)
			}
		}
	})
}

func TestACallerThatFailsLosesOnlyItsOwnWork(t *testing.T) {
	for name, c := range map[string]struct {
		then func(ctx context.Context, leave func(), tx *groupcommit.Tx) error
		want string
	}{
		"an error": {func(context.Context, func(), *groupcommit.Tx) error { return errBoom }, "boom"},
		"a panic":  {func(context.Context, func(), *groupcommit.Tx) error { panic("boom") }, ""},
		"an exit":  {func(context.Context, func(), *groupcommit.Tx) error { runtime.Goexit(); return nil }, ""},
		"its context ends": {func(ctx context.Context, leave func(), tx *groupcommit.Tx) error {
			leave()
			return insert("y")(ctx, tx)
		}, "canceled"},
		"a violated constraint": {func(ctx context.Context, _ func(), tx *groupcommit.Tx) error { return insert("x")(ctx, tx) }, "UNIQUE"},
	} {
		for at := range 3 {
			t.Run(fmt.Sprint(name, at), func(t *testing.T) {
				shared(t, func(b *fixture) {
					ctx, leave := context.WithCancel(b.Context())
					defer leave()
					bad := &caller{ctx: ctx, do: func(ctx context.Context, tx *groupcommit.Tx) error {
						return errors.Join(insert("x")(ctx, tx), c.then(ctx, leave, tx))
					}}
					good := []*caller{{do: insert("a")}, {do: insert("b")}}
					all := append(append(append([]*caller{}, good[:at]...), bad), good[at:]...)
					b.together(all...)
					if got := fmt.Sprint(bad.err); !strings.Contains(got, c.want) || c.want == "" != (bad.err == nil) {
						b.Error(got)
					}
					if got := b.words(); got != "a b" || good[0].err != nil || good[1].err != nil || good[1].ran != 1 {
						b.Errorf("committed: %q; %v; %v", got, good[0].err, good[1].err)
					}
				})
			})
		}
	}
}

func TestEachCallerOfALostBatchRunsAgainInItsOwnTransaction(t *testing.T) {
	for name, lose := range map[string]string{"rolled back": "ROLLBACK", "an error that may have rolled back": "SELECT * FROM nowhere"} {
		t.Run(name, func(t *testing.T) {
			shared(t, func(b *fixture) {
				first, last := &caller{do: insert("a")}, &caller{do: insert("b")}
				bad := &caller{do: func(ctx context.Context, tx *groupcommit.Tx) error {
					failed := insert("x")(ctx, tx)
					_, err := tx.ExecContext(ctx, lose)
					return errors.Join(failed, err)
				}}
				b.together(first, bad, last)
				if first.err != nil || last.err != nil || bad.err == nil {
					b.Errorf("%v; %v; %v", first.err, bad.err, last.err)
				}
				if first.ran != 2 || bad.ran != 2 || groupcommit.SameBatch(first.tx, last.tx) {
					b.Errorf("the first ran %d times, the bad one %d times", first.ran, bad.ran)
				}
				if got := b.words(); got != "a b" {
					b.Errorf("committed: %q", got)
				}
			})
		})
	}
}

func TestAStatementAfterALostTransactionIsRefused(t *testing.T) {
	shared(t, func(b *fixture) {
		c := &caller{do: func(ctx context.Context, tx *groupcommit.Tx) error {
			_, lost := tx.ExecContext(ctx, "SELECT * FROM nowhere")
			if err := insert("x")(ctx, tx); err == nil {
				b.Error("it was executed, after the end of its transaction")
			}
			if lost == nil {
				b.Error("nothing was lost")
			}
			return nil // even if the function hides the error
		}}
		b.together(c)
		if c.err == nil || b.words() != "" || c.ran != 1 {
			b.Errorf("ran %d times: %v", c.ran, c.err)
		}
	})
}

func TestACallerThatLeavesTheQueueDoesNotRun(t *testing.T) {
	shared(t, func(b *fixture) {
		ctx, leave := context.WithCancel(b.Context())
		gone, stays := &caller{ctx: ctx, do: insert("x")}, &caller{do: insert("b")}
		first := &caller{do: func(ctx context.Context, tx *groupcommit.Tx) error {
			leave()
			synctest.Wait()
			return insert("a")(ctx, tx)
		}}
		b.together(first, gone, stays)
		if !errors.Is(gone.err, context.Canceled) || gone.ran != 0 {
			b.Errorf("ran %d times: %v", gone.ran, gone.err)
		}
		if got := b.words(); got != "a b" {
			b.Errorf("committed: %q", got)
		}
	})
}

func TestACallerWaitsForItsTurnWithALimit(t *testing.T) {
	shared(t, func(b *fixture) {
		soon, cancel := context.WithTimeout(b.Context(), groupcommit.MaxWait/2)
		defer cancel()
		slow := &caller{do: func(context.Context, *groupcommit.Tx) error { <-time.After(2 * groupcommit.MaxWait); return nil }}
		hurried, patient := &caller{ctx: soon, do: insert("x")}, &caller{do: insert("y")}
		b.together(slow, hurried, patient)
		if !errors.Is(hurried.err, context.DeadlineExceeded) || !errors.Is(patient.err, groupcommit.ErrBusy) || b.words() != "" {
			b.Errorf("%v; %v", hurried.err, patient.err)
		}
	})
}

func TestABatchHasALimitOfCallersAndTime(t *testing.T) {
	shared(t, func(b *fixture) {
		callers := make([]*caller, groupcommit.MaxCallers+3)
		for i := range callers {
			callers[i] = &caller{do: insert(fmt.Sprint(i))}
		}
		slow := groupcommit.MaxCallers + 1
		callers[slow].do = func(context.Context, *groupcommit.Tx) error { <-time.After(groupcommit.MaxTime); return nil }
		b.together(callers...)
		for i := 1; i < len(callers); i++ {
			same := groupcommit.SameBatch(callers[i-1].tx, callers[i].tx)
			if want := i != groupcommit.MaxCallers && i != slow+1; same != want || callers[i].err != nil {
				b.Errorf("callers %d and %d in one batch: %v; %v", i-1, i, same, callers[i].err)
			}
		}
	})
}

func TestATransactionWithinAnotherIsRefused(t *testing.T) {
	onEach(t, func(b *fixture) {
		err := b.Transact(b.Context(), func(ctx context.Context, _ *groupcommit.Tx) error { return b.Transact(ctx, insert("x")) })
		if !errors.Is(err, groupcommit.ErrNested) {
			b.Error(err)
		}
	})
}

func TestATransactionEndsWithItsFunction(t *testing.T) {
	onEach(t, func(b *fixture) {
		var kept *groupcommit.Tx
		must.Do(b, b.Transact(b.Context(), func(_ context.Context, tx *groupcommit.Tx) error {
			kept = tx
			if tx.Commit() == nil || tx.Rollback() == nil {
				b.Error("its function ended it")
			}
			return nil
		}))
		_, execErr := kept.ExecContext(b.Context(), insertNote, "x")
		_, queryErr := kept.QueryContext(b.Context(), "SELECT 1")     //nolint:sqlclosecheck,rowserrcheck // refused
		_, prepareErr := kept.PrepareContext(b.Context(), "SELECT 1") //nolint:sqlclosecheck // refused
		rowErr := kept.QueryRowContext(b.Context(), "SELECT 1").Scan(new(int))
		for what, err := range map[string]error{
			"exec": execErr, "query": queryErr, "prepare": prepareErr,
			"defer": kept.Defer(b.Context(), insertNote, "x"), "flush": kept.Flush(b.Context()),
		} {
			if !errors.Is(err, sql.ErrTxDone) {
				b.Errorf("%s: %v", what, err)
			}
		}
		if rowErr == nil {
			b.Error("it read a row")
		}
	})
}

func TestCallbacksAndNotificationsRunOnlyAfterTheCommit(t *testing.T) {
	onEach(t, func(b *fixture) {
		heard := 0
		b.Wakeups().NotifyOthers(func(string) { heard++ })
		for _, outcome := range []error{errBoom, nil} {
			done := ""
			err := b.Transact(b.Context(), func(ctx context.Context, tx *groupcommit.Tx) error {
				tx.OnCommit(func() { done = b.words() })
				tx.Notify("news")
				tx.Notify("news")
				return errors.Join(insert("a")(ctx, tx), outcome)
			})
			want := map[error]string{nil: "a"}[outcome]
			if !errors.Is(err, outcome) || done != want || heard != 2*len(want) {
				b.Errorf("outcome %v: saw %q, %d notifications, %v", outcome, done, heard, err)
			}
		}
	})
}

// Many callers move money between two rows; some fail, leave the queue or panic half way.
func TestMoneyMovesOnceOrNotAtAll(t *testing.T) {
	b := open(t, "shared")
	for _, word := range []string{"left", "right"} {
		must.Do(t, b.Transact(t.Context(), insert(word)))
	}
	var moved atomic.Int64
	must.Together(16, func(int) {
		for range 40 {
			moved.Add(b.move(1 + rand.Int64N(9)))
		}
	})
	var left, right int64
	err := b.read.QueryRowContext(t.Context(), "SELECT l.n, r.n FROM notes l, notes r WHERE l.word = 'left' AND r.word = 'right'").Scan(&left, &right)
	if err != nil || left+right != 0 || right != moved.Load() || right == 0 {
		t.Errorf("%d and %d after moving %d: %v", left, right, moved.Load(), err)
	}
}

// move returns the amount that was moved, as far as the caller knows.
func (b *fixture) move(n int64) (moved int64) {
	ctx, leave := context.WithCancel(b.Context())
	defer leave()
	defer func() { _ = recover() }()
	const change = "UPDATE notes SET n = n + ? WHERE word = ?"
	err := b.Transact(ctx, func(ctx context.Context, tx *groupcommit.Tx) error {
		if _, err := tx.ExecContext(ctx, change, -n, "left"); err != nil {
			return err
		}
		switch rand.N(10) {
		case 0:
			leave()
		case 1:
			panic("half way")
		case 2:
			return errBoom
		}
		return must.Err(tx.ExecContext(ctx, change, n, "right"))
	})
	if err != nil {
		return 0
	}
	return n
}
