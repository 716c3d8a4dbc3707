package demo

import (
	"sort"
	"time"
)

// span is how far back the campus goes.
const span = 2 * 365

// calendar spreads what happens over the days before now, most of it at the
// beginning and at the end of terms.
type calendar struct {
	start time.Time
	until []float64 // share of everything that has happened by the end of each day
}

func newCalendar(now time.Time) calendar {
	c := calendar{start: now.Truncate(time.Microsecond).AddDate(0, 0, -span), until: make([]float64, span)}
	sum := 0.0
	for day := range c.until {
		sum += bustle(c.start.AddDate(0, 0, day))
		c.until[day] = sum
	}
	for day := range c.until {
		c.until[day] /= sum
	}
	return c
}

// bustle is how much goes on on a day, 1 when little does.
func bustle(day time.Time) float64 {
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

// at is when the part p, 0 to 1, of everything has happened. It never falls as
// p rises.
func (c calendar) at(p float64) time.Time {
	day := min(sort.SearchFloat64s(c.until, p), span-1)
	before := 0.0
	if day > 0 {
		before = c.until[day-1]
	}
	within := min((p-before)/(c.until[day]-before), 1)
	return c.start.AddDate(0, 0, day).Add(time.Duration(within * float64(24*time.Hour))).Truncate(time.Microsecond)
}
