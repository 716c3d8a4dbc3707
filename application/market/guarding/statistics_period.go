package guarding

import (
	"cmp"
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// The limits of the period of a dashboard, in days.
const (
	maxPeriod      = 366
	maxPeriodStart = 3 * 366 // before today
)

// ErrPeriod refuses a period that is reversed, too long, too long ago or in the future.
var ErrPeriod = fault.New(
	fault.Invalid, "period_invalid", "The period must have 1 to 366 days, begin in the last three years and end today or before.",
)

// PeriodDashboard is a Dashboard whose daily series covers a period.
type PeriodDashboard struct {
	Dashboard
	Before []Day // as many days before the period, oldest first
}

// Total returns the sums of days.
func Total(days []Day) (sum Day) {
	for _, d := range days {
		sum.Posted += d.Posted
		sum.Sold += d.Sold
		sum.NewUsers += d.NewUsers
		sum.Money += d.Money
		sum.Fees += d.Fees
	}
	return sum
}

// Today returns midnight UTC of the date that it is on the campus.
func (s *Statistics) Today() time.Time { return dateOf(s.now()) }

// OfPeriod is Dashboard with the days from one date to another, both included. Of these times
// only the dates count; without any, the period is the last SeriesDays days.
func (s *Statistics) OfPeriod(ctx context.Context, by user.Caller, university string, from, to time.Time) (PeriodDashboard, error) {
	university = cmp.Or(university, by.Campus())
	if err := by.MustOversee(university); err != nil {
		return PeriodDashboard{}, err
	}
	today := s.Today()
	if to.IsZero() {
		to = today
	}
	to = dateOf(to)
	if from.IsZero() {
		from = to.AddDate(0, 0, 1-SeriesDays)
	}
	from = dateOf(from)
	length, ago := daysFrom(from, to)+1, daysFrom(from, today)
	if length < 1 || length > maxPeriod || ago > maxPeriodStart || to.After(today) {
		return PeriodDashboard{}, ErrPeriod
	}
	all, err := s.readDays(ctx, by, university, length+ago+1) // the period, as many days before it, and those until today
	if err != nil {
		return PeriodDashboard{}, err
	}
	days := all.Daily
	all.Daily = days[length : 2*length]
	return PeriodDashboard{Dashboard: all, Before: days[:length]}, nil
}

func daysFrom(a, b time.Time) int { return int(b.Sub(a) / (24 * time.Hour)) }
