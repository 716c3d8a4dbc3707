package marketstore

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
)

// readCounters reads the counters of each status, those of all time, whose key is allTime, and the sums
// of each day, whose key is the number of the day in the series.
func (s *Store) readCounters(ctx context.Context, of scope, days []time.Time) ([]counter, error) {
	totals, err := table.Of[counter](s.db.Read).Raw(`SELECT kind, key, CAST(sum(n) AS BIGINT) AS n FROM `+of.counters.from+` AS t
		WHERE kind = 1 OR kind IN (4, 5, 6) AND key = -1 GROUP BY kind, key`, of.counters.args...).Find(ctx)
	if err != nil {
		return nil, err
	}
	query, args := selectDays(s.daily(of, days))
	daily, err := table.Of[counter](s.db.Read).Raw(query, args...).Find(ctx)
	return append(totals, daily...), err
}

// daily returns the counters to add up for each day, and the keys at which the days begin. On
// SQLite, where adding up is dearer, they are those of whole hours if no day begins within one.
func (s *Store) daily(of scope, days []time.Time) (from counterTable, starts []int64) {
	from, period := of.counters, microsOfPeriod
	if !s.read.isPostgres() && !slices.ContainsFunc(days, func(d time.Time) bool { return d.UnixMicro()%microsOfHour != 0 }) {
		from, period = of.hourly, microsOfHour
	}
	for _, day := range days {
		starts = append(starts, day.UnixMicro()/period)
	}
	return from, starts
}

func selectDays(of counterTable, starts []int64) (query string, args []any) {
	for i := range len(starts) - 1 {
		args = append(args, i, starts[i], starts[i+1])
	}
	return `WITH kinds (kind) AS (VALUES (2), (3), (4), (5), (6)),
		days (day, begins, ends) AS (VALUES (CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT))` + strings.Repeat(", (?, ?, ?)", len(starts)-2) + `)
		SELECT k.kind, d.day AS key, CAST(COALESCE((SELECT sum(n) FROM ` + of.from + ` AS t
			WHERE t.kind = k.kind AND t.key >= d.begins AND t.key < d.ends), 0) AS BIGINT) AS n
		FROM kinds k CROSS JOIN days d`, append(args, of.args...)
}

// counter is a row of the table tallies.
type counter struct{ Kind, Key, N int64 }

// addTo adds a counter of readCounters to the dashboard.
func (c counter) addTo(d *guarding.Dashboard) {
	switch {
	case c.Kind == counterStatus:
		d.BooksByStatus[book.Status(c.Key)] = int(c.N)
	case c.Key == allTime:
		c.addToTotals(d)
	default:
		c.addToDay(&d.Daily[c.Key])
	}
}

func (c counter) addToTotals(d *guarding.Dashboard) {
	switch c.Kind {
	case counterUsers:
		d.Users = int(c.N)
	case counterMoney:
		d.MoneyMoved = money.Amount(c.N)
	case counterFees:
		d.FeesEarned = money.Amount(c.N)
	}
}

func (c counter) addToDay(d *guarding.Day) {
	switch c.Kind {
	case counterPosted:
		d.Posted = int(c.N)
	case counterSold:
		d.Sold = int(c.N)
	case counterUsers:
		d.NewUsers = int(c.N)
	case counterMoney:
		d.Money = money.Amount(c.N)
	case counterFees:
		d.Fees = money.Amount(c.N)
	}
}
