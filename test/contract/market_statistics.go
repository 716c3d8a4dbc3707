package contract

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"
	_ "time/tzdata" // the case of days names a zone, and a machine may have none

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketStatistics(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a user's statistics follow the user's calls":  ofUser,
		"the dashboard counts all events":              ofMarket,
		"a period has its days and the days before it": ofPeriod,
		"the dashboard of an empty market is zero":     ofNothing,
		"days begin by the calendar of the campus":     ofCampusDays,
		"a course has its most frequent spelling":      spelledByMost,
		"the dashboard of a university counts its own": ofCampus,
		"a dashboard is counted once a minute":         ofLastMinute,
	})
}

// ofCampusDays posts a book every seven hours over a change of the clocks, and counts the books
// of each day by the calendar of the campus.
func ofCampusDays(t *testing.T, b *MarketFixture) {
	ann, dean := b.Join(t, "ann", user.Regular), b.Join(t, "dean", user.Admin)
	b.Clock.Set(time.Date(2026, time.October, 24, 1, 50, 0, 0, time.UTC)) // Europe puts the clocks back on the 25th
	var posted []time.Time
	for range 12 {
		b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
		posted = append(posted, b.Clock.Now())
		b.Clock.Advance(7 * time.Hour)
	}
	for _, name := range []string{"UTC", "Europe/London", "America/New_York", "Asia/Kathmandu", "Pacific/Chatham"} {
		zone := must.Get(time.LoadLocation(name))(t)
		s := must.Get(b.Over(b.Deps, func(c *rooms.Config) { c.Zone = zone }).Statistics.Dashboard(t.Context(), dean, ""))(t)
		if len(s.Daily) != guarding.SeriesDays {
			t.Fatalf("%s: %d days, want %d", name, len(s.Daily), guarding.SeriesDays)
		}
		for _, day := range s.Daily {
			want := 0
			for _, at := range posted {
				if at.In(zone).Format(time.DateOnly) == day.Date.Format(time.DateOnly) {
					want++
				}
			}
			if day.Posted != want {
				t.Errorf("%s: %d books on %v, want %d", name, day.Posted, day.Date, want)
			}
		}
	}
}

// ofCampus takes the dashboard of the market while only one university trades, and expects the
// same as that of the university when another one trades as well.
func ofCampus(t *testing.T, b *MarketFixture) {
	dean := b.JoinAt(t, "dean", "Yale", user.Admin)
	from := b.Clock.Now()
	b.tradeAt(t, dean, "Yale")
	b.tradeAt(t, dean, "yale ")
	to := b.Clock.Now()
	b.Clock.Advance(24 * time.Hour)
	want := must.Get(b.Statistics.OfPeriod(t.Context(), dean, "", from, to))(t)
	b.tradeAt(t, dean, "Brown")
	got := must.Get(b.Statistics.OfPeriod(t.Context(), dean, "YALE", from, to))(t)
	got.CountedAt = want.CountedAt
	if !reflect.DeepEqual(got, want) || got.FeesEarned == 0 || got.BooksByStatus[book.ForSale] != 6 {
		t.Errorf("the university has\n%+v, want what it had alone:\n%+v", got, want)
	}
	none := must.Get(b.Statistics.Dashboard(t.Context(), dean, "Nowhere"))(t)
	if len(none.BooksByStatus) != 0 || none.Users != 0 || len(none.TopCourses) != 0 || guarding.Total(none.Daily) != (guarding.Day{}) {
		t.Errorf("a university without people has %+v", none)
	}
}

func ofLastMinute(t *testing.T, b *MarketFixture) {
	ann, dean := b.JoinAt(t, "ann", "Yale", user.Regular), b.JoinAt(t, "dean", "Brown", user.Admin)
	shows := func(university string, want int) {
		t.Helper()
		d := must.Get(b.Statistics.Dashboard(t.Context(), dean, university))(t)
		if d.BooksByStatus[book.ForSale] != want || b.Clock.Now().Sub(d.CountedAt) >= guarding.StatisticsKept {
			t.Errorf("%q has %d books, counted at %v; want %d", university, d.BooksByStatus[book.ForSale], d.CountedAt, want)
		}
	}
	shows("", 0)
	must.Get(b.Listings.Post(t.Context(), ann, Draft("Calculus", "MTH 161", 1000)))(t)
	shows("", 0)
	shows("Yale", 1)
	shows("Brown", 0)
	b.Clock.Advance(guarding.StatisticsKept)
	shows("", 1)
}

