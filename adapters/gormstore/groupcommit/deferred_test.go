package groupcommit_test

import (
	"context"
	"errors"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore/groupcommit"
	"github.com/octavo-books/octavo/test/must"
)

func deferInsert(word string) groupcommit.Func {
	return func(ctx context.Context, tx *groupcommit.Tx) error { return tx.Defer(ctx, insertNote, word) }
}

func TestADeferredStatementIsExecutedBeforeTheCommitOrByAFlush(t *testing.T) {
	shared(t, func(b *fixture) {
		var before, after string
		reader := &caller{do: func(ctx context.Context, tx *groupcommit.Tx) (err error) {
			if before, err = words(ctx, tx); err != nil {
				return err
			}
			if err := tx.Flush(ctx); err != nil {
				return err
			}
			if after, err = words(ctx, tx); err != nil {
				return err
			}
			return deferInsert("b")(ctx, tx)
		}}
		writer := &caller{do: deferInsert("a")}
		b.together(writer, reader)
		if got := b.words(); writer.err != nil || reader.err != nil || before != "" || after != "a" || got != "a b" {
			b.Errorf("saw %q, then %q; committed %q; %v; %v", before, after, got, writer.err, reader.err)
		}
	})
}

func TestACallerThatFailsDropsOnlyItsOwnDeferredStatements(t *testing.T) {
	shared(t, func(b *fixture) {
		first, last := &caller{do: deferInsert("a")}, &caller{do: deferInsert("b")}
		bad := &caller{do: func(ctx context.Context, tx *groupcommit.Tx) error {
			return errors.Join(errBoom, deferInsert("x")(ctx, tx), tx.Flush(ctx), deferInsert("y")(ctx, tx))
		}}
		b.together(first, bad, last)
		if got := b.words(); got != "a b" || first.err != nil || last.err != nil || !errors.Is(bad.err, errBoom) {
			b.Errorf("committed %q; %v; %v; %v", got, first.err, bad.err, last.err)
		}
	})
}

func TestADeferredStatementThatFailsFailsOnlyItsCaller(t *testing.T) {
	shared(t, func(b *fixture) {
		good := &caller{do: insert("a")}
		bad := &caller{do: func(ctx context.Context, tx *groupcommit.Tx) error {
			return tx.Defer(ctx, "INSERT INTO nowhere VALUES (1)")
		}}
		b.together(good, bad)
		if got := b.words(); got != "a" || good.err != nil || bad.err == nil {
			b.Errorf("committed %q; %v; %v", got, good.err, bad.err)
		}
	})
}

func TestOutsideABatchADeferredStatementIsExecutedAtOnce(t *testing.T) {
	b := open(t, "separate")
	must.Do(t, b.Transact(t.Context(), func(ctx context.Context, tx *groupcommit.Tx) error {
		err := deferInsert("a")(ctx, tx)
		if seen, _ := words(ctx, tx); seen != "a" {
			t.Errorf("saw %q", seen)
		}
		return errors.Join(err, tx.Flush(ctx))
	}))
}
