package demo

import (
	"sort"
	"time"
)

// days is how many days of history the campus has.
const days = 2 * 365

// calendar distributes events over the days before now, most of them at the beginning and
// the end of terms.
type calendar struct {
	start      time.Time
	cumulative []float64 // share of all events by the end of each day
}

func newCalendar(now time.Time) calendar {
	c := calendar{start: now.Truncate(time.Microsecond).AddDate(0, 0, -days), cumulative: make([]float64, days)}
	sum := 0.0
	for day := range c.cumulative {
		sum += activity(c.start.AddDate(0, 0, day))
		c.cumulative[day] = sum
	}
	for day := range c.cumulative {
		c.cumulative[day] /= sum
	}
	return c
}

// activity is the relative number of events on a day, 1 on a quiet one.
func activity(day time.Time) float64 {
	switch _, week := day.ISOWeek(); {
	case week >= 33 && week <= 38: // autumn term
		return 5
	case week >= 2 && week <= 6: // spring term
		return 4
	case week >= 49 && week <= 51, week >= 18 && week <= 21: // exams are over
		return 2.5
	}
	return 1
}

// at returns the time by which the share p of all events, 0 to 1, has happened. It increases
// with p.
func (c calendar) at(p float64) time.Time {
	day := min(sort.SearchFloat64s(c.cumulative, p), days-1)
	before := 0.0
	if day > 0 {
		before = c.cumulative[day-1]
	}
	within := min((p-before)/(c.cumulative[day]-before), 1)
	return c.start.AddDate(0, 0, day).Add(time.Duration(within * float64(24*time.Hour))).Truncate(time.Microsecond)
}
