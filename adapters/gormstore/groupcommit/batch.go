package groupcommit

import (
	"context"
	"database/sql"
	"runtime"
	"time"
)

// What a batch is bounded by: its first caller waits for all others.
const (
	maxCallers = 64
	maxTime    = 10 * time.Millisecond
)

// maxPrepared bounds the statements that are kept prepared.
const maxPrepared = 512

// batch is an open transaction. Only the caller that has the turn touches it, until it
// is done.
type batch struct {
	writer *Writer
	tx     *sql.Tx
	done   chan struct{} // closed when the transaction has ended; nil if it is not shared
	began  time.Time

	callers    int
	kept       bool  // the first caller has succeeded
	err        error // why the batch is rolled back
	deferred   deferred
	statements map[string]*sql.Stmt // that were executed; nil: not prepared yet
}

// begin opens a batch. ctx ends the waiting for a lock on the file, not the transaction:
// other callers come into it.
func (w *Writer) begin(ctx context.Context) (*batch, error) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	tx, err := w.pool.BeginTx(own, nil)
	if !stop() {
		if err == nil {
			_ = tx.Rollback()
		}
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return &batch{writer: w, tx: tx, done: make(chan struct{}), began: time.Now(), statements: map[string]*sql.Stmt{}}, nil
}

// run runs one caller's function, within a savepoint if others have written before it.
// The first needs none, because a batch whose first caller failed is rolled back; and
// SQLite spends the square of the time on thousands of rows within one.
func (b *batch) run(ctx context.Context, t *Tx, fn Func) (err error) {
	b.callers++
	first, before, ok := b.callers == 1, b.deferred, false
	if !first {
		if b.control(ctx, "SAVEPOINT caller"); b.err != nil {
			return b.err
		}
	}
	defer func() {
		t.ended.Store(true)
		b.kept = b.kept || ok
		if !ok {
			b.deferred = before
		}
		if first {
			return
		}
		if !ok {
			b.control(ctx, "ROLLBACK TO caller")
		}
		b.control(ctx, "RELEASE caller") // fails if SQLite has ended the transaction
	}()
	err = fn(ctx, t)
	ok = err == nil
	return err
}

func (b *batch) control(ctx context.Context, statement string) {
	if b.err == nil {
		_, b.err = b.exec(context.WithoutCancel(ctx), statement)
	}
}

// leave passes the turn on, to the next caller in the queue if the batch may grow. On one
// processor callers whose requests have arrived get into the queue only if they are let
// run first: without the yield 1.3 of 16 clients share a commit, with it nine.
func (w *Writer) leave(b *batch) {
	if w.passOn(b) {
		return
	}
	runtime.Gosched()
	if w.passOn(b) {
		return
	}
	w.end(b)
	w.release()
}

// passOn gives the turn and the batch to a caller that waits, if there is one and the batch
// may grow.
func (w *Writer) passOn(b *batch) bool {
	if b.err != nil || !b.kept || b.callers >= maxCallers || time.Since(b.began) >= maxTime {
		return false
	}
	select {
	case w.next <- b:
		return true
	default:
		return false
	}
}

// end commits the batch, or rolls it back if it is lost or empty, and wakes its callers.
func (w *Writer) end(b *batch) {
	if b.err == nil && b.kept {
		if b.err = b.flush(context.Background()); b.err == nil {
			b.err = b.tx.Commit()
		}
	}
	_ = b.tx.Rollback() // does nothing after a commit
	close(b.done)
	w.prepare(b)
}

// prepare prepares what the batch has executed unprepared. Within the batch it could not:
// a statement that is prepared in a transaction ends with it.
func (w *Writer) prepare(b *batch) {
	for query, s := range b.statements {
		if s != nil || len(w.prepared) >= maxPrepared {
			continue
		}
		if s, err := w.pool.PrepareContext(context.Background(), query); err == nil { //nolint:sqlclosecheck // kept until the pool closes
			w.prepared[query] = s
		}
	}
}

// statement gives a statement prepared, or nil. The rows of a query must have been read
// before it is executed again.
func (b *batch) statement(ctx context.Context, query string) *sql.Stmt {
	s, seen := b.statements[query]
	if !seen && b.done != nil {
		if known := b.writer.prepared[query]; known != nil {
			s = b.tx.StmtContext(ctx, known)
		}
		b.statements[query] = s
	}
	return s
}

func (b *batch) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if s := b.statement(ctx, query); s != nil { //nolint:sqlclosecheck // ends with the transaction
		return s.ExecContext(ctx, args...)
	}
	return b.tx.ExecContext(ctx, query, args...)
}

func (b *batch) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if s := b.statement(ctx, query); s != nil { //nolint:sqlclosecheck // ends with the transaction
		return s.QueryContext(ctx, args...)
	}
	return b.tx.QueryContext(ctx, query, args...)
}
