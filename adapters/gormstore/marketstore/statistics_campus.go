package marketstore

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
)

// selectCampus counts the kinds of counters, as the view recount does for the whole market. The money
// is that of the ledger: a checked order moves its price and its fee, and a refund moves them back.
const selectCampus = `WITH campus AS (SELECT status, created_at FROM books WHERE university_key = @campus),
	placed AS (SELECT status, created_at, verified_at, cancelled_at, price, fee FROM orders WHERE university_key = @campus),
	charged AS (SELECT verified_at / 900000000 AS period, price, fee FROM placed WHERE verified_at > 0
		UNION ALL SELECT cancelled_at / 900000000, -price, -fee FROM placed WHERE verified_at > 0 AND cancelled_at > 0)
	SELECT 1 AS kind, status AS key, count(*) AS n FROM campus GROUP BY status
	UNION ALL SELECT 2, created_at / 900000000 AS period, count(*) FROM campus GROUP BY period
	UNION ALL SELECT 3, created_at / 900000000 AS period, count(*) FROM placed WHERE status > 0 GROUP BY period
	UNION ALL SELECT 4, created_at / 900000000 AS period, count(*) FROM users WHERE deleted_at IS NULL AND university IN @names GROUP BY period
	UNION ALL SELECT 5, period, CAST(sum(price) AS BIGINT) FROM charged GROUP BY period
	UNION ALL SELECT 6, period, CAST(sum(fee) AS BIGINT) FROM charged GROUP BY period`

// ReadCampus implements market.StatisticsReader.
func (s *Store) ReadCampus(ctx context.Context, campus string, days []time.Time) (market.Dashboard, error) {
	d := market.Dashboard{BooksByStatus: map[book.Status]int{}}
	for _, day := range days[:len(days)-1] {
		d.Daily = append(d.Daily, market.Day{Date: day})
	}
	names, err := authstore.Spellings(ctx, s.db.Read, campus)
	if err != nil {
		return d, err
	}
	counted, err := table.Of[counter](s.db.Read).Raw(selectCampus, sql.Named("campus", campus), sql.Named("names", names)).Find(ctx)
	if err != nil {
		return d, err
	}
	sold := 0
	for _, c := range counted {
		if c.Kind == counterSold {
			sold += int(c.N)
		}
		c.addPeriodTo(&d, days)
	}
	if err := s.readCampusCourses(ctx, campus, &d); err != nil || sold == 0 {
		return d, err
	}
	waited, _, err := rawsql.One(ctx, s.read.Conn, rawsql.Integer[int64], `SELECT waited FROM orders
		WHERE university_key = ? AND status > 0 ORDER BY waited LIMIT 1 OFFSET ?`, campus, (sold-1)/2)
	d.MedianDaysToSell = float64(waited) / float64(microsOfDay)
	return d, err
}

// addPeriodTo adds a counter of selectCampus, whose key is a status or a period.
func (c counter) addPeriodTo(d *market.Dashboard, days []time.Time) {
	if c.Kind == counterStatus {
		c.addTo(d)
		return
	}
	total := market.Dashboard{}
	c.addToTotals(&total)
	d.Users += total.Users
	d.MoneyMoved += total.MoneyMoved
	d.FeesEarned += total.FeesEarned
	i, begins := slices.BinarySearchFunc(days, c.Key*microsOfPeriod, func(day time.Time, at int64) int { return int(day.UnixMicro() - at) })
	if !begins {
		i--
	}
	if i < 0 || i >= len(d.Daily) {
		return
	}
	var one market.Day
	c.addToDay(&one)
	sum := market.Total([]market.Day{d.Daily[i], one})
	sum.Date = d.Daily[i].Date
	d.Daily[i] = sum
}

func (s *Store) readCampusCourses(ctx context.Context, campus string, d *market.Dashboard) error {
	spelled, err := table.Of[market.CourseSales](s.db.Read).
		Raw("SELECT course, count(*) AS sold FROM orders WHERE university_key = ? AND status > 0 GROUP BY course", campus).Find(ctx)
	sales := make(map[string]int, len(spelled))
	for _, c := range spelled {
		sales[c.Course] = c.Sold
	}
	d.TopCourses = market.TopCourses(sales)
	return err
}
