package marketstore

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// ReadUserStatistics implements market.StatisticsReader.
func (s *Store) ReadUserStatistics(ctx context.Context, id user.ID) (market.UserStatistics, error) {
	return table.Of[market.UserStatistics](s.db.Read).Raw(`SELECT
		(SELECT count(*) FROM books WHERE seller_id = @id) AS posted,
		(SELECT count(*) FROM orders WHERE seller_id = @id AND status > 0) AS sold,
		(SELECT CAST(COALESCE(sum(price), 0) AS BIGINT) FROM orders WHERE seller_id = @id AND status > 0) AS made,
		(SELECT count(*) FROM orders WHERE buyer_id = @id AND status > 0) AS bought,
		(SELECT CAST(COALESCE(sum(price + fee), 0) AS BIGINT) FROM orders WHERE buyer_id = @id AND status > 0) AS spent,
		(SELECT count(*) FROM requests WHERE owner_id = @id AND status = 0) AS open_requests,
		(SELECT count(*) FROM pairs p CROSS JOIN requests r CROSS JOIN books b
			WHERE r.id = p.request_id AND b.id = p.book_id AND p.owner_id = @id AND p.holds = 1 AND r.status = 0 AND b.status = 0) AS open_match`,
		sql.Named("id", id)).Take(ctx)
}

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

// selectTotals reads the counters of each status, and those of all time, whose key is allTime.
const selectTotals = `SELECT kind, key, CAST(sum(n) AS BIGINT) AS n FROM tallies
	WHERE kind = 1 OR kind IN (4, 5, 6) AND key = -1 GROUP BY kind, key`

const allTime = -1

// selectDays sums the counters of each day. Its key is the number of the day in the series.
func selectDays(starts []int64) (query string, days []any) {
	for i := range len(starts) - 1 {
		days = append(days, i, starts[i], starts[i+1])
	}
	return `WITH kinds (kind) AS (VALUES (2), (3), (4), (5), (6)),
		days (day, begins, ends) AS (VALUES (CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT))` + strings.Repeat(", (?, ?, ?)", len(starts)-2) + `)
		SELECT k.kind, d.day AS key, CAST(COALESCE((SELECT sum(n) FROM tallies t
			WHERE t.kind = k.kind AND t.key >= d.begins AND t.key < d.ends), 0) AS BIGINT) AS n
		FROM kinds k CROSS JOIN days d`, days
}

// ReadDashboard implements market.StatisticsReader. Its cost grows with the length of the series,
// and the number of courses and waiting hours, not with the number of books or orders.
func (s *Store) ReadDashboard(ctx context.Context, days []time.Time) (market.Dashboard, error) {
	d := market.Dashboard{BooksByStatus: map[book.Status]int{}}
	starts := make([]int64, len(days))
	for i, day := range days {
		starts[i] = day.UnixMicro() / microsOfPeriod
	}
	for _, day := range days[:len(days)-1] {
		d.Daily = append(d.Daily, market.Day{Date: day})
	}
	totals, err := table.Of[counter](s.db.Read).Raw(selectTotals).Find(ctx)
	if err != nil {
		return d, err
	}
	query, args := selectDays(starts)
	daily, err := table.Of[counter](s.db.Read).Raw(query, args...).Find(ctx)
	if err != nil {
		return d, err
	}
	for _, c := range append(totals, daily...) {
		c.addTo(&d)
	}
	if d.TopCourses, err = s.topCourses(ctx); err != nil {
		return d, err
	}
	waited, err := s.medianWait(ctx)
	d.MedianDaysToSell = float64(waited) / float64(microsOfDay)
	return d, err
}

// counter is a row of the table tallies.
type counter struct{ Kind, Key, N int64 }

// addTo adds a counter of selectTotals or selectDays to the dashboard.
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

// topCourses lists the courses with the most orders, in their most frequent spelling.
func (s *Store) topCourses(ctx context.Context) ([]market.CourseSales, error) {
	return table.Of[market.CourseSales](s.db.Read).Raw(`SELECT COALESCE((SELECT course FROM
			(SELECT course FROM orders WHERE course_key = t.course_key AND status > 0 ORDER BY course LIMIT ?) AS sales
			GROUP BY course ORDER BY count(*) DESC, course LIMIT 1), t.course_key) AS course, t.sold
		FROM (SELECT course_key, sold FROM course_sales WHERE sold > 0 ORDER BY sold DESC, course_key LIMIT ?) AS t
		ORDER BY t.sold DESC, t.course_key`, spelled, market.MaxTopCourses).Find(ctx)
}

// medianWait finds the hour of the median order in the counters, then its position among
// the orders from that hour on. Hour 0 also counts negative waiting times.
func (s *Store) medianWait(ctx context.Context) (int64, error) {
	hours, err := table.Of[counter](s.db.Read).Raw(`SELECT kind, key, CAST(sum(n) AS BIGINT) AS n FROM tallies
		WHERE kind = ? GROUP BY kind, key ORDER BY key`, counterHours).Find(ctx)
	if err != nil {
		return 0, err
	}
	var sold int64
	for _, h := range hours {
		sold += h.N
	}
	before, least := (sold-1)/2, int64(math.MinInt64)
	for _, h := range hours {
		if before < h.N {
			break
		}
		before -= h.N
		least = (h.Key + 1) * microsOfHour
	}
	waited, _, err := rawsql.One(ctx, s.read.Conn, rawsql.Integer[int64], `SELECT waited FROM orders
		WHERE status > 0 AND waited >= ? ORDER BY waited LIMIT 1 OFFSET ?`, least, before)
	return waited, err
}

// These compare the counters of the dashboard with a count of all rows.
const (
	wrongCounters = `SELECT kind, key, CAST(sum(n) AS BIGINT) AS n FROM
	(SELECT kind, key, -n AS n FROM recount UNION ALL SELECT kind, key, n FROM tallies) AS both_sides
	GROUP BY kind, key HAVING sum(n) <> 0 LIMIT ?`
	wrongCourseCounters = `SELECT course_key AS course, CAST(sum(n) AS BIGINT) AS sold FROM
	(SELECT course_key, -count(*) AS n FROM orders WHERE status > 0 GROUP BY course_key UNION ALL SELECT course_key, sold FROM course_sales) AS both_sides
	GROUP BY course_key HAVING sum(n) <> 0 LIMIT ?`
)

// counterErrors lists the counters of the dashboard that differ from a count of all rows.
func (s *Store) counterErrors(ctx context.Context) (out []market.Inconsistency, err error) {
	tallies, err := table.Of[counter](s.db.Read).Raw(wrongCounters, maxInconsistencies).Find(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range tallies {
		out = append(out, market.Inconsistency{What: fmt.Sprintf("the dashboard counts %d too many (tally %d, %d)", c.N, c.Kind, c.Key)})
	}
	courses, err := table.Of[market.CourseSales](s.db.Read).Raw(wrongCourseCounters, maxInconsistencies).Find(ctx)
	for _, c := range courses {
		out = append(out, market.Inconsistency{What: fmt.Sprintf("the dashboard counts %d sales of the course %s too many", c.Sold, c.Course)})
	}
	return out, err
}
