package guardingstore

import (
	"context"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/money"
)

// Money moves when a buyer is charged, when that is refunded, and when a buyer pays the seller directly,
// for which there is no fee. The ledger has the same sums, see domain/order, but orders have them by time
// and by university. There is an index for each of the three, which begins with its time: a
// condition with > would be taken for the beginning of a day.
const (
	charged  = " FROM orders WHERE verified_at <> 0"
	refunded = " FROM orders WHERE verified_at <> 0 AND cancelled_at <> 0"
	direct   = " FROM orders WHERE verified_at = 0 AND delivered_at <> 0"
)

// totals returns how many people there are, and the sums of all time.
func (s Reader) totals(ctx context.Context, of scope) (people int, moved, fees money.Amount, err error) {
	var q statement
	q.add("SELECT count(*) AS people, 0 AS money, 0 AS fees FROM users WHERE deleted_at IS NULL").and(of.people)
	q.add(" UNION ALL SELECT 0, CAST(COALESCE(sum(price), 0) AS BIGINT), CAST(COALESCE(sum(fee), 0) AS BIGINT)" + charged).and(of.trade.filter())
	q.add(" UNION ALL SELECT 0, CAST(COALESCE(-sum(price), 0) AS BIGINT), CAST(COALESCE(-sum(fee), 0) AS BIGINT)" + refunded).and(of.trade.filter())
	q.add(" UNION ALL SELECT 0, CAST(COALESCE(sum(price), 0) AS BIGINT), 0" + direct).and(of.trade.filter())
	rows, err := table.Of[struct {
		People      int
		Money, Fees money.Amount
	}](s.DB.Read).Raw(q.sql, q.args...).Find(ctx)
	for _, r := range rows {
		people, moved, fees = people+r.People, moved+r.Money, fees+r.Fees
	}
	return people, moved, fees, err
}

// daily returns the days that begin at these times, the last of which ends the series.
func (s Reader) daily(ctx context.Context, of scope, starts []time.Time) ([]guarding.Day, error) {
	q := selectDays(of, starts)
	rows, err := table.Of[dayRow](s.DB.Read).Raw(q.sql, q.args...).Find(ctx)
	days := make([]guarding.Day, 0, len(rows))
	for i, r := range rows {
		days = append(days, guarding.Day{
			Date: starts[i], Posted: r.Posted, Sold: r.Sold, NewUsers: r.Joined,
			Money: r.Charged - r.Refunded + r.Direct, Fees: r.FeesCharged - r.FeesRefunded,
		})
	}
	return days, err
}

type dayRow struct {
	Posted, Sold, Joined      int
	Charged, Refunded, Direct money.Amount
	FeesCharged, FeesRefunded money.Amount
}

// selectDays counts the events of each day within the ranges of indexes: to group them would sort all.
func selectDays(of scope, starts []time.Time) (q statement) {
	var bounds []any
	for i, ends := range starts[1:] {
		bounds = append(bounds, i, starts[i].UnixMicro(), ends.UnixMicro())
	}
	q.add("WITH days (day, begins, ends) AS (VALUES (CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT))"+strings.Repeat(", (?, ?, ?)", len(starts)-2)+") SELECT ", bounds...)
	for i, c := range []struct {
		name, what, at string
		of             condition
	}{
		{"posted", "count(*) FROM books WHERE TRUE", "created_at", of.trade},
		{"sold", "count(*) FROM orders WHERE status > 0", "created_at", of.trade},
		{"joined", "count(*) FROM users WHERE deleted_at IS NULL", "created_at", of.people},
		{"charged", "CAST(COALESCE(sum(price), 0) AS BIGINT)" + charged, "verified_at", of.trade},
		{"refunded", "CAST(COALESCE(sum(price), 0) AS BIGINT)" + refunded, "cancelled_at", of.trade},
		{"direct", "CAST(COALESCE(sum(price), 0) AS BIGINT)" + direct, "delivered_at", of.trade},
		{"fees_charged", "CAST(COALESCE(sum(fee), 0) AS BIGINT)" + charged, "verified_at", of.trade},
		{"fees_refunded", "CAST(COALESCE(sum(fee), 0) AS BIGINT)" + refunded, "cancelled_at", of.trade},
	} {
		if i > 0 {
			q.add(", ")
		}
		q.add("(SELECT " + c.what + " AND " + c.at + " >= begins AND " + c.at + " < ends").and(c.of.filter())
		q.add(") AS " + c.name)
	}
	q.add(" FROM days ORDER BY day")
	return q
}
