package assembly

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/operations"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/application/work"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
)

// queueOfWork provides the queue of background work.
func queueOfWork(parts config.Components) fx.Option {
	if !parts.Identity() {
		return fx.Options()
	}
	return fx.Provide(workstore.New, func(s *workstore.Store, c system.Clock, log *slog.Logger) *work.Board {
		return work.NewBoard(s, c, log)
	})
}

// asWork adds kinds of work that this process does.
func asWork(constructor any) fx.Option {
	return fx.Provide(fx.Annotate(constructor, fx.ResultTags(`group:"work,flatten"`)))
}

// backgroundWork does the background work while the program serves.
func backgroundWork(parts config.Components) fx.Option {
	if !parts.Identity() {
		return fx.Options()
	}
	return fx.Options(
		asWork(identitySweeps),
		fx.Provide(fx.Annotate(newWorker, fx.ParamTags(``, ``, ``, ``, `group:"work"`))),
		fx.Invoke(func(b background, w *work.Worker) { b.Run("background work", w.Run) }, watchJobs),
		check(func(s *workstore.Store) operations.Check {
			return operations.Check{Name: "jobs", Probe: noStuckJobs(s)}
		}),
	)
}

func newWorker(s *workstore.Store, c system.Clock, ids *system.IDs, log *slog.Logger, kinds []work.Kind) *work.Worker {
	return work.NewWorker(work.Deps{Queue: s, Clock: c, IDs: ids, Log: log}, kinds...)
}

// jobGauges measures the background work by kind.
type jobGauges struct {
	jobs  work.Admin
	clock system.Clock
}

func watchJobs(s *workstore.Store, clock system.Clock, log *slog.Logger, m *metrics.Metrics) error {
	return m.Registry().Register(queriedGauges{"the background work", log, jobGauges{s, clock}.read})
}

func (g jobGauges) read(ctx context.Context) ([]gauge, error) {
	counts, err := g.jobs.CountJobs(ctx, g.clock.Now())
	var all []gauge
	for _, c := range counts {
		of := prometheus.Labels{"kind": string(c.Kind)}
		all = append(all,
			gauge{"octavo_jobs_due", "Background work that is due.", float64(c.Due), of},
			gauge{"octavo_jobs_running", "Periodic work that runs.", float64(c.Running), of},
			gauge{"octavo_jobs_waiting", "Background work that waits for its time or for another attempt.", float64(c.Waiting), of},
			gauge{"octavo_jobs_dead", "Background work that was given up.", float64(c.Dead), of},
			gauge{"octavo_jobs_oldest_seconds", "For how long the oldest due work has been due, 0 if none is.", age(g.clock, c.Oldest), of},
		)
	}
	return all, err
}

// noStuckJobs fails while background work needs an operator.
func noStuckJobs(jobs work.Admin) func(context.Context) error {
	return func(ctx context.Context) error {
		n, err := jobs.CountStuckJobs(ctx)
		if err == nil && n > 0 {
			err = fmt.Errorf("%s given up or failing again and again, see octavo work list", text.Count(n, "job is", "jobs are"))
		}
		return err
	}
}
