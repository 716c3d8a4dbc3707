// Package work does the background work of a process: jobs that follow a change, and what is done
// again and again. They wait in one queue, where operators see what fails.
package work

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/job"
)

// Queue holds the work of all processes. Every adapter passes contract.Work. Who adds a job, or does
// it, changes the queue in a transaction of its own stores.
type Queue interface {
	// FindDue returns, of each of the kinds that has work, when the next is due.
	FindDue(ctx context.Context, kinds []job.Kind) (map[job.Kind]time.Time, error)
	// FailJob saves the failure of a job. It does nothing if the job is gone, or if another failure
	// with as many attempts is saved.
	FailJob(ctx context.Context, failed job.Job) error
	// WaitForJobs returns when there may be work: after a commit, of any process, that has added a
	// job, at next, and now and then in case a notification was lost.
	WaitForJobs(ctx context.Context, next time.Time)
	// WakeWaiting wakes one that waits in this process.
	WakeWaiting()
	// DeleteDeadJobs deletes at most n jobs that were given up before a time, and returns how many.
	DeleteDeadJobs(ctx context.Context, before time.Time, n int) (int, error)

	// The periodic work.

	// Schedule adds the kinds that are missing, and makes the others due now. Where one process does
	// all work, it ends the leases of the process before.
	Schedule(ctx context.Context, now time.Time, all []job.Job) error
	// Claim leases the work of a kind that is due, and counts an attempt; false if none is. Nobody
	// else gets it before the lease ends.
	Claim(ctx context.Context, kind job.Kind, now, until time.Time) (job.Job, bool, error)
	// Renew extends the lease of claimed work.
	Renew(ctx context.Context, claimed job.Job, until time.Time) error
	// Settle saves what became of claimed work. It is job.ErrLost if another process has claimed it
	// since.
	Settle(ctx context.Context, claimed, settled job.Job) error
}

// Counts counts the jobs of a kind by state.
type Counts struct {
	Kind                        job.Kind
	Due, Running, Waiting, Dead int
	// Oldest is when the oldest one fell due that is due; zero if none is.
	Oldest time.Time
}

// Admin shows jobs to operators and changes what becomes of them.
type Admin interface {
	// CountJobs counts the jobs of each kind that has any, in the order of their names.
	CountJobs(ctx context.Context, now time.Time) ([]Counts, error)
	// CountStuckJobs counts the jobs that need an operator.
	CountStuckJobs(ctx context.Context) (int, error)
	// ListJobs lists at most n jobs: the dead ones first, then those that have failed, each the
	// longest due first.
	ListJobs(ctx context.Context, n int) ([]job.Job, error)
	// RetryJobs makes jobs due that do not run, as if they had never failed, and returns how many
	// it has found. Without IDs it is about all dead ones.
	RetryJobs(ctx context.Context, now time.Time, ids ...int64) (int, error)
	// DropJobs deletes jobs, and periodic work that was due before job.AbandonedAfter, and returns how many
	// it has found.
	DropJobs(ctx context.Context, now time.Time, ids ...int64) (int, error)
}

// Clock tells the time.
type Clock func() time.Time

// Now returns the time.
func (c Clock) Now() time.Time { return c() }

// IDs makes IDs.
type IDs func() int64

// Next returns the next one.
func (g IDs) Next() int64 { return g() }
