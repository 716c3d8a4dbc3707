package groupcommit

import "context"

// deferred are the statements that wait for the end of a batch. A caller that is rolled
// back leaves them as they were before it: what it has added is dropped, and what it has
// flushed for others is to be executed again.
type deferred struct {
	all      []statement
	executed int
}

type statement struct {
	query string
	args  []any
}

// Defer executes a statement right before the commit of the batch. Until then, or until
// Flush, no caller sees what it does. It is for tables that many small changes cost much
// more than a few large ones: FTS5 writes a segment of its index at every savepoint. In a
// transaction of its own the statement is executed at once.
func (t *Tx) Defer(ctx context.Context, query string, args ...any) error {
	if t.batch.done == nil {
		_, err := t.ExecContext(ctx, query, args...)
		return err
	}
	_, err := t.enter(ctx)
	if err == nil {
		t.batch.deferred.all = append(t.batch.deferred.all, statement{query, args})
	}
	return err
}

// Flush executes what Defer has put off, for a caller that must see it.
func (t *Tx) Flush(ctx context.Context) error {
	ctx, err := t.enter(ctx)
	if err != nil {
		return err
	}
	return t.check(t.batch.flush(ctx))
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
