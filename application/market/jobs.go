package market

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/text"
)

// JobRunner runs jobs: the rest of work that was too long for one transaction, such as
// matching a book with very many requests. Every replica runs one; after a crash, the
// others take over its jobs. A job that fails is tried again later and less often, and given up
// in the end, so that it stops no other.
type JobRunner struct {
	deps   Deps
	waiter JobWaiter
	log    *slog.Logger
}

// NewJobRunner returns a runner that logs failures to log.
func NewJobRunner(d Deps, w JobWaiter, log *slog.Logger) *JobRunner { return &JobRunner{d, w, log} }

const (
	// MaxJobAttempts is after how many failures a job is given up: some eight hours after the first.
	MaxJobAttempts = 8
	// jobBackoff is how long a job waits after its first failure, and four times as long after
	// each other.
	jobBackoff = 5 * time.Second
	// jobTimeout bounds one transaction of a job.
	jobTimeout = time.Minute
	// maxJobError bounds, in bytes, the stored error of a job.
	maxJobError = 500
	// jobRetry is how long Run waits if it cannot store that a job has failed.
	jobRetry = 2 * time.Second
	// jobGap follows each look but the first that finds nothing, because another process was
	// faster.
	jobGap = 50 * time.Millisecond
)

// Run runs jobs until ctx ends.
func (j *JobRunner) Run(ctx context.Context) {
	for empty := 0; ; {
		found, err := j.RunOne(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case found:
			empty = 0
		case err != nil:
			j.log.ErrorContext(ctx, "jobs of the market cannot run now", "error", err)
			pause(ctx, jobRetry)
		default:
			if empty++; empty > 1 {
				pause(ctx, jobGap)
			}
			j.waiter.WaitForJobs(ctx, j.deps.Clock.Now())
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

// RunOne takes one job that is due and runs it, in one transaction; false if there is none. What
// is left of the job becomes a new job. The error of a job is stored with it, logged and
// returned, with true.
func (j *JobRunner) RunOne(ctx context.Context) (bool, error) {
	var job Job
	limited, cancel := context.WithTimeout(ctx, jobTimeout)
	defer cancel()
	err := j.deps.withTx(limited, func(ctx context.Context, t *tx) (err error) {
		var found bool
		if job, found, err = t.Jobs.TakeJob(ctx, t.now); err != nil || !found {
			return err
		}
		return t.tryJob(ctx, job)
	})
	if err == nil || job.ID == 0 || ctx.Err() != nil {
		return job.ID != 0 && err == nil, err
	}
	if lost := j.fail(ctx, job, err); lost != nil {
		return false, errors.Join(err, lost)
	}
	return true, err
}

// fail stores that a job has failed, and when it is tried again.
func (j *JobRunner) fail(ctx context.Context, job Job, cause error) error {
	job.Error = text.Line(cause.Error(), maxJobError)
	err := j.deps.withTx(ctx, func(ctx context.Context, t *tx) error {
		failed := job
		failed.Attempts++
		failed.DueAt = t.now.Add(jobBackoff << (2 * job.Attempts))
		failed.Dead = failed.Attempts >= MaxJobAttempts
		return t.Jobs.FailJob(ctx, failed)
	})
	log := j.log.With("id", job.ID, "kind", job.Kind.String(), "subject", job.Subject, "attempt", job.Attempts+1, "error", cause)
	switch {
	case err != nil:
		log.ErrorContext(ctx, "a job of the market failed, which could not be stored")
	case job.Attempts+1 >= MaxJobAttempts:
		log.ErrorContext(ctx, "a job of the market is given up: octavo work retry tries it again, octavo work drop deletes it")
	default:
		log.WarnContext(ctx, "a job of the market failed and is tried again later")
	}
	return err
}

// errJobKind fails a job that a later release has added, which knows what to do.
var errJobKind = errors.New("this release does not know the kind of the job")

// tryJob is runJob, whose panics are errors.
func (t *tx) tryJob(ctx context.Context, j Job) (err error) {
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("panic: %v", why)
		}
	}()
	return t.runJob(ctx, j)
}

// Work does the next part of a job, within the transaction that takes the job.
type Work func(context.Context, *tx, Job) error

// runJob does the next part of a job.
func (t *tx) runJob(ctx context.Context, j Job) error {
	do, known := t.hooks.Jobs[j.Kind]
	if !known {
		return errJobKind
	}
	return do(ctx, t, j)
}

// OnBook is work on a book, which it locks. If the book is gone, nothing is left to do.
func OnBook(do func(context.Context, *tx, book.Book, Job) error) Work {
	return func(ctx context.Context, t *tx, j Job) error {
		b, err := t.lockBook(ctx, book.ID(j.Subject))
		switch {
		case errors.Is(err, book.ErrNotFound):
			return nil
		case err != nil:
			return err
		}
		return do(ctx, t, b, j)
	}
}

// Does adds who does a kind of jobs.
func (h *Hooks) Does(kind JobKind, do Work) {
	if h.Jobs == nil {
		h.Jobs = map[JobKind]Work{}
	}
	h.Jobs[kind] = do
}
