package market

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/money"
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

// The kinds of jobs: the rest of work that was too long for one transaction.
const (
	MatchBook       job.Kind = "match_book"        // a book; resume after the IndexCursor of the position
	MatchRequest    job.Kind = "match_request"     // a request; resume with the search key for the reason Key, below the book After
	NotifyBookGone  job.Kind = "notify_book_gone"  // a book; resume with the users above After
	MatchSearches   job.Kind = "match_searches"    // a book; resume after the SearchCursor of the position
	ForgetHits      job.Kind = "forget_hits"       // a book
	NotifyPriceDrop job.Kind = "notify_price_drop" // a book; resume with the users above After
	PostImport      job.Kind = "post_import"       // the owner of a StoredImport, whose ID is After
)

// JobArgs are the arguments of a job: the position at which it resumes.
type JobArgs struct {
	Key   string `json:"key"`
	After int64  `json:"after"`
}

// String returns what Job.Args stores.
func (a JobArgs) String() string {
	text, _ := json.Marshal(a) // texts and numbers always marshal
	return string(text)
}

// ParseJobArgs reads what String returns.
func ParseJobArgs(text string) (a JobArgs, err error) {
	if err = json.Unmarshal([]byte(text), &a); err != nil {
		err = fmt.Errorf("arguments of a job: %w", err)
	}
	return a, err
}
