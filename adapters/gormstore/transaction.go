package gormstore

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"gorm.io/gorm"
)

// ErrUnavailable is what a caller sees while the database is away or too busy.
var ErrUnavailable = fault.New(fault.Unavailable, "unavailable", "The service is busy or partly down. Please try again in a moment.").After(2 * time.Second)

// ErrNested refuses a transaction within another: it would wait for itself.
var ErrNested = errors.New("Atomically was called within a function that it runs")

// within marks the context of a function that Atomically runs.
type within struct{ db *DB }

const transactionTries = 6

// Atomically runs fn in one transaction and commits it, or rolls it back when fn
// fails. A deadlock, a lock held for too long or a failure of others runs fn
// again, so fn must have no other effect than on tx. After the last try,
// ErrUnavailable. fn must use tx and its context, and neither after it returned;
// Atomically under that context is ErrNested.
//
// On SQLite those who come while somebody writes share a transaction: each has
// what it did kept or taken back as if it were alone, and returns after the
// commit. Who leaves while waiting is not run.
func (db *DB) Atomically(ctx context.Context, fn func(tx *gorm.DB) error) error {
	if ctx.Value(within{db}) != nil {
		return ErrNested
	}
	return Retry(ctx, func() error { return db.transact(ctx, fn) })
}

// Retry runs fn, which does one transaction, again after a deadlock, a serialization
// failure or a lock that another process holds. After the last try, ErrUnavailable.
func Retry(ctx context.Context, fn func() error) error {
	var err error
	for try := range transactionTries {
		err = fn()
		if !mayRetry(err) {
			return Explain(err)
		}
		if !pause(ctx, time.Duration(1<<try)*time.Millisecond) {
			break
		}
	}
	return errors.Join(ErrUnavailable, err)
}

// Exec runs one statement in a transaction of Atomically and tells how many rows it
// changed.
func (db *DB) Exec(ctx context.Context, statement string, args ...any) (rows int, err error) {
	err = db.Atomically(ctx, func(tx *gorm.DB) error {
		done := tx.Exec(statement, args...)
		rows = int(done.RowsAffected)
		return done.Error
	})
	return rows, err
}

// transact runs fn in one transaction. A panic in fn rolls it back.
func (db *DB) transact(ctx context.Context, fn func(tx *gorm.DB) error) error {
	if db.Dialect != SQLite {
		return db.own(ctx, fn)
	}
	err := db.share(ctx, false, fn)
	if errors.Is(err, errLost) {
		err = db.share(ctx, true, fn)
	}
	return err
}

// own runs fn in a transaction of its own.
func (db *DB) own(ctx context.Context, fn func(tx *gorm.DB) error) error {
	begun, err := db.writePool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = begun.Rollback() }() // nothing is left to roll back after the commit
	t := &transaction{work: &work{Tx: begun}, topics: map[string]bool{}}
	defer t.ended.Store(true)
	if err := fn(db.session(ctx, t)); err != nil {
		return err
	}
	if err := begun.Commit(); err != nil {
		return err
	}
	db.committed(t)
	return nil
}

// session is GORM within a transaction.
func (db *DB) session(ctx context.Context, t *transaction) *gorm.DB {
	tx := db.Write.Session(&gorm.Session{NewDB: true, Context: context.WithValue(ctx, within{db}, true)})
	tx.Statement.ConnPool = t
	return tx
}

func mayRetry(err error) bool {
	return err != nil && (isSQLiteBusy(err) || isPostgresRetry(err))
}

// pause waits about d, unless the caller leaves first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d/2 + rand.N(d))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
