package marketstore

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"gorm.io/gorm"
)

// chores is market.JobStore.
type chores struct{ conn }

func (s chores) AddJob(ctx context.Context, c market.Job) error {
	row := choreRow(c)
	return gorm.G[choreRow](s.session).Create(ctx, &row)
}

func (s chores) TakeJob(ctx context.Context) (market.Job, bool, error) {
	oldest, err := gorm.G[choreRow](s.session, rawsql.SkipLocked).Order("id").Take(ctx)
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return market.Job{}, false, nil
	}
	if err == nil {
		_, err = gorm.G[choreRow](s.session).Where("id = ?", oldest.ID).Delete(ctx)
	}
	return market.Job(oldest), err == nil, err
}
