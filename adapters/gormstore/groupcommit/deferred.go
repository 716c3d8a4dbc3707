package groupcommit

import "context"

// deferredStatements wait for the end of a batch. When a caller is rolled back, they are
// restored to their state before it: the statements that it added are dropped, and
// those that it flushed for others are executed again.
type deferredStatements struct {
	all      []statement
	executed int
}

type statement struct {
	query string
	args  []any
}

// Defer executes a statement just before the commit of the batch. Until then, or until
// Flush, no caller sees its effect. It is for tables on which many small changes cost
// much more than a few large ones: FTS5 writes a segment of its index at every
// savepoint. In a transaction that is not shared, the statement is executed at once.
func (t *Tx) Defer(ctx context.Context, query string, args ...any) error {
	if t.batch.done == nil {
		_, err := t.ExecContext(ctx, query, args...)
		return err
	}
	_, err := t.statementContext(ctx)
	if err == nil {
		t.batch.deferred.all = append(t.batch.deferred.all, statement{query, args})
	}
	return err
}

// Flush executes the deferred statements now, for a caller that must see their effect.
func (t *Tx) Flush(ctx context.Context) error {
	ctx, err := t.statementContext(ctx)
	if err != nil {
		return err
	}
	return t.checkLost(t.batch.flush(ctx))
}

func (b *batch) flush(ctx context.Context) error {
	for d := &b.deferred; d.executed < len(d.all); d.executed++ {
		s := d.all[d.executed]
		if _, err := b.exec(ctx, s.query, s.args...); err != nil {
			return err
		}
	}
	return nil
}
