package market

import (
	"context"
	"strconv"
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

	Attempts int       // that have failed
	DueAt    time.Time // of the next attempt; zero: at once
	Dead     bool      // given up after MaxJobAttempts
	Error    string    // of the last attempt
}

// JobState says whether a job is tried.
type JobState string

// The states of a job.
const (
	JobDue     JobState = "due"
	JobWaiting JobState = "waiting" // for another attempt
	JobDead    JobState = "dead"
)

// State is the state of a job at a time.
func (j Job) State(now time.Time) JobState {
	switch {
	case j.Dead:
		return JobDead
	case j.DueAt.After(now):
		return JobWaiting
	}
	return JobDue
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

var jobKinds = map[JobKind]string{
	MatchBook: "match_book", MatchRequest: "match_request", NotifyBookGone: "notify_book_gone", MatchSearches: "match_searches",
	ForgetHits: "forget_hits", NotifyPriceDrop: "notify_price_drop", PostImport: "post_import",
}

// String names the kind.
func (k JobKind) String() string {
	if name, ok := jobKinds[k]; ok {
		return name
	}
	return "kind " + strconv.Itoa(int(k))
}

// JobWaiter waits for jobs.
type JobWaiter interface {
	// WaitForJobs returns when TakeJob may find a job: after a commit, of any process, that has
	// added one, when one that waits after now is due, and now and then in case a notification was
	// lost.
	WaitForJobs(ctx context.Context, now time.Time)
}

// JobStore queues jobs.
type JobStore interface {
	AddJob(ctx context.Context, j Job) error
	// TakeJob removes the oldest job that is due and that no other transaction has taken; false
	// if there is none.
	TakeJob(ctx context.Context, now time.Time) (Job, bool, error)
	// FailJob saves the failure of a job: Attempts, DueAt, Dead and Error. It does nothing if the
	// job is gone, or if another failure with as many attempts is saved.
	FailJob(ctx context.Context, j Job) error
}

// JobCounts counts jobs by their state.
type JobCounts struct {
	Waiting, Due, Dead int
	// Oldest is when the oldest job was added that is due and has not failed; zero if there is none.
	Oldest time.Time
}

// JobAdmin shows jobs to operators and changes what becomes of them.
type JobAdmin interface {
	CountJobs(ctx context.Context, now time.Time) (JobCounts, error)
	CountDeadJobs(ctx context.Context) (int, error)
	// ListJobs lists at most n jobs, the dead ones first, each oldest first.
	ListJobs(ctx context.Context, n int) ([]Job, error)
	// RetryJobs makes jobs due, as if they had never failed, and returns how many it has found.
	// Without ids it is about all dead ones.
	RetryJobs(ctx context.Context, ids ...int64) (int, error)
	// DropJobs deletes jobs, and returns how many it has found.
	DropJobs(ctx context.Context, ids ...int64) (int, error)
}
