package marketstore

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"gorm.io/gorm"
)

// chores is market.ChoreStore.
type chores struct{ conn }

func (s chores) Add(ctx context.Context, c market.Chore) error {
	row := choreRow(c)
	return gorm.G[choreRow](s.session).Create(ctx, &row)
}

func (s chores) Take(ctx context.Context) (market.Chore, bool, error) {
	oldest, err := gorm.G[choreRow](s.session, rawsql.SkipLocked).Order("id").Take(ctx)
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return market.Chore{}, false, nil
	}
	if err == nil {
		_, err = gorm.G[choreRow](s.session).Where("id = ?", oldest.ID).Delete(ctx)
	}
	return market.Chore(oldest), err == nil, err
}
