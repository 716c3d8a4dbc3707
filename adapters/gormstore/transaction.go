package gormstore

import (
	"context"
	"database/sql"

	"github.com/octavo-books/octavo/adapters/gormstore/groupcommit"
	"gorm.io/gorm"
)

// Atomically runs fn in one transaction and commits it, or rolls it back when fn fails.
// Package groupcommit has the promises; a deadlock or a lock held by another process runs
// fn again too, so fn must have no other effect than on tx. After the last try,
// ErrUnavailable. fn must use tx and its context, and neither after it returned;
// Atomically under that context is groupcommit.ErrNested.
func (db *DB) Atomically(ctx context.Context, fn func(tx *gorm.DB) error) error {
	return db.Transact(ctx, func(ctx context.Context, t *groupcommit.Tx) error {
		tx := db.Write.Session(&gorm.Session{NewDB: true, Context: ctx})
		tx.Statement.ConnPool = t
		return fn(tx)
	})
}

// Transact is Atomically below GORM.
func (db *DB) Transact(ctx context.Context, fn groupcommit.Func) error {
	return Retry(ctx, func() error { return db.writer.Transact(ctx, fn) })
}

// Change is Atomically for one statement, which returns how many rows it changed.
func (db *DB) Change(ctx context.Context, do func(context.Context, *gorm.DB) (int, error)) (rows int, err error) {
	err = db.Atomically(ctx, func(tx *gorm.DB) (err error) {
		rows, err = do(tx.Statement.Context, tx)
		return err
	})
	return rows, err
}

// GORM takes groupcommit's transaction for one of its own.
var _ interface {
	gorm.ConnPool
	gorm.TxCommitter
} = (*groupcommit.Tx)(nil)

// Pool is where statements run: a pool of connections, or what Atomically puts below GORM.
type Pool interface {
	ExecContext(ctx context.Context, statement string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, statement string, args ...any) (*sql.Rows, error)
}

// The functions below do what groupcommit.Tx does, for a pool that is one.

// Announce wakes a reader of Announced after the commit.
func Announce(tx *gorm.DB, topic string) {
	if t, ok := tx.Statement.ConnPool.(*groupcommit.Tx); ok {
		t.Notify(topic)
	}
}

// Announced wakes a reader of the topic.
func (db *DB) Announced(topic string) <-chan struct{} { return db.writer.Notifications(topic) }

// OnCommit calls do after the commit.
func OnCommit(pool Pool, do func()) {
	if t, ok := pool.(*groupcommit.Tx); ok {
		t.OnCommit(do)
	}
}

// Defer executes a statement right before the commit.
func Defer(ctx context.Context, pool Pool, query string, args ...any) error {
	if t, ok := pool.(*groupcommit.Tx); ok {
		return t.Defer(ctx, query, args...)
	}
	_, err := pool.ExecContext(ctx, query, args...)
	return err
}

// Flush executes what Defer has put off.
func Flush(ctx context.Context, pool Pool) error {
	if t, ok := pool.(*groupcommit.Tx); ok {
		return t.Flush(ctx)
	}
	return nil
}
