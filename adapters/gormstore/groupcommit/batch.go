package groupcommit

import (
	"context"
	"database/sql"
	"runtime"
	"time"
)

// The limits of a batch, because its first caller waits for all others.
const (
	maxCallers = 64
	maxTime    = 10 * time.Millisecond
)

// maxPrepared limits the cache of prepared statements.
const maxPrepared = 512

// batch is an open transaction. Until done is closed, only the caller that has the turn
// uses it.
type batch struct {
	writer *Writer
	tx     *sql.Tx
	done   chan struct{} // closed when the transaction has ended; nil if it is not shared
	began  time.Time

	callers    int
	succeeded  bool  // the first caller has succeeded
	err        error // why the batch is rolled back
	deferred   deferredStatements
	statements map[string]*sql.Stmt // executed so far; nil if not prepared yet
}

// beginBatch opens a batch. ctx ends only the wait for a lock on the file, not the
// transaction, because other callers join it.
func (w *Writer) beginBatch(ctx context.Context) (*batch, error) {
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
// The first caller has none: if it fails, the batch is rolled back, and for thousands of
// rows SQLite takes quadratic time within a savepoint.
func (b *batch) run(ctx context.Context, t *Tx, fn Func) (err error) {
	b.callers++
	first, before, ok := b.callers == 1, b.deferred, false
	if !first {
		if b.execControl(ctx, "SAVEPOINT caller"); b.err != nil {
			return b.err
		}
	}
	defer func() {
		t.ended.Store(true)
		b.succeeded = b.succeeded || ok
		if !ok {
			b.deferred = before
		}
		if first {
			return
		}
		if !ok {
			b.execControl(ctx, "ROLLBACK TO caller")
		}
		b.execControl(ctx, "RELEASE caller") // fails if SQLite has ended the transaction
	}()
	err = fn(ctx, t)
	ok = err == nil
	return err
}

func (b *batch) execControl(ctx context.Context, statement string) {
	if b.err == nil {
		_, b.err = b.exec(context.WithoutCancel(ctx), statement)
	}
}

// finishTurn hands the open batch to the next caller in the queue, or ends it. Before
// ending it, it yields once so that goroutines with a finished request can join the
// batch: on one processor, 1.3 of 16 clients share a commit without the yield and nine
// with it.
func (w *Writer) finishTurn(b *batch) {
	if w.handOver(b) {
		return
	}
	runtime.Gosched()
	if w.handOver(b) {
		return
	}
	w.endBatch(b)
	w.releaseTurn()
}

// handOver passes the turn and the batch to a queued caller, if there is one and the
// batch is within its limits.
func (w *Writer) handOver(b *batch) bool {
	if b.err != nil || !b.succeeded || b.callers >= maxCallers || time.Since(b.began) >= maxTime {
		return false
	}
	select {
	case w.next <- b:
		return true
	default:
		return false
	}
}

// endBatch commits the batch, or rolls it back if it is lost or has no successful caller,
// and wakes its callers.
func (w *Writer) endBatch(b *batch) {
	if b.err == nil && b.succeeded {
		if b.err = b.flush(context.Background()); b.err == nil {
			b.err = b.tx.Commit()
		}
	}
	_ = b.tx.Rollback() // does nothing after a commit
	close(b.done)
	w.prepare(b)
}

// prepare prepares the new statements of the batch. This is not possible earlier, because
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

// statement returns the prepared statement of a query, nil if there is none. The rows of
// a query must be read before it is executed again.
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
