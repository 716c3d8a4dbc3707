package work

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/user"
)

// Board shows the background work to owners, who retry and drop jobs.
type Board struct {
	jobs  Admin
	clock Clock
	log   *slog.Logger
}

// NewBoard returns the use case, which logs what owners do to log.
func NewBoard(a Admin, c Clock, log *slog.Logger) *Board { return &Board{a, c, log} }

// maxShown bounds the jobs that the board shows.
const maxShown = 100

// Overview is the background work at a time.
type Overview struct {
	Now    time.Time
	Kinds  []Counts
	Failed []job.Job // the first that have failed, those that were given up first
}

// Show returns the background work.
func (b *Board) Show(ctx context.Context, by user.Caller) (o Overview, err error) {
	if err := by.MustBe(user.Owner); err != nil {
		return o, err
	}
	o.Now = b.clock.Now()
	if o.Kinds, err = b.jobs.CountJobs(ctx, o.Now); err != nil {
		return o, err
	}
	o.Failed, err = b.jobs.ListJobs(ctx, maxShown)
	o.Failed = slices.DeleteFunc(o.Failed, func(j job.Job) bool { return j.Error == "" && !j.Dead })
	return o, err
}

// Retry makes a job due, as if it had never failed. One that is gone counts as retried.
func (b *Board) Retry(ctx context.Context, by user.Caller, id int64) error {
	return b.change(ctx, by, id, "retry", func() (int, error) { return b.jobs.RetryJobs(ctx, b.clock.Now(), id) })
}

// Drop deletes a job, unless it is periodic and somebody does it. One that is gone counts as dropped.
func (b *Board) Drop(ctx context.Context, by user.Caller, id int64) error {
	return b.change(ctx, by, id, "drop", func() (int, error) { return b.jobs.DropJobs(ctx, b.clock.Now(), id) })
}

func (b *Board) change(ctx context.Context, by user.Caller, id int64, what string, do func() (int, error)) error {
	if err := by.MustBe(user.Owner); err != nil {
		return err
	}
	n, err := do()
	if err == nil && n > 0 {
		b.log.InfoContext(ctx, "an owner changes background work", "change", what, "job", id, "owner", by.ID)
	}
	return err
}
