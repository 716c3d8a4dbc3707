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

const transactionTries = 6

// Atomically runs fn in one transaction and commits it, or rolls it back when fn
// fails. A deadlock or a lock held for too long runs fn again, so fn must have
// no other effect than on tx. After the last try, ErrUnavailable.
func (db *DB) Atomically(ctx context.Context, fn func(tx *gorm.DB) error) error {
	var err error
	for try := range transactionTries {
		err = db.transact(ctx, fn)
		if !mayRetry(err) {
			return Explain(err)
		}
		if !pause(ctx, time.Duration(1<<try)*time.Millisecond) {
			break
		}
	}
	return errors.Join(ErrUnavailable, err)
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
