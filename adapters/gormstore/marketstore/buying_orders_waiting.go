package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market/buying"
)

func (s orders) ListWaitingOrders(ctx context.Context, w buying.WaitingOrders, n int) ([]buying.WaitingOrder, error) {
	var which where
	which.and("status = 1 AND handover = 0") // as the index has it
	if w.Reminded {
		which.and("reminded_at > 0 AND reminded_at <= ?", rawsql.Micros(w.RemindedTill))
	} else {
		which.and("reminded_at = 0")
	}
	which.and("created_at <= ?", rawsql.Micros(w.PlacedTill))
	which.and("(reminded_at, created_at, id) > (?, ?, ?)", rawsql.Micros(w.After.RemindedAt), rawsql.Micros(w.After.CreatedAt), int64(w.After.ID))
	return rawsql.Collect(ctx, s.Conn, readWaiting, selectWaiting(which.String()), append(which.args, n)...)
}

// selectWaiting reads a bounded range of the index orders_waiting, and then whether the people of
// these orders have agreed to meet.
func selectWaiting(which string) string {
	return "SELECT " + orderColumns + `, COALESCE(m.meet_at, 0)
		FROM (SELECT id FROM orders ` + which + ` ORDER BY reminded_at, created_at, id LIMIT ?) AS w
		CROSS JOIN orders o LEFT JOIN meetings m ON m.order_id = o.id AND m.state = 1 WHERE o.id = w.id
		ORDER BY o.reminded_at, o.created_at, o.id`
}

func readWaiting() ([]any, func() buying.WaitingOrder) {
	var o orderRow
	var w buying.WaitingOrder
	return o.columns(rawsql.ScanTime(&w.Agreed)), func() buying.WaitingOrder {
		w.Order = o.order()
		return w
	}
}
