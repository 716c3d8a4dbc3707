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
	v, _, err := one(ctx, s.read, readUserStatistics, `SELECT
		(SELECT count(*) FROM books WHERE seller_id = ?),
		(SELECT count(*) FROM orders WHERE seller_id = ? AND status > 0),
		(SELECT CAST(COALESCE(sum(price), 0) AS BIGINT) FROM orders WHERE seller_id = ? AND status > 0),
		(SELECT count(*) FROM orders WHERE buyer_id = ? AND status > 0),
		(SELECT CAST(COALESCE(sum(price + fee), 0) AS BIGINT) FROM orders WHERE buyer_id = ? AND status > 0),
		(SELECT count(*) FROM requests WHERE owner_id = ? AND status = 0),
		(SELECT count(*) FROM pairs p CROSS JOIN requests r CROSS JOIN books b
			WHERE r.id = p.request_id AND b.id = p.book_id AND p.owner_id = ? AND p.holds = 1 AND r.status = 0 AND b.status = 0)`,
		u, u, u, u, u, u, u)
	return v, err
}

func readUserStatistics() ([]any, func() market.UserStatistics) {
	var posted, sold, made, bought, spent, requests, matches int64
	return []any{&posted, &sold, &made, &bought, &spent, &requests, &matches}, func() market.UserStatistics {
		return market.UserStatistics{
			Posted: int(posted), Sold: int(sold), Made: money.Cents(made), Bought: int(bought), Spent: money.Cents(spent),
			OpenRequests: int(requests), OpenMatch: int(matches),
		}
	}
}

// OfMarket is market.Tally.
func (s *Store) OfMarket(ctx context.Context, first, today time.Time) (market.Dashboard, error) {
	t := tally{conn: s.read, first: first.UnixMicro()}
	t.out.BooksByStatus = map[book.Status]int{}
	for day := first; !day.After(today); day = day.AddDate(0, 0, 1) {
		t.out.Daily = append(t.out.Daily, market.Day{Date: day})
	}
	t.totals(ctx)
	t.daily(ctx, "SELECT (created_at - ?) / ?, count(*), 0 FROM books WHERE created_at >= ? GROUP BY 1", func(d *market.Day, n, _ int64) { d.Posted = int(n) })
	t.daily(ctx, "SELECT (created_at - ?) / ?, count(*), 0 FROM orders WHERE created_at >= ? AND status > 0 GROUP BY 1", func(d *market.Day, n, _ int64) { d.Sold = int(n) })
	t.daily(ctx, "SELECT (created_at - ?) / ?, count(*), 0 FROM users WHERE created_at >= ? AND deleted_at IS NULL GROUP BY 1", func(d *market.Day, n, _ int64) { d.NewUsers = int(n) })
	t.daily(ctx, "SELECT (at - ?) / ?, "+moved+" FROM ledger WHERE at >= ? GROUP BY 1", func(d *market.Day, price, fee int64) {
		d.Money, d.Fees = money.Cents(price), money.Cents(fee)
	})
	t.courses(ctx)
	t.median(ctx)
	return t.out, t.err
}

// moved is what the entries moved for books, and in fees.
const moved = `CAST(COALESCE(sum(CASE WHEN account = 2 AND movement <> 3 THEN amount ELSE 0 END), 0) AS BIGINT),
	CAST(COALESCE(sum(CASE WHEN account = 3 THEN amount ELSE 0 END), 0) AS BIGINT)`

// tally asks one question after the other until one fails.
type tally struct {
	conn
	first int64
	out   market.Dashboard
	err   error
}

// ask runs a query whose rows are numbers and hands each row over.
func (t *tally) ask(ctx context.Context, columns int, put func(n []int64), query string, args ...any) {
	if t.err != nil {
		return
	}
	_, t.err = collect(ctx, t.conn, func() ([]any, func() struct{}) {
		numbers, places := make([]int64, columns), make([]any, columns)
		for i := range numbers {
			places[i] = &numbers[i]
		}
		return places, func() struct{} { put(numbers); return struct{}{} }
	}, query, args...)
}

func (t *tally) totals(ctx context.Context) {
	t.ask(ctx, 2, func(n []int64) { t.out.BooksByStatus[book.Status(n[0])] = int(n[1]) }, `SELECT 0, count(*) FROM books WHERE status = 0
		UNION ALL SELECT status, count(*) FROM books WHERE status <> 0 GROUP BY status`)
	t.ask(ctx, 1, func(n []int64) { t.out.Users = int(n[0]) }, "SELECT count(*) FROM users WHERE deleted_at IS NULL")
	t.ask(ctx, 2, func(n []int64) { t.out.MoneyMoved, t.out.FeesEarned = money.Cents(n[0]), money.Cents(n[1]) }, "SELECT "+moved+" FROM ledger")
}

// daily runs a query whose rows are the number of a day and two sums.
func (t *tally) daily(ctx context.Context, query string, put func(d *market.Day, a, b int64)) {
	t.ask(ctx, 3, func(n []int64) {
		if n[0] >= 0 && n[0] < int64(len(t.out.Daily)) {
			put(&t.out.Daily[n[0]], n[1], n[2])
		}
	}, query, t.first, (24 * time.Hour).Microseconds(), t.first)
}

func (t *tally) courses(ctx context.Context) {
	if t.err != nil {
		return
	}
	t.out.TopCourses, t.err = collect(ctx, t.conn, func() ([]any, func() market.CourseSales) {
		var course string
		var sold int64
		return []any{&course, &sold}, func() market.CourseSales { return market.CourseSales{Course: course, Sold: int(sold)} }
	}, `SELECT max(course), count(*) FROM orders WHERE status > 0 GROUP BY course_key
		ORDER BY count(*) DESC, course_key LIMIT ?`, market.MaxTopCourses)
}

func (t *tally) median(ctx context.Context) {
	t.ask(ctx, 1, func(n []int64) {
		t.out.MedianDaysToSell = float64(n[0]) / float64((24 * time.Hour).Microseconds())
	}, `SELECT waited FROM orders WHERE status > 0 ORDER BY waited LIMIT 1
		OFFSET (SELECT CASE WHEN count(*) = 0 THEN 0 ELSE (count(*) - 1) / 2 END FROM orders WHERE status > 0)`)
}
