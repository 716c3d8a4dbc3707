package marketstore

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market"
	"gorm.io/gorm"
)

// jobsTopic is the topic of the loops that run jobs.
const jobsTopic = "jobs"

// WaitForJobs implements market.JobWaiter.
func (s *Store) WaitForJobs(ctx context.Context) { s.db.Wakeups().Wait(ctx, jobsTopic, time.Time{}) }

// jobs implements market.JobStore.
type jobs struct{ conn }

func (s jobs) AddJob(ctx context.Context, j market.Job) error {
	gormstore.NotifyAfterCommit(s.session, jobsTopic)
	row := jobRow(j)
	return table.Of[jobRow](s.session).Create(ctx, &row)
}

func (s jobs) TakeJob(ctx context.Context) (market.Job, bool, error) {
	oldest, err := table.Of[jobRow](s.session, rawsql.SkipLocked).Order("id").Take(ctx)
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return market.Job{}, false, nil
	}
	if err == nil {
		_, err = table.Of[jobRow](s.session).Where("id = ?", oldest.ID).Delete(ctx)
	}
	return market.Job(oldest), err == nil, err
}
