package buyingstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market/buying"
)

func (s orders) ListWaitingOrders(ctx context.Context, w buying.WaitingOrders, n int) ([]buying.WaitingOrder, error) {
	var which marketrows.Where
	which.And("status = 1 AND handover = 0") // as the index has it
	if w.Reminded {
		which.And("reminded_at > 0 AND reminded_at <= ?", rawsql.Micros(w.RemindedTill))
	} else {
		which.And("reminded_at = 0")
	}
	which.And("created_at <= ?", rawsql.Micros(w.PlacedTill))
	which.And("(reminded_at, created_at, id) > (?, ?, ?)", rawsql.Micros(w.After.RemindedAt), rawsql.Micros(w.After.CreatedAt), int64(w.After.ID))
	return rawsql.Collect(ctx, s.Conn, readWaiting, selectWaiting(which.String()), append(which.Args, n)...)
}

// selectWaiting reads a bounded range of the index orders_waiting, and then whether the people of
// these orders have agreed to meet.
func selectWaiting(which string) string {
	return "SELECT " + marketrows.OrderColumns + `, COALESCE(m.meet_at, 0)
		FROM (SELECT id FROM orders ` + which + ` ORDER BY reminded_at, created_at, id LIMIT ?) AS w
		CROSS JOIN orders o LEFT JOIN meetings m ON m.order_id = o.id AND m.state = 1 WHERE o.id = w.id
		ORDER BY o.reminded_at, o.created_at, o.id`
}

func readWaiting() ([]any, func() buying.WaitingOrder) {
	var o marketrows.OrderRow
	var w buying.WaitingOrder
	return o.Columns(rawsql.ScanTime(&w.Agreed)), func() buying.WaitingOrder {
		w.Order = o.Order()
		return w
	}
}
