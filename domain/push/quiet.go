package push

import (
	"time"

	"github.com/octavo-books/octavo/domain/fault"
)

// Quiet are the hours of each day in which nothing is pushed, in minutes after midnight. They may cross midnight. If
// both are equal, there are none.
type Quiet struct{ From, To int }

const minutesOfDay = 24 * 60

// ErrQuiet refuses quiet hours outside of a day.
var ErrQuiet = fault.New(fault.Invalid, "quiet_hours", "These are no times of a day.").
	WithField("from", "Must be a time of a day, such as 22:00.").WithField("to", "Must be a time of a day, such as 07:00.")

// Check refuses what is outside of a day.
func (q Quiet) Check() error {
	if min(q.From, q.To) < 0 || max(q.From, q.To) >= minutesOfDay {
		return ErrQuiet
	}
	return nil
}

// Off reports whether there are no quiet hours.
func (q Quiet) Off() bool { return q.From == q.To }

// Around returns the beginning and the end of the quiet hours in which a time is; false if it is in none. Times are those
// of zone.
func (q Quiet) Around(at time.Time, zone *time.Location) (from, to time.Time, quiet bool) {
	if q.Off() {
		return from, to, false
	}
	year, month, day := at.In(zone).Date()
	clock := func(day, minute int) time.Time {
		return onClock(time.Date(year, month, day, 0, minute, 0, 0, time.UTC), zone)
	}
	for _, begins := range []int{day - 1, day} {
		ends := begins
		if q.To < q.From {
			ends++
		}
		from, to = clock(begins, q.From), clock(ends, q.To)
		if !at.Before(from) && at.Before(to) {
			return from, to, true
		}
	}
	return time.Time{}, time.Time{}, false
}

// onClock returns when the clocks of zone show what wall, a time in UTC, does, or first show more: clocks that are put
// forward skip times, for which time.Date may return one before.
func onClock(wall time.Time, zone *time.Location) time.Time {
	in := func(z *time.Location, t time.Time) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, z)
	}
	at := in(zone, wall)
	return at.Add(max(0, wall.Sub(in(time.UTC, at))))
}
