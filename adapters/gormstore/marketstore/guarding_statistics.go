package marketstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/book"
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
	microsOfPeriod = int64(guarding.CounterPeriod / time.Microsecond)
)

const allTime = -1

// ReadDashboard implements guarding.Reader. Its cost grows with the length of the series,
// and the number of waiting hours, not with the number of books or orders.
func (s *Store) ReadDashboard(ctx context.Context, campus string, days []time.Time) (guarding.Dashboard, error) {
	d := guarding.Dashboard{BooksByStatus: map[book.Status]int{}}
	for _, day := range days[:len(days)-1] {
		d.Daily = append(d.Daily, guarding.Day{Date: day})
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
	hourly   counterTable // exists on SQLite only
	sales    string       // what to select the sales of each course from
	orders   string       // a condition for the orders
	campus   []any        // the arguments of sales and of orders
}

// counterTable is what to select kind, key and n from.
type counterTable struct {
	from string
	args []any
}

func countersOf(table string, universities ...string) counterTable {
	marks, args := rawsql.In(universities)
	return counterTable{"(SELECT kind, key, n FROM " + table + " WHERE university IN (" + marks + "))", args}
}

var wholeMarket = scope{counters: counterTable{from: "tallies"}, hourly: countersOf("hour_tallies", ""), sales: "course_sales WHERE TRUE", orders: "TRUE"}

// university is the scope of a university. People are counted under the name in their profiles.
func university(campus string, names []string) scope {
	names = append(names, campus)
	return scope{
		counters: countersOf("campus_tallies", names...), hourly: countersOf("hour_tallies", names...),
		sales: "campus_course_sales WHERE university = ?", orders: "university_key = ?", campus: []any{campus},
	}
}

// spelled is how many orders of a course are read for its spelling, in byte order. It bounds
// the cost of the dashboard, however many orders there are.
const spelled = 200

// topCourses lists the courses with the most orders, each in the spelling that is most frequent in
// the whole market.
func (s *Store) topCourses(ctx context.Context, of scope) ([]guarding.CourseSales, error) {
	args := append(append([]any{spelled}, of.campus...), guarding.MaxTopCourses)
	return table.Of[guarding.CourseSales](s.db.Read).Raw(`SELECT COALESCE((SELECT course FROM
			(SELECT course FROM orders WHERE course_key = t.course_key AND status > 0 ORDER BY course LIMIT ?) AS sales
			GROUP BY course ORDER BY count(*) DESC, course LIMIT 1), t.course_key) AS course, t.sold
		FROM (SELECT course_key, sold FROM `+of.sales+` AND sold > 0 ORDER BY sold DESC, course_key LIMIT ?) AS t
		ORDER BY t.sold DESC, t.course_key`, args...).Find(ctx)
}
