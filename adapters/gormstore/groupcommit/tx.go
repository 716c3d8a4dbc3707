package groupcommit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
)

var (
	errEnded    = fmt.Errorf("used after the function of the transaction had returned: %w", sql.ErrTxDone)
	errNotYours = errors.New("a transaction ends with its function")
)

// Tx is a transaction as its caller sees it.
type Tx struct {
	batch    *batch
	ended    atomic.Bool
	onCommit []func()
}

// enter gives the context to execute a statement under.
func (t *Tx) enter(ctx context.Context) (context.Context, error) {
	switch b := t.batch; {
	case t.ended.Load():
		return ctx, errEnded
	case b.done == nil:
		return ctx, nil
	case b.err != nil: // SQLite would commit each further statement by itself
		return ctx, errLost
	default:
		return context.WithoutCancel(ctx), ctx.Err()
	}
}

// check notices that a statement may have ended the transaction.
func (t *Tx) check(err error) error {
	if err != nil && t.batch.done != nil && t.batch.writer.endsTransaction(err) {
		t.batch.err = err
	}
	return err
}

// ExecContext executes a statement.
func (t *Tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	ctx, err := t.enter(ctx)
	if err != nil {
		return nil, err
	}
	result, err := t.batch.exec(ctx, query, args...)
	return result, t.check(err)
}

// QueryContext executes a query. Its rows must have been read before it is executed again.
func (t *Tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	ctx, err := t.enter(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := t.batch.query(ctx, query, args...)
	return rows, t.check(err)
}

// QueryRowContext executes a query for one row. A row that is refused bears no error but
// that of its context.
func (t *Tx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	ctx, err := t.enter(ctx)
	if err != nil {
		refused, cancel := context.WithCancel(ctx)
		cancel()
		return t.batch.tx.QueryRowContext(refused, query, args...)
	}
	return t.batch.tx.QueryRowContext(ctx, query, args...)
}

// PrepareContext prepares a statement that ends with the transaction. There is no need
// to: what a batch executes is kept prepared.
func (t *Tx) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	ctx, err := t.enter(ctx)
	if err != nil {
		return nil, err
	}
	return t.batch.tx.PrepareContext(ctx, query)
}

// Commit and Rollback refuse: a transaction ends with its function. GORM knows a
// transaction by them.
func (t *Tx) Commit() error { return errNotYours }

// Rollback refuses like Commit.
func (t *Tx) Rollback() error { return errNotYours }

// OnCommit calls do after the commit, and never if there is none. do must not use the
// database.
func (t *Tx) OnCommit(do func()) { t.onCommit = append(t.onCommit, do) }

func (t *Tx) committed() {
	for _, do := range t.onCommit {
		do()
	}
}

// Notify wakes a reader of the topic after the commit. It says that something changed,
// not what; other processes do not notice.
func (t *Tx) Notify(topic string) {
	t.OnCommit(func() {
		select {
		case t.batch.writer.topic(topic) <- struct{}{}:
		default: // one waits to be read already
		}
	})
}

// Notifications are those of a topic. Several that nobody has read yet become one; of
// several readers one gets it.
func (w *Writer) Notifications(topic string) <-chan struct{} { return w.topic(topic) }

func (w *Writer) topic(name string) chan struct{} {
	c, _ := w.topics.LoadOrStore(name, make(chan struct{}, 1))
	return c.(chan struct{})
}
