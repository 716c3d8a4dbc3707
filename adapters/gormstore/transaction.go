package gormstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/octavo-books/octavo/adapters/gormstore/groupcommit"
	"github.com/octavo-books/octavo/adapters/gormstore/wakeup"
	"gorm.io/gorm"
)

// Atomically runs fn in one transaction and commits it, or rolls it back if fn fails. The
// package comment of groupcommit states the promises. After a deadlock or a lock of
// another process fn runs again, so it must have no effect except through tx; after the
// last attempt the error is ErrUnavailable. fn must use tx and its context, and neither
// after it has returned. A nested Atomically under that context is groupcommit.ErrNested.
func (db *DB) Atomically(ctx context.Context, fn func(tx *gorm.DB) error) error {
	return db.Transact(ctx, func(ctx context.Context, t *groupcommit.Tx) error {
		tx := db.Write.Session(&gorm.Session{NewDB: true, Context: ctx})
		tx.Statement.ConnPool = t
		return fn(tx)
	})
}

// Transact is Atomically without GORM.
func (db *DB) Transact(ctx context.Context, fn groupcommit.Func) error {
	return Retry(ctx, func() error {
		if db.twice {
			if err := db.writer.Transact(ctx, lost(fn)); !errors.Is(err, errLost) {
				return err
			}
		}
		return db.writer.Transact(ctx, fn)
	})
}

// RunTwice makes every transaction roll back once at its end, as after a deadlock, and run again.
// With it tests find functions that have an effect outside their transaction.
func (db *DB) RunTwice() { db.twice = true }

var errLost = errors.New("the transaction was lost at its end")

// lost runs fn and rolls it back.
func lost(fn groupcommit.Func) groupcommit.Func {
	return func(ctx context.Context, tx *groupcommit.Tx) error {
		if err := fn(ctx, tx); err != nil {
			return err
		}
		return errLost
	}
}

// ChangeRows is Atomically for a statement that returns the number of rows it changed.
func (db *DB) ChangeRows(ctx context.Context, do func(context.Context, *gorm.DB) (int, error)) (rows int, err error) {
	err = db.Atomically(ctx, func(tx *gorm.DB) (err error) {
		rows, err = do(tx.Statement.Context, tx)
		return err
	})
	return rows, err
}

// GORM accepts a groupcommit.Tx as its own transaction.
var _ interface {
	gorm.ConnPool
	gorm.TxCommitter
} = (*groupcommit.Tx)(nil)

// Pool runs statements: a pool of connections, or the transaction of Atomically.
type Pool interface {
	ExecContext(ctx context.Context, statement string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, statement string, args ...any) (*sql.Rows, error)
}

// The functions below call groupcommit.Tx for a pool that is a transaction.

// NotifyAfterCommit wakes, after the commit, one loop that waits for the topic in each process.
func NotifyAfterCommit(tx *gorm.DB, topic string) {
	Notify(tx.Statement.ConnPool, topic)
}

// Notify is NotifyAfterCommit without GORM.
func Notify(pool Pool, topic string) {
	if t, ok := pool.(*groupcommit.Tx); ok {
		t.Notify(topic)
	}
}

// Wakeups returns the hub of the loops that wait for NotifyAfterCommit.
func (db *DB) Wakeups() *wakeup.Hub { return db.writer.Wakeups() }

// OnCommit calls do after the commit.
func OnCommit(pool Pool, do func()) {
	if t, ok := pool.(*groupcommit.Tx); ok {
		t.OnCommit(do)
	}
}

// Defer executes a statement just before the commit.
func Defer(ctx context.Context, pool Pool, query string, args ...any) error {
	if t, ok := pool.(*groupcommit.Tx); ok {
		return t.Defer(ctx, query, args...)
	}
	_, err := pool.ExecContext(ctx, query, args...)
	return err
}

// Flush executes the deferred statements now.
func Flush(ctx context.Context, pool Pool) error {
	if t, ok := pool.(*groupcommit.Tx); ok {
		return t.Flush(ctx)
	}
	return nil
}
