package marketstore

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
)

// The kinds of counters in the table tallies, see its migration.
const (
	counterStatus = iota + 1
	counterPosted
	counterSold
	counterUsers
	counterMoney
	counterFees
	counterHours
)

const (
	microsOfDay    = int64(24 * time.Hour / time.Microsecond)
	microsOfHour   = int64(time.Hour / time.Microsecond)
	microsOfPeriod = int64(market.CounterPeriod / time.Microsecond)
)

const allTime = -1

// ReadDashboard implements market.StatisticsReader. Its cost grows with the length of the series,
// and the number of waiting hours, not with the number of books or orders.
func (s *Store) ReadDashboard(ctx context.Context, campus string, days []time.Time) (market.Dashboard, error) {
	d := market.Dashboard{BooksByStatus: map[book.Status]int{}}
	for _, day := range days[:len(days)-1] {
		d.Daily = append(d.Daily, market.Day{Date: day})
	}
	of := wholeMarket
	if campus != "" {
		names, err := authstore.Spellings(ctx, s.db.Read, campus)
		if err != nil {
			return d, err
		}
		of = university(campus, names)
	}
	counted, err := s.readCounters(ctx, of, days)
	if err != nil {
		return d, err
	}
	for _, c := range counted {
		c.addTo(&d)
	}
	if d.TopCourses, err = s.topCourses(ctx, of); err != nil {
		return d, err
	}
	waited, err := s.medianWait(ctx, of)
	d.MedianDaysToSell = float64(waited) / float64(microsOfDay)
	return d, err
}

// scope is whose counters and orders are read.
type scope struct {
	counters counterTable
	sales    string // what to select the sales of each course from
	orders   string // a condition for the orders
	campus   []any  // the arguments of sales and of orders
}

// counterTable is what to select kind, key and n from.
type counterTable struct {
	from string
	args []any
}

var wholeMarket = scope{counters: counterTable{from: "tallies"}, sales: "course_sales WHERE TRUE", orders: "TRUE"}

// university is the scope of a university. People are counted under the name in their profiles.
func university(campus string, names []string) scope {
	return scope{
		counters: counterTable{"(SELECT kind, key, n FROM campus_tallies WHERE university IN ?)", []any{append(names, campus)}},
		sales:    "campus_course_sales WHERE university = ?", orders: "university_key = ?", campus: []any{campus},
	}
}

// readCounters reads the counters of each status, those of all time, whose key is allTime, and the sums
// of each day, whose key is the number of the day in the series.
func (s *Store) readCounters(ctx context.Context, of scope, days []time.Time) ([]counter, error) {
	totals, err := table.Of[counter](s.db.Read).Raw(`SELECT kind, key, CAST(sum(n) AS BIGINT) AS n FROM `+of.counters.from+` AS t
		WHERE kind = 1 OR kind IN (4, 5, 6) AND key = -1 GROUP BY kind, key`, of.counters.args...).Find(ctx)
	if err != nil {
		return nil, err
	}
	starts := make([]int64, len(days))
	for i, day := range days {
		starts[i] = day.UnixMicro() / microsOfPeriod
	}
	query, args := selectDays(of.counters, starts)
	daily, err := table.Of[counter](s.db.Read).Raw(query, args...).Find(ctx)
	return append(totals, daily...), err
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
func (c counter) addTo(d *market.Dashboard) {
	switch {
	case c.Kind == counterStatus:
		d.BooksByStatus[book.Status(c.Key)] = int(c.N)
	case c.Key == allTime:
		c.addToTotals(d)
	default:
		c.addToDay(&d.Daily[c.Key])
	}
}

func (c counter) addToTotals(d *market.Dashboard) {
	switch c.Kind {
	case counterUsers:
		d.Users = int(c.N)
	case counterMoney:
		d.MoneyMoved = money.Amount(c.N)
	case counterFees:
		d.FeesEarned = money.Amount(c.N)
	}
}

func (c counter) addToDay(d *market.Day) {
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

// spelled is how many orders of a course are read for its spelling, in byte order. It bounds
// the cost of the dashboard, however many orders there are.
const spelled = 200

// topCourses lists the courses with the most orders, each in the spelling that is most frequent in
// the whole market.
func (s *Store) topCourses(ctx context.Context, of scope) ([]market.CourseSales, error) {
	args := append(append([]any{spelled}, of.campus...), market.MaxTopCourses)
	return table.Of[market.CourseSales](s.db.Read).Raw(`SELECT COALESCE((SELECT course FROM
			(SELECT course FROM orders WHERE course_key = t.course_key AND status > 0 ORDER BY course LIMIT ?) AS sales
			GROUP BY course ORDER BY count(*) DESC, course LIMIT 1), t.course_key) AS course, t.sold
		FROM (SELECT course_key, sold FROM `+of.sales+` AND sold > 0 ORDER BY sold DESC, course_key LIMIT ?) AS t
		ORDER BY t.sold DESC, t.course_key`, args...).Find(ctx)
}

// medianWait finds the hour of the median order in the counters, then its position among
// the orders of that hour. Hour 0 also counts negative waiting times.
func (s *Store) medianWait(ctx context.Context, of scope) (int64, error) {
	hours, err := table.Of[counter](s.db.Read).Raw(`SELECT kind, key, CAST(sum(n) AS BIGINT) AS n FROM `+of.counters.from+` AS t
		WHERE kind = ? GROUP BY kind, key ORDER BY key`, append(of.counters.args, counterHours)...).Find(ctx)
	if err != nil {
		return 0, err
	}
	var sold int64
	for _, h := range hours {
		sold += h.N
	}
	before, hour := (sold-1)/2, int64(0)
	for _, h := range hours {
		if before < h.N {
			hour = h.Key
			break
		}
		before -= h.N
	}
	least := hour * microsOfHour
	if hour == 0 {
		least = math.MinInt64
	}
	waited, _, err := rawsql.One(ctx, s.read.Conn, rawsql.Integer[int64], `SELECT waited FROM orders
		WHERE `+of.orders+` AND status > 0 AND waited >= ? AND waited < ? ORDER BY waited LIMIT 1 OFFSET ?`,
		append(of.campus, least, (hour+1)*microsOfHour, before)...)
	return waited, err
}
