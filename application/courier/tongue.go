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
	dollars    func(amount string) string
	date       func(t time.Time) string
	units      [3][2]string // days, hours, minutes; one and many
}

var english = tongue{
	aBook: "The book", open: "“", shut: "”",
	dollars: func(a string) string { return "$" + a },
	date:    func(t time.Time) string { return t.Format("2 January 2006, 15:04 UTC") },
	units:   [3][2]string{{"day", "days"}, {"hour", "hours"}, {"minute", "minutes"}},
}

var french = tongue{
	aBook: "Le livre", open: "« ", shut: " »",
	dollars: func(a string) string { return strings.Replace(a, ".", ",", 1) + " $" },
	date: func(t time.Time) string {
		return fmt.Sprintf("%d %s %d à %02d h %02d (UTC)", t.Day(), frenchMonths[t.Month()-1], t.Year(), t.Hour(), t.Minute())
	},
	units: [3][2]string{{"jour", "jours"}, {"heure", "heures"}, {"minute", "minutes"}},
}

var frenchMonths = [...]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"}

func (t tongue) quote(s string) string      { return t.open + s + t.shut }
func (t tongue) money(amount string) string { return t.dollars(amount) }

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
