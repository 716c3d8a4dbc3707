package guarding

import (
	"cmp"
	"context"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// Statistics reads statistics.
type Statistics struct {
	reader  Reader
	clock   market.Clock
	zone    *time.Location
	standby market.OnStandby[Statistics]
	lately  countedLately
	counted dashboards
}

// newStatistics returns the use cases of statistics. Days begin and end in the time zone.
func newStatistics(reader Reader, clock market.Clock, zone *time.Location) *Statistics {
	return &Statistics{reader: reader, clock: clock, zone: zone}
}

// WithStandby lets all statistics be read from a standby.
func (s *Statistics) WithStandby(on market.OnStandby[Statistics]) *Statistics {
	s.standby = on
	return s
}

// ForUser returns the caller's own statistics. Of those who have done much they may be a minute old.
func (s *Statistics) ForUser(ctx context.Context, by user.Caller) (UserStatistics, error) {
	if err := by.MustBeStudent(); err != nil {
		return UserStatistics{}, err
	}
	now := s.clock.Now()
	if known, ok := s.lately.find(by.ID, now); ok {
		return known, nil
	}
	counted, err := market.ReadFor(ctx, by, s, s.standby, func(ctx context.Context, s *Statistics) (UserStatistics, error) {
		return s.reader.ReadUserStatistics(ctx, by.ID)
	})
	if err == nil {
		s.lately.keep(by.ID, counted, now)
	}
	return counted, err
}

// Dashboard returns the statistics of a university to its admins. Without one it is all that
// they oversee. They may be a minute old.
func (s *Statistics) Dashboard(ctx context.Context, by user.Caller, university string) (Dashboard, error) {
	university = cmp.Or(university, by.Campus())
	if err := by.MustOversee(university); err != nil {
		return Dashboard{}, err
	}
	return s.readDays(ctx, by, university, SeriesDays)
}

func (s *Statistics) now() time.Time { return s.clock.Now().In(s.zone) }

// readDays returns the statistics with a series of the last n days.
func (s *Statistics) readDays(ctx context.Context, by user.Caller, university string, n int) (Dashboard, error) {
	days, campus := daysUntil(s.now(), n), campusOf(university)
	return s.counted.get(seriesOf(campus, days), s.clock.Now, func() (Dashboard, error) {
		return market.ReadFor(ctx, by, s, s.standby, func(ctx context.Context, s *Statistics) (Dashboard, error) {
			return s.reader.ReadDashboard(ctx, campus, days)
		})
	})
}

// campusOf returns the key of a university, "" for all. A name without letters and digits has no key:
// it is kept, so that it is a university that nobody attends instead of all of them.
func campusOf(university string) string { return cmp.Or(text.Key(university), university) }

// daysUntil returns when each of the last n calendar days before the end of today begins, and
// when tomorrow does, in the location of now.
func daysUntil(now time.Time, n int) []time.Time {
	year, month, day := now.Date()
	starts := make([]time.Time, n+1)
	for i := range starts {
		starts[i] = startOfDay(year, month, day+1-n+i, now.Location())
	}
	return starts
}

// startOfDay returns the first moment of a day, which is not midnight where clocks are put
// forward at midnight.
func startOfDay(year int, month time.Month, day int, zone *time.Location) time.Time {
	noon := time.Date(year, month, day, 12, 0, 0, 0, time.UTC)
	t := time.Date(year, month, day, 0, 0, 0, 0, zone)
	for t.Before(noon.Add(24*time.Hour)) && dateOf(t).Before(dateOf(noon)) { // the hour before midnight
		t = t.Add(clocksChangeBy)
	}
	return t
}

// dateOf returns midnight UTC of the date that it is at t in its location.
func dateOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// UserStatistics counts what one user has done. An order counts from checkout until it
// is cancelled. OpenMatch is at most MaxOpenMatches.
type UserStatistics struct {
	Posted, Sold, Bought    int
	Made                    money.Amount // without fees
	Spent                   money.Amount // with fees
	OpenRequests, OpenMatch int
}

// Dashboard has the numbers of the admins' dashboard. Several readers share its map and its slices.
type Dashboard struct {
	CountedAt        time.Time
	BooksByStatus    map[book.Status]int
	Users            int
	MoneyMoved       money.Amount // prices charged to buyers, less refunds
	FeesEarned       money.Amount // balance of the market's own account
	Daily            []Day        // each of the last SeriesDays days, oldest first
	TopCourses       []CourseSales
	MedianDaysToSell float64 // from listing to checkout; 0 if nothing is sold
}

// SeriesDays is how many days the daily series covers, including today.
const SeriesDays = 90

// MaxTopCourses is how many courses the dashboard lists: those with the most sales.
const MaxTopCourses = 10

// clocksChangeBy divides every time by which clocks are put forward.
const clocksChangeBy = 15 * time.Minute

// Day is one day of the market in the time zone of the campus. Money and fees count on the
// day of their movement; refunds are negative.
type Day struct {
	Date                   time.Time // its first moment, in the time zone of the campus
	Posted, Sold, NewUsers int
	Money, Fees            money.Amount
}

// CourseSales counts the live orders for books of one course.
type CourseSales struct {
	Course string // in its most frequent spelling
	Sold   int
}
