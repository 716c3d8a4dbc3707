package work

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/job"
)

// Leaser hands out jobs that must not be done within a transaction, because they wait for another
// program. Every adapter passes contract.Work.
type Leaser interface {
	// LeaseJob returns the job of a kind that is due longest, and hides it until a time; false if none is
	// due. It does not count as an attempt.
	LeaseJob(ctx context.Context, kind job.Kind, now, until time.Time) (job.Job, bool, error)
	// FinishJob deletes a job that was done.
	FinishJob(ctx context.Context, id int64) error
}

// leasedFor is how long a job is hidden. It is longer than an attempt may take, so that a job is done
// twice only if the process dies.
const leasedFor = 2 * jobTimeout

// Leased returns a kind of jobs that are done outside of a transaction, and perhaps twice.
func Leased(name job.Kind, q Leaser, c Clock, do func(context.Context, job.Job) error) Kind {
	return Jobs(name, func(ctx context.Context) (job.Job, bool, error) {
		now := c.Now()
		j, found, err := q.LeaseJob(ctx, name, now, now.Add(leasedFor))
		if err != nil || !found {
			return j, false, err
		}
		if err := do(ctx, j); err != nil {
			return j, true, err
		}
		return j, true, q.FinishJob(ctx, j.ID)
	})
}
