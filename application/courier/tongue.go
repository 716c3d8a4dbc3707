package courier

import (
	"fmt"
	"strings"
	"time"
)

// tongue is how a language writes what templates cannot.
type tongue struct {
	aBook      string
	open, shut string // quotation marks
	thousands  string // between them
	dollars    func(whole, cents string) string
	date       func(t time.Time) string
	units      [3][2]string // days, hours, minutes; one and many
}

var english = tongue{
	aBook: "The book", open: "“", shut: "”",
	thousands: ",",
	dollars:   func(whole, cents string) string { return "$" + whole + "." + cents },
	date:      func(t time.Time) string { return t.Format("2 January 2006, 15:04 UTC") },
	units:     [3][2]string{{"day", "days"}, {"hour", "hours"}, {"minute", "minutes"}},
}

var french = tongue{
	aBook: "Le livre", open: "« ", shut: " »",
	thousands: "\u00a0", // a space at which no line breaks
	dollars:   func(whole, cents string) string { return whole + "," + cents + " $" },
	date: func(t time.Time) string {
		return fmt.Sprintf("%d %s %d à %02d h %02d (UTC)", t.Day(), frenchMonths[t.Month()-1], t.Year(), t.Hour(), t.Minute())
	},
	units: [3][2]string{{"jour", "jours"}, {"heure", "heures"}, {"minute", "minutes"}},
}

var frenchMonths = [...]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"}

func (t tongue) quote(s string) string { return t.open + s + t.shut }

// money writes an amount of dollars with two decimals: "1234.50".
func (t tongue) money(amount string) string {
	whole, cents, _ := strings.Cut(amount, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + t.thousands + whole[i:]
	}
	return t.dollars(whole, cents)
}

// when writes a time; what is none stays as it is.
func (t tongue) when(rfc3339 string) string {
	at, err := time.Parse(time.RFC3339, rfc3339)
	if err != nil {
		return rfc3339
	}
	return t.date(at.UTC())
}

// duration is in the largest unit that fits, "" below a minute.
func (t tongue) duration(d time.Duration) string {
	for i, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute} {
		n := int(d / unit)
		if n > 1 || n == 1 && i > 0 {
			return fmt.Sprintf("%d %s", n, t.units[i][min(n, 2)-1])
		}
	}
	return ""
}
