package marketstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/domain/job"
)

// jobs implements market.JobStore.
type jobs struct{ conn }

func (s jobs) AddJob(ctx context.Context, j job.Job) error {
	return workstore.AddJob(ctx, s.session, j)
}

func (s jobs) TakeJob(ctx context.Context, kind job.Kind, now time.Time) (job.Job, bool, error) {
	return workstore.TakeJob(ctx, s.session, kind, now)
}
