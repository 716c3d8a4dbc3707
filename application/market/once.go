package market

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// ReplyLife is how long the answer to something that named a key is kept.
const ReplyLife = 24 * time.Hour

// The refusals of keys.
var (
	ErrKey       = fault.New(fault.Invalid, "idempotency_key_invalid", "An Idempotency-Key must have 1 to 255 characters.")
	ErrKeyReused = fault.New(fault.Conflict, "idempotency_mismatch", "This Idempotency-Key was used with another body.")
)

const maxKey = 255

func checkKey(key string) error {
	if utf8.RuneCountInString(key) > maxKey || !book.Printable(key, false) {
		return ErrKey
	}
	return nil
}

// claim takes a key of somebody's for this step, or returns what was answered to
// it before.
func (a *act) claim(ctx context.Context, by user.ID, key string) (*Reply, error) {
	return a.Replies.Claim(ctx, by, key, a.now.Add(-ReplyLife), a.now)
}

// stepOnce is a step that does nothing if the caller has used the key for one
// that was kept. Without a key it is a step as any other.
func (k Kit) stepOnce(ctx context.Context, by user.Caller, key string, do func(context.Context, *act) error) error {
	if key == "" {
		return k.step(ctx, do)
	}
	if err := checkKey(key); err != nil {
		return err
	}
	return k.step(ctx, func(ctx context.Context, a *act) error {
		if before, err := a.claim(ctx, by.ID, key); err != nil || before != nil {
			return err
		}
		if err := do(ctx, a); err != nil {
			return err
		}
		return a.Replies.Keep(ctx, by.ID, key, Reply{})
	})
}
