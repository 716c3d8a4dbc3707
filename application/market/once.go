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

// Once names what is to be done once: asked for again with the same key and body
// it is the same thing, and with another body it is refused.
type Once struct {
	Key      string   // 1 to 255 characters; empty: none, and it is done each time
	BodyHash [32]byte // of what was asked for
}

// claim takes a key of somebody's for this step, or returns what was answered to
// the same body before.
func (a *act) claim(ctx context.Context, by user.ID, o Once) (*Reply, error) {
	kept, err := a.Replies.Claim(ctx, by, o.Key, a.now.Add(-ReplyLife), a.now)
	if err == nil && kept != nil && kept.BodyHash != o.BodyHash {
		err = ErrKeyReused
	}
	return kept, err
}

// made is the id of the one thing that was made.
func (r *Reply) made() int64 {
	if len(r.Made) == 0 {
		return 0
	}
	return r.Made[0]
}

// deed is what a step does once.
type deed struct {
	do     func(context.Context, *act) error
	reply  func() Reply                              // what it came to
	repeat func(context.Context, *act, *Reply) error // reads that again
}

// stepOnce is a step that only repeats what it came to if the caller has used the
// key before, for a step that was kept. Without a key it is a step as any other.
func (k Kit) stepOnce(ctx context.Context, by user.Caller, o Once, d deed) (replayed bool, err error) {
	if o.Key == "" {
		return false, k.stepAs(ctx, by, d.do)
	}
	if err := checkKey(o.Key); err != nil {
		return false, err
	}
	err = k.stepAs(ctx, by, func(ctx context.Context, a *act) error {
		kept, err := a.claim(ctx, by.ID, o)
		if err != nil {
			return err
		}
		if replayed = kept != nil; replayed {
			return d.repeat(ctx, a, kept)
		}
		if err := d.do(ctx, a); err != nil {
			return err
		}
		r := d.reply()
		r.BodyHash = o.BodyHash
		return a.Replies.Keep(ctx, by.ID, o.Key, r)
	})
	return replayed, err
}
