package marketstore

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market"
	"gorm.io/gorm"
)

// jobs implements market.JobStore.
type jobs struct{ conn }

func (s jobs) AddJob(ctx context.Context, j market.Job) error {
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
