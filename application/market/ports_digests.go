package market

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// DigestStore stores the digests of mails, which bound those that anybody can cause.
type DigestStore interface {
	// LockDigests locks and loads the digests of one kind to some people, in ascending order of
	// their ids; an empty one for each that is not stored yet, which the lock includes.
	LockDigests(ctx context.Context, kind message.Kind, to []user.ID) ([]message.Digest, error)
	// LockDueDigests locks and loads at most n digests whose WakesAt has come, the earliest
	// first. It leaves out those that another transaction has locked.
	LockDueDigests(ctx context.Context, now time.Time, n int) ([]message.Digest, error)
	// SaveDigests stores locked digests, and deletes those that are spent.
	SaveDigests(ctx context.Context, all []message.Digest, now time.Time) error
	// DeleteDigestsOf deletes all digests of a user.
	DeleteDigestsOf(ctx context.Context, id user.ID) error
	// FilterItems returns those items, in their order, that still hold: the book is for sale,
	// and the open request still matches it, or the saved search that found it mails; or the
	// book is still unlisted, and its seller may relist it. It locks nothing.
	FilterItems(ctx context.Context, kind message.Kind, items []message.Item) ([]message.Item, error)
}
