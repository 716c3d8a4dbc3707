package gormstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"gorm.io/gorm"
)

// writeEvery is how old may be what is known of whether the database takes writes.
const writeEvery = 5 * time.Second

// writable is what was found when a write was tried last.
type writable struct {
	mu    sync.Mutex
	tried time.Time
	err   error
}

// Ready reports whether the database answers and takes writes: it may be read-only, or
// its disk full. A write is tried every few seconds at most.
func (db *DB) Ready(ctx context.Context, m Migrations) error {
	if err := db.Ping(ctx); err != nil {
		return err
	}
	w := &db.writable
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.tried.IsZero() && time.Since(w.tried) < writeEvery {
		return w.err
	}
	if err := db.TryWrite(ctx, m); !isInconclusive(err) {
		w.err = err
	}
	w.tried = time.Now()
	return w.err
}

// TryWrite notes the time at the component's version 0, which nobody reads. A row that
// stays as it is SQLite would not write.
func (db *DB) TryWrite(ctx context.Context, m Migrations) error {
	return db.Atomically(ctx, func(tx *gorm.DB) error {
		return tx.Exec("UPDATE " + m.table() + " SET tstamp = CURRENT_TIMESTAMP WHERE version_id = 0").Error
	})
}

// isInconclusive holds where a write did not get its turn in time: others write.
func isInconclusive(err error) bool {
	code := postgresCode(err)
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || isSQLiteBusy(err) ||
		isPostgresRetry(err) || code == "57014" || code == "55P03"
}
