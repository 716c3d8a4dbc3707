package marketstore

import (
	"context"
	"math"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
)

// medianWait finds the hour of the median order in the counters, then its position among
// the orders of that hour. Hour 0 also counts negative waiting times.
func (s *Store) medianWait(ctx context.Context, of scope) (int64, error) {
	hours, err := rawsql.Collect(ctx, s.read.Conn, readWaited, `SELECT key, CAST(sum(n) AS BIGINT) FROM `+of.counters.from+` AS t
		WHERE kind = ? GROUP BY kind, key ORDER BY key`, append(of.counters.args, counterHours)...)
	if err != nil {
		return 0, err
	}
	hour, before := medianHour(hours)
	least := hour * microsOfHour
	if hour == 0 {
		least = math.MinInt64
	}
	waited, _, err := rawsql.One(ctx, s.read.Conn, rawsql.Integer[int64], `SELECT waited FROM orders
		WHERE `+of.orders+` AND status > 0 AND waited >= ? AND waited < ? ORDER BY waited LIMIT 1 OFFSET ?`,
		append(of.campus, least, (hour+1)*microsOfHour, before)...)
	return waited, err
}

// waitedHours is how many orders waited so many whole hours.
type waitedHours struct{ hours, orders int64 }

func readWaited() ([]any, func() waitedHours) {
	var w waitedHours
	return []any{&w.hours, &w.orders}, func() waitedHours { return w }
}

// medianHour returns the hour of the median order, and how many orders of that hour are before it.
func medianHour(all []waitedHours) (hour, before int64) {
	for _, w := range all {
		before += w.orders
	}
	before = (before - 1) / 2
	for _, w := range all {
		if before < w.orders {
			return w.hours, before
		}
		before -= w.orders
	}
	return 0, before
}
