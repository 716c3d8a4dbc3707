package work

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/job"
)

// Kind is a kind of work that this process can do.
type Kind struct {
	Name job.Kind
	// Take takes the job of the kind that is due longest out of the queue and does it, both in one
	// transaction; false if none is due. If it fails, the job is still in the queue. Only Take is set
	// for jobs, and only Do and Every for periodic work.
	Take func(context.Context) (job.Job, bool, error)
	// Do does periodic work.
	Do func(context.Context) error
	// Every is the time between the end of one run and the next.
	Every time.Duration
	// AtOnce is how many jobs of the kind this process does at once; 0: one.
	AtOnce int
}

// Jobs returns a kind of jobs.
func Jobs(name job.Kind, take func(context.Context) (job.Job, bool, error)) Kind {
	return Kind{Name: name, Take: take}
}

// Periodic returns a kind of periodic work. Of all processes that know the kind, one does it at a
// time.
func Periodic(name job.Kind, every time.Duration, do func(context.Context) error) Kind {
	return Kind{Name: name, Do: do, Every: every}
}

// InBatches repeats do until it finds fewer than size; it does it once if that is 0.
func InBatches(size int, do func(context.Context) (int, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		for {
			if n, err := do(ctx); err != nil || n < size || size == 0 {
				return err
			}
		}
	}
}

const (
	deleteDeadEvery = time.Hour
	keepDead        = 90 * 24 * time.Hour
	deleteBatch     = 500
)

// DeleteDead returns the work of deleting jobs that were given up long ago.
func DeleteDead(q Queue, c Clock) Kind {
	return Periodic("delete_dead_jobs", deleteDeadEvery, InBatches(deleteBatch, func(ctx context.Context) (int, error) {
		return q.DeleteDeadJobs(ctx, c.Now().Add(-keepDead), deleteBatch)
	}))
}
