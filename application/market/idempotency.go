package market

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// IdempotencyKeyLife is how long the response under an idempotency key is stored.
const IdempotencyKeyLife = 24 * time.Hour

// The errors of idempotency keys.
var (
	ErrKey       = fault.New(fault.Invalid, "idempotency_key_invalid", "An Idempotency-Key must have 1 to 255 characters.")
	ErrKeyReused = fault.New(fault.Conflict, "idempotency_mismatch", "This Idempotency-Key was used with another body.")
)

// maxKey is how many characters an idempotency key may have.
const maxKey = 255

// IdempotencyKey identifies a call of one caller, so that a retry does not repeat its
// effect. The same key with another body is refused.
type IdempotencyKey struct {
	Value    string   // 1 to 255 characters; empty: the call is not idempotent
	BodyHash [32]byte // of the request
}

// Check refuses a key that is too long or cannot be printed.
func (k IdempotencyKey) Check() error {
	if !text.FitsLine(k.Value, maxKey) {
		return ErrKey
	}
	return nil
}

// CreatedID is the id of the one thing that the call created.
func (r StoredResponse) CreatedID() int64 {
	if len(r.Created) == 0 {
		return 0
	}
	return r.Created[0]
}

// IdempotentOp is an operation that can answer a repeated call.
type IdempotentOp[T any] struct {
	Do       func(context.Context, T) error
	Response func() StoredResponse // of Do; WithIdempotencyKey sets its BodyHash
	Replay   func(context.Context, T, StoredResponse) error
}

// WithIdempotencyKey runs op on behalf of a caller. If the caller has used the key
// before, in a call that committed, it replays the stored response instead. An error of
// Do rolls back, so the key stays free.
func (u Unit[T]) WithIdempotencyKey(ctx context.Context, by user.Caller, k IdempotencyKey, op IdempotentOp[T]) (replayed bool, err error) {
	if k.Value == "" {
		return false, u.WithTxAs(ctx, by, op.Do)
	}
	if err := k.Check(); err != nil {
		return false, err
	}
	err = u.Deps.WithTxAs(ctx, by, func(ctx context.Context, t *Tx) error {
		stored, err := t.ClaimKey(ctx, by.ID, k.Value, t.Now.Add(-IdempotencyKeyLife), t.Now)
		if err != nil {
			return err
		}
		if replayed = stored != nil; replayed {
			if stored.BodyHash != k.BodyHash {
				return ErrKeyReused
			}
			return op.Replay(ctx, u.In(t), *stored)
		}
		if err := op.Do(ctx, u.In(t)); err != nil {
			return err
		}
		r := op.Response()
		r.BodyHash = k.BodyHash
		return t.SaveResponse(ctx, by.ID, k.Value, r)
	})
	return replayed, err
}
