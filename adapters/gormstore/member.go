package gormstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"

	"gorm.io/gorm"
)

// errEnded refuses what outlived the function that it was given to.
var errEnded = fmt.Errorf("used after the function that Atomically ran had returned: %w", sql.ErrTxDone)

// errNotYours refuses to end what Atomically ends.
var errNotYours = errors.New("a transaction ends with the function that Atomically runs")

// transaction is what GORM and the stores see of a transaction: one caller's
// part of it.
type transaction struct {
	*work
	shared bool        // others are or may come into the same transaction
	ended  atomic.Bool // the part is over
	spoilt atomic.Bool // a statement failed in a way that may have ended the transaction

	topics   map[string]bool // what is to be announced after this transaction
	onCommit []func()        // and what is to be done before that
}

var _ interface {
	gorm.ConnPool
	gorm.TxCommitter
} = (*transaction)(nil)

// admit gives the context to run a statement under. A shared transaction is not
// interrupted, because SQLite would roll all of it back: who has left is stopped
// before the next statement.
func (t *transaction) admit(ctx context.Context) (context.Context, error) {
	switch {
	case t.ended.Load():
		return ctx, errEnded
	case t.shared && ctx.Err() != nil:
		return ctx, ctx.Err()
	case t.shared:
		return context.WithoutCancel(ctx), nil
	}
	return ctx, nil
}

func (t *transaction) note(err error) {
	if t.shared && mayEndTransaction(err) {
		t.spoilt.Store(true)
	}
}

// ExecContext is gorm.ConnPool.
func (t *transaction) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	ctx, err := t.admit(ctx)
	if err != nil {
		return nil, err
	}
	result, err := t.exec(ctx, query, args...)
	t.note(err)
	return result, err
}

// QueryContext is gorm.ConnPool.
func (t *transaction) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	ctx, err := t.admit(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := t.query(ctx, query, args...)
	t.note(err)
	return rows, err
}

// QueryRowContext is gorm.ConnPool. A row bears no error but that of its context.
func (t *transaction) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	ctx, err := t.admit(ctx)
	if err != nil {
		refused, cancel := context.WithCancel(ctx)
		cancel()
		return t.Tx.QueryRowContext(refused, query, args...)
	}
	return t.Tx.QueryRowContext(ctx, query, args...)
}

// Commit is gorm.TxCommitter, by which GORM knows a transaction.
func (t *transaction) Commit() error { return errNotYours }

// Rollback is gorm.TxCommitter.
func (t *transaction) Rollback() error { return errNotYours }
