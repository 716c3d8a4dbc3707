package marketstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// OfUser is market.Tally.
func (s *Store) OfUser(ctx context.Context, id user.ID) (market.UserStatistics, error) {
	u := int64(id)
	v, _, err := one(ctx, s.read, func(r row) (v market.UserStatistics, err error) {
		err = r.Scan(&v.Posted, &v.Sold, &v.Made, &v.Bought, &v.Spent, &v.OpenRequests, &v.OpenMatch)
		return v, err
	}, `SELECT
		(SELECT count(*) FROM books WHERE seller_id = ?),
		(SELECT count(*) FROM orders WHERE seller_id = ? AND status > 0),
		(SELECT CAST(COALESCE(sum(price), 0) AS BIGINT) FROM orders WHERE seller_id = ? AND status > 0),
		(SELECT count(*) FROM orders WHERE buyer_id = ? AND status > 0),
		(SELECT CAST(COALESCE(sum(price + fee), 0) AS BIGINT) FROM orders WHERE buyer_id = ? AND status > 0),
		(SELECT count(*) FROM requests WHERE owner_id = ? AND status = 0),
		(SELECT count(*) FROM pairs p JOIN requests r ON r.id = p.request_id JOIN books b ON b.id = p.book_id
			WHERE p.owner_id = ? AND p.holds = 1 AND r.status = 0 AND b.status = 0)`, u, u, u, u, u, u, u)
	return v, err
}

// OfMarket is market.Tally.
func (s *Store) OfMarket(ctx context.Context, first, today time.Time) (market.MarketStatistics, error) {
	t := tally{conn: s.read, ctx: ctx, first: first.UnixMicro()}
	t.out.BooksByStatus = map[book.Status]int{}
	for day := first; !day.After(today); day = day.AddDate(0, 0, 1) {
		t.out.Daily = append(t.out.Daily, market.Day{Date: day})
	}
	t.totals()
	t.daily("SELECT (created_at - ?) / ?, count(*), 0 FROM books WHERE created_at >= ? GROUP BY 1", func(d *market.Day, n, _ int64) { d.Posted = int(n) })
	t.daily("SELECT (created_at - ?) / ?, count(*), 0 FROM orders WHERE created_at >= ? AND status > 0 GROUP BY 1", func(d *market.Day, n, _ int64) { d.Sold = int(n) })
	t.daily("SELECT (created_at - ?) / ?, count(*), 0 FROM users WHERE created_at >= ? AND deleted_at IS NULL GROUP BY 1", func(d *market.Day, n, _ int64) { d.NewUsers = int(n) })
	t.daily("SELECT (at - ?) / ?, "+moved+" FROM ledger WHERE at >= ? GROUP BY 1", func(d *market.Day, price, fee int64) {
		d.Money, d.Fees = money.Cents(price), money.Cents(fee)
	})
	t.courses()
	t.median()
	return t.out, t.err
}

// moved is what the entries moved for books, and in fees.
const moved = `CAST(COALESCE(sum(CASE WHEN account = 2 AND movement <> 3 THEN amount ELSE 0 END), 0) AS BIGINT),
	CAST(COALESCE(sum(CASE WHEN account = 3 THEN amount ELSE 0 END), 0) AS BIGINT)`

// tally asks one question after the other until one fails.
type tally struct {
	conn
	ctx   context.Context
	first int64
	out   market.MarketStatistics
	err   error
}

func (t *tally) ask(query string, scan func(row) error, args ...any) {
	if t.err != nil {
		return
	}
	_, t.err = collect(t.ctx, t.conn, func(r row) (struct{}, error) { return struct{}{}, scan(r) }, query, args...)
}

func (t *tally) totals() {
	t.ask("SELECT status, count(*) FROM books GROUP BY status", func(r row) error {
		var status book.Status
		var n int
		err := r.Scan(&status, &n)
		t.out.BooksByStatus[status] = n
		return err
	})
	t.ask("SELECT count(*) FROM users WHERE deleted_at IS NULL", func(r row) error { return r.Scan(&t.out.Users) })
	t.ask("SELECT "+moved+" FROM ledger", func(r row) error { return r.Scan(&t.out.MoneyMoved, &t.out.FeesEarned) })
}

// daily runs a query whose rows are the number of a day and two sums.
func (t *tally) daily(query string, put func(d *market.Day, a, b int64)) {
	t.ask(query, func(r row) error {
		var day, a, b int64
		if err := r.Scan(&day, &a, &b); err != nil {
			return err
		}
		if day >= 0 && day < int64(len(t.out.Daily)) {
			put(&t.out.Daily[day], a, b)
		}
		return nil
	}, t.first, (24 * time.Hour).Microseconds(), t.first)
}

func (t *tally) courses() {
	t.ask(`SELECT max(b.course), count(*) FROM orders o JOIN books b ON b.id = o.book_id WHERE o.status > 0
		GROUP BY b.course_key ORDER BY count(*) DESC, b.course_key LIMIT ?`, func(r row) error {
		var c market.CourseSales
		err := r.Scan(&c.Course, &c.Sold)
		t.out.TopCourses = append(t.out.TopCourses, c)
		return err
	}, market.MaxTopCourses)
}

func (t *tally) median() {
	t.ask(`SELECT o.created_at - b.listed_at FROM orders o JOIN books b ON b.id = o.book_id WHERE o.status > 0
		ORDER BY 1 LIMIT 1 OFFSET (SELECT CASE WHEN count(*) = 0 THEN 0 ELSE (count(*) - 1) / 2 END FROM orders WHERE status > 0)`, func(r row) error {
		var wait int64
		err := r.Scan(&wait)
		t.out.MedianDaysToSell = float64(wait) / float64((24 * time.Hour).Microseconds())
		return err
	})
}
