package guardingstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/book"
)

const microsOfDay = int64(24 * time.Hour / time.Microsecond)

// ReadDashboard implements guarding.Reader. It counts everything, each time, within indexes that have
// all columns: see docs/adr/0048.
func (s Reader) ReadDashboard(ctx context.Context, campus string, days []time.Time) (d guarding.Dashboard, err error) {
	of, err := s.scopeOf(ctx, campus)
	if err != nil {
		return d, err
	}
	if d.BooksByStatus, err = s.countBooks(ctx, of); err != nil {
		return d, err
	}
	if d.Users, d.MoneyMoved, d.FeesEarned, err = s.totals(ctx, of); err != nil {
		return d, err
	}
	if d.Daily, err = s.daily(ctx, of, days); err != nil {
		return d, err
	}
	if d.TopCourses, err = s.topCourses(ctx, of); err != nil {
		return d, err
	}
	d.MedianDaysToSell, err = s.medianWait(ctx, of)
	return d, err
}

// scope is whose rows are counted. The whole market has no conditions.
type scope struct {
	trade  condition // of books and orders
	people condition // of users
}

type condition struct {
	sql  string
	args []any
}

// filter is the condition in a form for which no index is searched. An engine would rather search one of
// universities, and then read each row, than read an index that has all columns.
func (c condition) filter() condition {
	if c.sql != "" {
		c.sql = "(" + c.sql + ") IS TRUE"
	}
	return c
}

// scopeOf returns the scope of a university. People are counted under the names in their profiles,
// which the database cannot fold.
func (s Reader) scopeOf(ctx context.Context, campus string) (of scope, err error) {
	if campus == "" {
		return of, nil
	}
	names, err := authstore.Spellings(ctx, s.DB.Read, campus)
	marks, args := rawsql.In(append(names, campus))
	return scope{
		trade:  condition{"university_key = ?", []any{campus}},
		people: condition{"university IN (" + marks + ")", args},
	}, err
}

func (s Reader) countBooks(ctx context.Context, of scope) (map[book.Status]int, error) {
	var q statement
	q.add("SELECT status, n FROM (SELECT 0 AS status, count(*) AS n FROM books WHERE status = 0").and(of.trade)
	q.add(" UNION ALL SELECT status, count(*) FROM books WHERE status <> 0").and(of.trade)
	q.add(" GROUP BY status) AS counted WHERE n > 0")
	rows, err := table.Of[struct {
		Status book.Status
		N      int
	}](s.DB.Read).Raw(q.sql, q.args...).Find(ctx)
	counted := make(map[book.Status]int, len(rows))
	for _, r := range rows {
		counted[r.Status] = r.N
	}
	return counted, err
}

// spelled is how many orders of a course are read for its spelling, in byte order. It bounds
// the cost of the dashboard, however many orders there are.
const spelled = 200

// topCourses lists the courses with the most orders, each in the spelling that is most frequent in
// the whole market.
func (s Reader) topCourses(ctx context.Context, of scope) ([]guarding.CourseSales, error) {
	var q statement
	q.add(`SELECT (SELECT course FROM
			(SELECT course FROM orders WHERE course_key = t.course_key AND status > 0 ORDER BY course LIMIT ?) AS sales
			GROUP BY course ORDER BY count(*) DESC, course LIMIT 1) AS course, t.sold
		FROM (SELECT course_key, count(*) AS sold FROM orders WHERE status > 0`, spelled).and(of.trade.filter())
	q.add(` GROUP BY course_key ORDER BY sold DESC, course_key LIMIT ?) AS t
		ORDER BY t.sold DESC, t.course_key`, guarding.MaxTopCourses)
	return table.Of[guarding.CourseSales](s.DB.Read).Raw(q.sql, q.args...).Find(ctx)
}

// medianWait returns how many days the median order waited.
func (s Reader) medianWait(ctx context.Context, of scope) (float64, error) {
	var q statement
	q.add("SELECT waited FROM orders WHERE status > 0").and(of.trade.filter())
	q.add(" ORDER BY waited LIMIT 1 OFFSET (SELECT (count(*) - 1) / 2 FROM orders WHERE status > 0").and(of.trade.filter())
	q.add(")")
	waited, _, err := rawsql.One(ctx, s.Read.Conn, rawsql.Integer[int64], q.sql, q.args...)
	return float64(waited) / float64(microsOfDay), err
}

// statement is written piece by piece, with the arguments in their order.
type statement condition

func (q *statement) add(sql string, args ...any) *statement {
	q.sql += sql
	q.args = append(q.args, args...)
	return q
}

// and adds a condition to others.
func (q *statement) and(c condition) {
	if c.sql != "" {
		q.add(" AND "+c.sql, c.args...)
	}
}
