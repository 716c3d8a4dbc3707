package market

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/job"
)

// Jobs does the jobs of the market: the rest of work that was too long for one transaction, such as
// matching a book with very many requests.
type Jobs struct{ deps Deps }

// NewJobs returns the use case.
func NewJobs(d Deps) *Jobs { return &Jobs{d} }

// Kinds lists the kinds of jobs that the rooms do.
func (u *Jobs) Kinds() []job.Kind { return slices.Sorted(maps.Keys(u.deps.Hooks.Jobs)) }

// Take takes the job of a kind that is due longest and does it, in one transaction; false if there
// is none. What is left of the job becomes a new job.
func (u *Jobs) Take(ctx context.Context, kind job.Kind) (j job.Job, found bool, err error) {
	err = u.deps.WithTx(ctx, func(ctx context.Context, t *Tx) (err error) {
		if j, found, err = t.TakeJob(ctx, kind, t.Now); err != nil || !found {
			return err
		}
		return t.tryJob(ctx, j)
	})
	return j, found, err
}

// tryJob is runJob, whose panics are errors: they are saved with the job.
func (t *Tx) tryJob(ctx context.Context, j job.Job) (err error) {
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("panic: %v", why)
		}
	}()
	return t.runJob(ctx, j)
}

// Job is a job with the position at which it resumes.
type Job struct {
	job.Job
	JobArgs
}

// Work does the next part of a job, within the transaction that takes the job.
type Work func(context.Context, *Tx, Job) error

// errJobKind fails a job of which no room knows what to do.
var errJobKind = errors.New("this release does not know the kind of the job")

// runJob does the next part of a job.
func (t *Tx) runJob(ctx context.Context, j job.Job) error {
	do, known := t.hooks.Jobs[j.Kind]
	if !known {
		return errJobKind
	}
	args, err := ParseJobArgs(j.Args)
	if err != nil {
		return err
	}
	return do(ctx, t, Job{j, args})
}

// OnBook is work of a room on a book, which it locks. If the book is gone, nothing is left to do.
func OnBook[T any](in func(*Tx) T, do func(T, context.Context, book.Book, Job) error) Work {
	return func(ctx context.Context, t *Tx, j Job) error {
		b, err := t.LockBook(ctx, book.ID(j.Subject))
		switch {
		case errors.Is(err, book.ErrNotFound):
			return nil
		case err != nil:
			return err
		}
		return do(in(t), ctx, b, j)
	}
}

// Does adds who does a kind of jobs.
func (h *Hooks) Does(kind job.Kind, do Work) {
	if h.Jobs == nil {
		h.Jobs = map[job.Kind]Work{}
	}
	h.Jobs[kind] = do
}
