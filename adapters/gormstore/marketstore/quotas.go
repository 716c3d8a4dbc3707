package marketstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm/clause"
)

type useRow struct {
	User  user.ID   `gorm:"column:user_id;primaryKey;autoIncrement:false"`
	Quota string    `gorm:"primaryKey"`
	Since time.Time `gorm:"serializer:micros"`
	Count int
}

// TableName is part of GORM's interface.
func (useRow) TableName() string { return "quota_uses" }

// quotas is a part of market.Stores.
type quotas struct{ marketrows.Handle }

// ChangeUse adds the row first, because a row that does not exist cannot be locked.
func (s quotas) ChangeUse(ctx context.Context, id user.ID, quota string, change func(limit.Use) (limit.Use, error)) error {
	err := table.Of[useRow](s.Session, clause.OnConflict{DoNothing: true}).Create(ctx, &useRow{User: id, Quota: quota})
	if err != nil {
		return err
	}
	row, err := table.Of[useRow](s.Session, rawsql.ForUpdate).Where("user_id = ? AND quota = ?", id, quota).Take(ctx)
	if err != nil {
		return err
	}
	u, err := change(limit.Use{Since: row.Since, Count: row.Count})
	if err != nil {
		return err
	}
	_, err = table.Of[useRow](s.Session).Where("user_id = ? AND quota = ?", id, quota).Select("since", "count").
		Updates(ctx, useRow{Since: u.Since, Count: u.Count})
	return err
}
