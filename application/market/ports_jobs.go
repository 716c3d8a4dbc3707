package market

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// StoredResponse is the outcome of the first call with an idempotency key, from which
// a repeated call gets the same answer.
type StoredResponse struct {
	BodyHash [32]byte
	Refusal  string       // code of the error; empty: success
	Created  []int64      // ids of the orders, or of the one book or request
	Books    []book.ID    // of a checkout: no longer available; of a request: the matches
	Total    money.Amount // of a checkout at another price: the new one
	At       time.Time    // when the key was claimed; SaveResponse does not change it
}

// IdempotencyStore stores responses under idempotency keys for IdempotencyKeyLife.
type IdempotencyStore interface {
	// ClaimKey claims the key for this transaction, or returns the response that was
	// saved under it after then. A concurrent claim of the same key waits until this
	// transaction ends. Responses from before then may be deleted.
	ClaimKey(ctx context.Context, owner user.ID, key string, then, now time.Time) (*StoredResponse, error)
	// SaveResponse saves the response under a key that this transaction has claimed.
	SaveResponse(ctx context.Context, owner user.ID, key string, r StoredResponse) error
}

// Job is the rest of some work that was too long for one transaction. It commits with
// the part that is done, so a crash loses nothing.
type Job struct {
	ID      int64 // ascending in the order of creation
	Kind    JobKind
	Subject int64  // id of a book or a request
	Key     string // with After the position to resume at, see JobKind
	After   int64
}

// JobKind says what is left to do. The numbers are stored.
type JobKind int

// The kinds of jobs.
const (
	MatchBook       JobKind = iota + 1 // Subject is a book; resume after the IndexCursor of Key and After
	MatchRequest                       // Subject is a request; resume with the search key for the reason Key, below the book After
	NotifyBookGone                     // Subject is a book; resume with the users above After
	MatchSearches                      // Subject is a book; resume after the SearchCursor of Key and After
	ForgetHits                         // Subject is a book
	NotifyPriceDrop                    // Subject is a book; resume with the users above After
	PostImport                         // Subject is the owner of a StoredImport, After its id
)

// JobWaiter waits for jobs.
type JobWaiter interface {
	// WaitForJobs returns when TakeJob may find a job: after a commit, of any process, that has
	// added one, and now and then in case its notification was lost.
	WaitForJobs(ctx context.Context)
}

// JobStore queues jobs.
type JobStore interface {
	AddJob(ctx context.Context, j Job) error
	// TakeJob removes the oldest job that no other transaction has taken; false if there
	// is none.
	TakeJob(ctx context.Context) (Job, bool, error)
}
