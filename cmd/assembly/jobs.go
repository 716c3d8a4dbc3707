package assembly

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/text"
)

// watchJobs measures the jobs of the market.
func watchJobs(s *marketstore.Store, clock mailer.Clock, log *slog.Logger, m *metrics.Metrics) error {
	return m.Registry().Register(queriedGauges{"the jobs of the market", log, func(ctx context.Context) ([]gauge, error) {
		c, err := s.CountJobs(ctx, clock.Now())
		return []gauge{
			{"octavo_jobs_due", "Jobs of the market that are due.", float64(c.Due)},
			{"octavo_jobs_waiting", "Jobs of the market that have failed and wait for another attempt.", float64(c.Waiting)},
			{"octavo_jobs_dead", "Jobs of the market that were given up.", float64(c.Dead)},
			{"octavo_jobs_oldest_seconds", "Age of the oldest job that is due and has not failed, 0 if there is none.", age(clock, c.Oldest)},
		}, err
	}})
}

// noDeadJobs fails while a job of the market is given up.
func noDeadJobs(jobs market.JobAdmin) func(context.Context) error {
	return func(ctx context.Context) error {
		n, err := jobs.CountDeadJobs(ctx)
		if err == nil && n > 0 {
			err = fmt.Errorf("%s given up, see octavo work list", text.Count(n, "job of the market is", "jobs of the market are"))
		}
		return err
	}
}
