package market

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/domain/user"
)

// JobRunner runs jobs: the rest of work that was too long for one transaction, such as
// matching a book with very many requests. Every replica runs one; after a crash, the
// others take over its jobs.
type JobRunner struct {
	deps   Deps
	waiter JobWaiter
	log    *slog.Logger
}

// NewJobRunner returns a runner that logs failures to log.
func NewJobRunner(d Deps, w JobWaiter, log *slog.Logger) *JobRunner { return &JobRunner{d, w, log} }

const (
	// jobRetry is how long Run waits after a failure.
	jobRetry = 2 * time.Second
	// jobGap follows each look but the first that finds nothing, because another process was
	// faster.
	jobGap = 50 * time.Millisecond
)

// Run runs jobs until ctx ends.
func (j *JobRunner) Run(ctx context.Context) {
	for empty := 0; ; {
		found, err := j.RunOne(ctx)
		if err != nil && ctx.Err() == nil {
			j.log.ErrorContext(ctx, "market job failed, will be retried", "error", err)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			pause(ctx, jobRetry)
		case found:
			empty = 0
		default:
			if empty++; empty > 1 {
				pause(ctx, jobGap)
			}
			j.waiter.WaitForJobs(ctx)
		}
	}
}

// pause waits until ctx ends or the time has passed.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// RunOne takes one job and runs it, in one transaction; false if there is none. What is
// left of the job becomes a new job.
func (j *JobRunner) RunOne(ctx context.Context) (bool, error) {
	var found bool
	err := j.deps.withTx(ctx, func(ctx context.Context, t *tx) error {
		var job Job
		var err error
		job, found, err = t.Jobs.TakeJob(ctx)
		if err != nil || !found {
			return err
		}
		return t.runJob(ctx, job)
	})
	return found, err
}

// runJob does the next part of a job. It drops a job whose book or request has changed
// so that nothing is left to do.
func (t *tx) runJob(ctx context.Context, j Job) error {
	if j.Kind == PostImport {
		return t.postImport(ctx, user.ID(j.Subject), j.After)
	}
	if j.Kind == MatchRequest {
		r, err := t.Requests.FindRequest(ctx, book.RequestID(j.Subject))
		switch {
		case errors.Is(err, book.ErrRequestNotFound):
			return nil
		case err != nil || r.Status != book.Open:
			return err
		}
		_, err = t.matchRequest(ctx, r, book.Reason(j.Key), book.ID(j.After))
		return err
	}
	b, err := t.lockBook(ctx, book.ID(j.Subject))
	switch {
	case err != nil:
		return err
	case j.Kind == MatchBook && b.Status == book.ForSale:
		return t.matchBook(ctx, b, book.NewMatcher(b), IndexCursor{Key: j.Key, Request: book.RequestID(j.After)})
	case j.Kind == NotifyBookGone && b.Status != book.ForSale:
		return t.notifyBookGone(ctx, b, user.ID(j.After))
	case j.Kind == MatchSearches && b.Status == book.ForSale:
		return t.matchSearches(ctx, b, SearchCursor{Key: j.Key, Search: savedsearch.ID(j.After)})
	case j.Kind == ForgetHits:
		return t.forgetHits(ctx, b.ID)
	case j.Kind == NotifyPriceDrop && b.Status == book.ForSale:
		return t.notifyPriceDrop(ctx, b, user.ID(j.After))
	}
	return nil
}
