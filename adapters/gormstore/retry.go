package gormstore

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

const transactionTries = 6

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
