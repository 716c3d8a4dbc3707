package groupcommit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/octavo-books/octavo/adapters/gormstore/wakeup"
)

var (
	errEnded        = fmt.Errorf("transaction used after its function had returned: %w", sql.ErrTxDone)
	errEndsWithFunc = errors.New("a transaction ends with its function")
)

// Tx is a caller's view of its transaction.
type Tx struct {
	batch    *batch
	ended    atomic.Bool
	onCommit []func()
}

// statementContext returns the context for a statement, or why it is refused.
func (t *Tx) statementContext(ctx context.Context) (context.Context, error) {
	switch b := t.batch; {
	case t.ended.Load():
		return ctx, errEnded
	case b.done == nil:
		return ctx, nil
	case b.err != nil: // after a lost transaction, SQLite would commit each statement by itself
		return ctx, errBatchLost
	default:
		return context.WithoutCancel(ctx), ctx.Err()
	}
}

// checkLost marks the batch as lost if the error may have ended the transaction.
func (t *Tx) checkLost(err error) error {
	if err != nil && t.batch.done != nil && t.batch.writer.endsTransaction(err) {
		t.batch.err = err
	}
	return err
}

// ExecContext executes a statement.
func (t *Tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	ctx, err := t.statementContext(ctx)
	if err != nil {
		return nil, err
	}
	result, err := t.batch.exec(ctx, query, args...)
	return result, t.checkLost(err)
}

// QueryContext executes a query. Its rows must be read before it is executed again.
func (t *Tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	ctx, err := t.statementContext(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := t.batch.query(ctx, query, args...)
	return rows, t.checkLost(err)
}

// QueryRowContext executes a query for one row. If the query is refused, the row's error
// is context.Canceled, because sql.Row cannot carry another.
func (t *Tx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	ctx, err := t.statementContext(ctx)
	if err != nil {
		refused, cancel := context.WithCancel(ctx)
		cancel()
		return t.batch.tx.QueryRowContext(refused, query, args...)
	}
	return t.batch.tx.QueryRowContext(ctx, query, args...)
}

// PrepareContext prepares a statement that ends with the transaction. It is not needed
// for speed, because the writer caches prepared statements.
func (t *Tx) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	ctx, err := t.statementContext(ctx)
	if err != nil {
		return nil, err
	}
	return t.batch.tx.PrepareContext(ctx, query)
}

// Commit always fails, because a transaction ends with its function. GORM recognises a
// transaction by this method and Rollback.
func (t *Tx) Commit() error { return errEndsWithFunc }

// Rollback always fails, like Commit.
func (t *Tx) Rollback() error { return errEndsWithFunc }

// OnCommit calls do after the commit, or never if there is none. do must not use the
// writer.
func (t *Tx) OnCommit(do func()) { t.onCommit = append(t.onCommit, do) }

func (t *Tx) runOnCommit() {
	for _, do := range t.onCommit {
		do()
	}
}

// Notify sends a notification on the topic after the commit.
func (t *Tx) Notify(topic string) {
	t.OnCommit(func() { t.batch.writer.wakeups.Notify(topic) })
}

// Wakeups returns the hub of Notify.
func (w *Writer) Wakeups() *wakeup.Hub { return w.wakeups }
