package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"gorm.io/gorm"
)

// orders is market.OrderStore.
type orders struct{ conn }

func (s orders) LockOrder(ctx context.Context, id book.ID) (order.Order, error) {
	live := gorm.G[orderRow](s.session, rawsql.ForNoKeyUpdate).Where("book_id = ? AND status > 0", id)
	o, err := rawsql.Take(ctx, live, order.ErrNotFound)
	return o.order(), err
}

func (s orders) UpdateOrder(ctx context.Context, o order.Order, was order.Status, entries []order.Entry) error {
	n, err := gorm.G[orderRow](s.session).Where("id = ? AND status = ?", o.ID, was).
		Select("status", "reason", "verified_at", "delivered_at", "cancelled_at").Updates(ctx, orderRow{
		Status: o.Status, Reason: o.Reason, VerifiedAt: o.VerifiedAt, DeliveredAt: o.DeliveredAt, CancelledAt: o.CancelledAt,
	})
	if err == nil && n == 0 {
		err = order.ErrTransition
	}
	if err != nil || len(entries) == 0 {
		return err
	}
	rows := rawsql.Convert(entries, func(e *order.Entry) entryRow { return entryRow(*e) })
	return gorm.G[entryRow](s.session).CreateInBatches(ctx, &rows, len(rows))
}

func (s orders) FindOrders(ctx context.Context, ids []order.ID) ([]order.Order, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := gorm.G[orderRow](s.session).Where("id IN ?", rawsql.Padded(ids)).Order("id").Find(ctx)
	return rawsql.Convert(rows, (*orderRow).order), err
}
