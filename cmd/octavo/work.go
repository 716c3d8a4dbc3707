package main

import (
	"context"
	"fmt"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/application/work"
	"github.com/octavo-books/octavo/cmd/assembly"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/job"
)

type workCommand struct {
	List  workList  `cmd:"" help:"Print the background work, what needs attention first: ID, state, kind, subject, failed attempts, next one, last error."`
	Retry workRetry `cmd:"" help:"Try work again at once, as if it had never failed."`
	Drop  workDrop  `cmd:"" help:"Delete work, which is then never done. Periodic work stays, unless nobody does it."`
}

func withWork(ctx context.Context, s *config.Settings, c terminal.Console, do func(work.Admin) error) error {
	return assembly.WithExisting(ctx, *s, config.Components{Auth: true}, c.Err, func(store *workstore.Store) error { return do(store) })
}

type workList struct {
	Limit int `help:"How many at most, 1 to 10000." default:"100"`
}

// Run prints a table.
func (l workList) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	if l.Limit < 1 || l.Limit > 10_000 {
		return terminal.Misused("--limit %d is not from 1 to 10000", l.Limit)
	}
	return withWork(ctx, s, c, func(queue work.Admin) error {
		all, err := queue.ListJobs(ctx, l.Limit)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(w, "ID\tSTATE\tKIND\tSUBJECT\tFAILED\tNEXT\tERROR")
		for _, j := range all {
			state := j.State(c.Clock.Now())
			_, _ = fmt.Fprintf(
				w, "%d\t%s\t%s\t%d\t%d\t%s\t%s\n", j.ID, state, j.Kind, j.Subject, j.Failed(), nextAttempt(j, state), j.Error,
			)
		}
		return w.Flush()
	})
}

func nextAttempt(j job.Job, s job.State) string {
	if s == job.Waiting {
		return j.DueAt.Format(time.RFC3339)
	}
	return "-"
}

type workRetry struct {
	IDs  []string `arg:"" name:"id" optional:"" help:"Of the work."`
	Dead bool     `help:"All that was given up."`
}

// Run makes work due.
func (r workRetry) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	if r.Dead == (len(r.IDs) > 0) {
		return terminal.Misused("name the work, or use --dead")
	}
	return changeWork(ctx, s, c, r.IDs, "Tried again", func(queue work.Admin, ctx context.Context, ids ...int64) (int, error) {
		return queue.RetryJobs(ctx, c.Clock.Now(), ids...)
	})
}

type workDrop struct {
	IDs []string `arg:"" name:"id" help:"Of the work."`
}

// Run deletes work.
func (d workDrop) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	return changeWork(ctx, s, c, d.IDs, "Dropped", func(queue work.Admin, ctx context.Context, ids ...int64) (int, error) {
		return queue.DropJobs(ctx, c.Clock.Now(), ids...)
	})
}

// changeOfWork changes jobs and returns how many it has found.
type changeOfWork func(queue work.Admin, ctx context.Context, ids ...int64) (int, error)

func changeWork(ctx context.Context, s *config.Settings, c terminal.Console, ids []string, done string, change changeOfWork) error {
	numbers := make([]int64, len(ids))
	for i, text := range ids {
		var ok bool
		if numbers[i], ok = id.Parse(text); !ok {
			return terminal.Misused("%s is not the ID of work", strconv.Quote(text))
		}
	}
	return withWork(ctx, s, c, func(queue work.Admin) error {
		n, err := change(queue, ctx, numbers...)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(c.Out, "%s: %d\n", done, n); err != nil || n == len(numbers) || len(numbers) == 0 {
			return err
		}
		_, _ = fmt.Fprintf(c.Err, "octavo: %s not found\n", terminal.Count(len(numbers)-n, "ID was", "IDs were"))
		return terminal.ErrSilent
	})
}
