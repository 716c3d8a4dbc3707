package marketrows

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// BlockRow is a block.
type BlockRow struct {
	ID        int64     `gorm:"primaryKey;autoIncrement:false"`
	By        user.ID   `gorm:"column:by_id"`
	Of        user.ID   `gorm:"column:of_id"`
	CreatedAt time.Time `gorm:"serializer:micros;autoCreateTime:false"`
}

// TableName is part of GORM's interface.
func (BlockRow) TableName() string { return "blocks" }

// AreBlocked reports whether one of two people has blocked the other.
func AreBlocked(ctx context.Context, c Handle, a, b user.ID) (bool, error) {
	return table.Of[BlockRow](c.Session).Where("by_id = ? AND of_id = ? OR by_id = ? AND of_id = ?", a, b, b, a).Exists(ctx)
}

// FindOrders loads orders by id, in ascending order.
func FindOrders(ctx context.Context, c Handle, ids []order.ID) ([]order.Order, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return rawsql.List(ctx, table.Of[OrderRow](c.Session).Where("id IN ?", rawsql.Padded(ids)).Order("id"), (*OrderRow).Order)
}
