package main

import (
	"context"
	"fmt"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/cmd/assembly"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/id"
)

type workCommand struct {
	List  workList  `cmd:"" help:"Print the work that is left, what was given up first: ID, state, kind, subject, failed attempts, time of the next one, last error."`
	Retry workRetry `cmd:"" help:"Try work again at once, as if it had never failed."`
	Drop  workDrop  `cmd:"" help:"Delete work, which is then never done."`
}

func withWork(ctx context.Context, s *config.Settings, c console, do func(market.JobAdmin) error) error {
	return assembly.WithExisting(ctx, *s, config.Components{Market: true}, c.err, func(store *marketstore.Store) error { return do(store) })
}

type workList struct {
	Limit int `help:"How many at most, 1 to 10000." default:"100"`
}

// Run prints a table.
func (l workList) Run(ctx context.Context, s *config.Settings, c console) error {
	if l.Limit < 1 || l.Limit > 10_000 {
		return misused("--limit %d is not from 1 to 10000", l.Limit)
	}
	return withWork(ctx, s, c, func(work market.JobAdmin) error {
		all, err := work.ListJobs(ctx, l.Limit)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(w, "ID\tSTATE\tKIND\tSUBJECT\tFAILED\tNEXT\tERROR")
		for _, j := range all {
			state := j.State(c.clock.Now())
			_, _ = fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%d\t%s\t%s\n", j.ID, state, j.Kind, j.Subject, j.Attempts, nextAttempt(j, state), j.Error)
		}
		return w.Flush()
	})
}

func nextAttempt(j market.Job, s market.JobState) string {
	if s == market.JobWaiting {
		return j.DueAt.Format(time.RFC3339)
	}
	return "-"
}

type workRetry struct {
	IDs  []string `arg:"" name:"id" optional:"" help:"Of the work."`
	Dead bool     `help:"All that was given up."`
}

// Run makes work due.
func (r workRetry) Run(ctx context.Context, s *config.Settings, c console) error {
	if r.Dead == (len(r.IDs) > 0) {
		return misused("name the work, or use --dead")
	}
	return changeWork(ctx, s, c, r.IDs, "Tried again", market.JobAdmin.RetryJobs)
}

type workDrop struct {
	IDs []string `arg:"" name:"id" help:"Of the work."`
}

// Run deletes work.
func (d workDrop) Run(ctx context.Context, s *config.Settings, c console) error {
	return changeWork(ctx, s, c, d.IDs, "Dropped", market.JobAdmin.DropJobs)
}

func changeWork(ctx context.Context, s *config.Settings, c console, ids []string, done string, change func(market.JobAdmin, context.Context, ...int64) (int, error)) error {
	numbers := make([]int64, len(ids))
	for i, text := range ids {
		var ok bool
		if numbers[i], ok = id.Parse(text); !ok {
			return misused("%s is not the ID of work", strconv.Quote(text))
		}
	}
	return withWork(ctx, s, c, func(work market.JobAdmin) error {
		n, err := change(work, ctx, numbers...)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(c.out, "%s: %d\n", done, n); err != nil || n == len(numbers) || len(numbers) == 0 {
			return err
		}
		_, _ = fmt.Fprintf(c.err, "octavo: %s not found\n", count(len(numbers)-n, "ID was", "IDs were"))
		return errSilent
	})
}