// tradeAt sells books of a university: some are confirmed, one sale is cancelled, one refunded.
func (b *MarketFixture) tradeAt(t *testing.T, dean user.Caller, university string) {
	ann, bob := b.JoinAt(t, "ann "+university, university, user.Regular), b.JoinAt(t, "bob "+university, university, user.Regular)
	for i, course := range []string{"MTH 161", "mth161", "MTH 161", "PHY 121", "PHY 121"} {
		v := b.Post(t, ann, Draft(fmt.Sprint("Calculus ", i), course, 1000))
		b.Clock.Advance(time.Duration(20+i) * time.Hour)
		b.Buy(t, bob, v.ID)
		b.Clock.Advance(20 * time.Hour)
		if i < 3 {
			must.Get(b.Orders.Confirm(t.Context(), dean, v.ID))(t)
		}
		if i == 2 || i == 3 {
			must.Get(b.Orders.Cancel(t.Context(), dean, v.ID, "mistake"))(t)
		}
	}
	b.Post(t, ann, Draft("Physics", "PHY 121", 1000))
}

func ofUser(t *testing.T, b *MarketFixture) {
	ann, bob, dean, v := b.aSale(t)
	b.Post(t, ann, Draft("Physics", "PHY 121", 1000))
	b.Request(t, bob, book.RequestDraft{Name: "Physics", Course: "PHY 121"})
	b.Request(t, bob, book.RequestDraft{Name: "Biology", Course: "BIO 110"})
	expect := func(who user.Caller, want guarding.UserStatistics) {
		t.Helper()
		got := must.Get(b.Statistics.ForUser(t.Context(), who))(t)
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	expect(ann, guarding.UserStatistics{Posted: 2, Sold: 1, Made: 1000})
	expect(bob, guarding.UserStatistics{Bought: 1, Spent: 1050, OpenRequests: 2, OpenMatch: 1})
	must.Get(b.Orders.Cancel(t.Context(), dean, v.ID, "mistake"))(t)
	expect(ann, guarding.UserStatistics{Posted: 2})
	expect(bob, guarding.UserStatistics{OpenRequests: 2, OpenMatch: 1})
	refused(t, must.Err(b.Statistics.ForUser(t.Context(), user.Caller{})), user.ErrUnauthenticated)
}

func ofMarket(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	var views []market.BookView
	for _, course := range []string{"MTH 161", "mth-161", "PHY 121", "BIO 110"} {
		views = append(views, b.Post(t, ann, Draft("Book", course, 1000)))
	}
	b.Clock.Advance(48 * time.Hour)
	b.Buy(t, bob, views[0].ID)
	b.Clock.Advance(24 * time.Hour)
	b.Buy(t, bob, views[1].ID, views[2].ID)
	must.Get(b.Orders.Confirm(t.Context(), dean, views[0].ID))(t)
	must.Get(b.Orders.SetPaid(t.Context(), dean, views[0].ID))(t)
	must.Get(b.Orders.Confirm(t.Context(), dean, views[1].ID))(t)
	s := must.Get(b.Statistics.Dashboard(t.Context(), dean, ""))(t)
	if s.Users != 3 || s.MoneyMoved != 2000 || s.FeesEarned != 100 || len(s.Daily) != guarding.SeriesDays {
		t.Errorf("totals %+v", s)
	}
	for status, n := range map[book.Status]int{book.ForSale: 1, book.Bought: 1, book.Verified: 1, book.Delivered: 1} {
		if s.BooksByStatus[status] != n {
			t.Errorf("%d in status %d, want %d", s.BooksByStatus[status], status, n)
		}
	}
	today, before, first := s.Daily[guarding.SeriesDays-1], s.Daily[guarding.SeriesDays-2], s.Daily[guarding.SeriesDays-4]
	if today.Sold != 2 || today.Money != 2000 || today.Fees != 100 || before.Sold != 1 || before.Money != 0 || first.Posted != 4 || first.NewUsers != 3 {
		t.Errorf("days %+v, %+v, %+v", first, before, today)
	}
	if !today.Date.Equal(b.Clock.Now().Truncate(24 * time.Hour)) {
		t.Errorf("today is %v", today.Date)
	}
	if len(s.TopCourses) != 2 || s.TopCourses[0].Sold != 2 || text.Key(s.TopCourses[0].Course) != "mth161" {
		t.Errorf("top courses %+v", s.TopCourses)
	}
	if s.MedianDaysToSell < 2.9 || s.MedianDaysToSell > 3.1 {
		t.Errorf("median %v days", s.MedianDaysToSell)
	}
}

func spelledByMost(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	var sold []book.ID
	for _, course := range []string{"mth-161", "MTH 161", "mth161", "MTH 161", "MTH 161", "mth-161", "PHY 121"} {
		v := b.Post(t, ann, Draft("Book", course, 1000))
		b.Buy(t, bob, v.ID)
		sold = append(sold, v.ID)
	}
	named := func(want ...guarding.CourseSales) {
		t.Helper()
		b.Clock.Advance(guarding.StatisticsKept)
		s := must.Get(b.Statistics.Dashboard(t.Context(), dean, ""))(t)
		if !slices.Equal(s.TopCourses, want) {
			t.Errorf("top courses %+v, want %+v", s.TopCourses, want)
		}
	}
	named(guarding.CourseSales{Course: "MTH 161", Sold: 6}, guarding.CourseSales{Course: "PHY 121", Sold: 1})
	for _, id := range []book.ID{sold[1], sold[3]} {
		must.Get(b.Orders.Cancel(t.Context(), dean, id, "mistake"))(t)
	}
	named(guarding.CourseSales{Course: "mth-161", Sold: 4}, guarding.CourseSales{Course: "PHY 121", Sold: 1})
}

// ofPeriod sells a book on each of three days: 20 days ago, 10 days ago and today.
func ofPeriod(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	for i := range 3 {
		if i > 0 {
			b.Clock.Advance(10 * 24 * time.Hour)
		}
		b.Buy(t, bob, b.Post(t, ann, Draft("Book", "MTH 161", 1000)).ID)
	}
	today := b.Clock.Now()
	ago := func(days int) time.Time { return today.AddDate(0, 0, -days) }
	for name, c := range map[string]struct {
		from, to           time.Time
		days, sold, before int
	}{
		"the usual one":        {time.Time{}, time.Time{}, guarding.SeriesDays, 3, 0},
		"today alone":          {today, today, 1, 1, 0},
		"the last five days":   {ago(4), today, 5, 1, 0},
		"half of the time":     {ago(14), ago(5), 10, 1, 1},
		"the first day":        {ago(20), ago(20), 1, 1, 0},
		"before it":            {ago(40), ago(21), 20, 0, 0},
		"a week, half of it":   {ago(10), ago(7), 4, 1, 0},
		"the last eleven days": {ago(10), time.Time{}, 11, 2, 1},
	} {
		d := must.Get(b.Statistics.OfPeriod(t.Context(), dean, "", c.from, c.to))(t)
		if len(d.Daily) != c.days || len(d.Before) != c.days || guarding.Total(d.Daily).Sold != c.sold || guarding.Total(d.Before).Sold != c.before {
			t.Errorf("%s: %d days with %d sales, %d before with %d", name, len(d.Daily), guarding.Total(d.Daily).Sold, len(d.Before), guarding.Total(d.Before).Sold)
		}
		if d.Users == 0 || d.BooksByStatus[book.Bought] != 3 {
			t.Errorf("%s: the totals are those of the period: %+v", name, d.Dashboard)
		}
	}
	for name, period := range map[string][2]time.Time{
		"reversed": {today, ago(1)}, "too long": {ago(366), today}, "too long ago": {ago(2000), ago(1999)}, "in the future": {today, today.AddDate(0, 0, 1)},
	} {
		if _, err := b.Statistics.OfPeriod(t.Context(), dean, "", period[0], period[1]); err == nil {
			t.Errorf("a period that is %s is accepted", name)
		}
	}
}

func ofNothing(t *testing.T, b *MarketFixture) {
	dean := b.Join(t, "dean", user.Admin)
	s := must.Get(b.Statistics.Dashboard(t.Context(), dean, ""))(t)
	if s.MoneyMoved != 0 || s.MedianDaysToSell != 0 || len(s.TopCourses) != 0 || len(s.Daily) != guarding.SeriesDays || s.Users != 1 {
		t.Errorf("%+v", s)
	}
	refused(t, must.Err(b.Statistics.Dashboard(t.Context(), b.Join(t, "ann", user.Regular), "")), user.ErrForbidden)
	if differences, err := b.Ledger.Check(t.Context()); err != nil || len(differences) != 0 {
		t.Errorf("the empty ledger: %v, %v", differences, err)
	}
}
