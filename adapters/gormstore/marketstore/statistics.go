package marketstore

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// ReadUserStatistics implements market.StatisticsReader.
func (s *Store) ReadUserStatistics(ctx context.Context, id user.ID) (market.UserStatistics, error) {
	return gorm.G[market.UserStatistics](s.db.Read).Raw(`SELECT
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

// selectCounters reads the counters of each status and of each period of the series, and the sums
// of all periods before the series as one period before it.
const selectCounters = `SELECT kind, key, CAST(sum(n) AS BIGINT) AS n FROM tallies WHERE kind = 1 GROUP BY kind, key
	UNION ALL SELECT kind, key, CAST(sum(n) AS BIGINT) AS n FROM tallies WHERE kind IN (2, 3, 4, 5, 6) AND key >= ? GROUP BY kind, key
	UNION ALL SELECT kind, ? - 1 AS key, CAST(sum(n) AS BIGINT) AS n FROM tallies WHERE kind IN (4, 5, 6) AND key < ? GROUP BY kind`

// ReadDashboard implements market.StatisticsReader. Its cost grows with the number of periods with
// changes, courses and waiting hours, not with the number of books or orders.
func (s *Store) ReadDashboard(ctx context.Context, days []time.Time) (market.Dashboard, error) {
	d := market.Dashboard{BooksByStatus: map[book.Status]int{}}
	starts := make([]int64, len(days))
	for i, day := range days {
		starts[i] = day.UnixMicro() / microsOfPeriod
	}
	for _, day := range days[:len(days)-1] {
		d.Daily = append(d.Daily, market.Day{Date: day})
	}
	from := starts[0]
	counts, err := gorm.G[counter](s.db.Read).Raw(selectCounters, from, from, from).Find(ctx)
	if err != nil {
		return d, err
	}
	for _, c := range counts {
		c.addTo(&d, starts)
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

// addTo adds a counter to the totals and, if it is of a day of the series, to that day.
// starts are the numbers of the periods with which days begin; the last ends the series.
func (c counter) addTo(d *market.Dashboard, starts []int64) {
	var other market.Day
	day := &other
	if i := sort.Search(len(starts), func(i int) bool { return starts[i] > c.Key }) - 1; i >= 0 && i < len(d.Daily) {
		day = &d.Daily[i]
	}
	switch c.Kind {
	case counterStatus:
		d.BooksByStatus[book.Status(c.Key)] = int(c.N)
	case counterPosted:
		day.Posted += int(c.N)
	case counterSold:
		day.Sold += int(c.N)
	case counterUsers:
		d.Users += int(c.N)
		day.NewUsers += int(c.N)
	case counterMoney:
		d.MoneyMoved += money.Amount(c.N)
		day.Money += money.Amount(c.N)
	case counterFees:
		d.FeesEarned += money.Amount(c.N)
		day.Fees += money.Amount(c.N)
	}
}

// spelled is how many orders of a course are read for its spelling, in byte order. It bounds
// the cost of the dashboard, however many orders there are.
const spelled = 200

// topCourses lists the courses with the most orders, in their most frequent spelling.
func (s *Store) topCourses(ctx context.Context) ([]market.CourseSales, error) {
	return gorm.G[market.CourseSales](s.db.Read).Raw(`SELECT COALESCE((SELECT course FROM
			(SELECT course FROM orders WHERE course_key = t.course_key AND status > 0 ORDER BY course LIMIT ?) AS sales
			GROUP BY course ORDER BY count(*) DESC, course LIMIT 1), t.course_key) AS course, t.sold
		FROM (SELECT course_key, sold FROM course_sales WHERE sold > 0 ORDER BY sold DESC, course_key LIMIT ?) AS t
		ORDER BY t.sold DESC, t.course_key`, spelled, market.MaxTopCourses).Find(ctx)
}

// medianWait finds the hour of the median order in the counters, then its position among
// the orders from that hour on. Hour 0 also counts negative waiting times.
func (s *Store) medianWait(ctx context.Context) (int64, error) {
	hours, err := gorm.G[counter](s.db.Read).Raw(`SELECT kind, key, CAST(sum(n) AS BIGINT) AS n FROM tallies
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
	tallies, err := gorm.G[counter](s.db.Read).Raw(wrongCounters, maxInconsistencies).Find(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range tallies {
		out = append(out, market.Inconsistency{What: fmt.Sprintf("the dashboard counts %d too many (tally %d, %d)", c.N, c.Kind, c.Key)})
	}
	courses, err := gorm.G[market.CourseSales](s.db.Read).Raw(wrongCourseCounters, maxInconsistencies).Find(ctx)
	for _, c := range courses {
		out = append(out, market.Inconsistency{What: fmt.Sprintf("the dashboard counts %d sales of the course %s too many", c.Sold, c.Course)})
	}
	return out, err
}
