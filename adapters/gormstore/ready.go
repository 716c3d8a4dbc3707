package gormstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"gorm.io/gorm"
)

// writeCheckInterval is how long the result of a write check is reused.
const writeCheckInterval = 5 * time.Second

// writeCheck is the result of the last write check.
type writeCheck struct {
	mu        sync.Mutex
	checkedAt time.Time
	err       error
}

// Ready returns an error unless the database answers and accepts writes; it may be
// read-only, or its disk full. It writes at most every few seconds.
func (db *DB) Ready(ctx context.Context, m Migrations) error {
	if err := db.Ping(ctx); err != nil {
		return err
	}
	w := &db.writable
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.checkedAt.IsZero() && time.Since(w.checkedAt) < writeCheckInterval {
		return w.err
	}
	if err := db.TryWrite(ctx, m); !isInconclusive(err) {
		w.err = err
	}
	w.checkedAt = time.Now()
	return w.err
}

// TryWrite writes the time to the unused row of the component's version 0. SQLite would
// not write an unchanged row.
func (db *DB) TryWrite(ctx context.Context, m Migrations) error {
	return db.Atomically(ctx, func(tx *gorm.DB) error {
		return tx.Exec("UPDATE " + m.table() + " SET tstamp = CURRENT_TIMESTAMP WHERE version_id = 0").Error
	})
}

// Inconclusive reports that a try timed out because the machine or the database is busy, which says
// nothing about the database.
func Inconclusive(err error) bool { return err != nil && isInconclusive(err) }

// isInconclusive reports that the write timed out because others were writing.
func isInconclusive(err error) bool {
	code := postgresCode(err)
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || mayRetry(err) ||
		code == "57014" || code == "55P03"
}
