package mailer

import (
	"fmt"
	"strings"
	"time"
)

// locale formats what templates of a language cannot.
type locale struct {
	theBook    string
	open, shut string // quotation marks
	thousands  string // separator
	dollars    func(whole, cents string) string
	date       func(t time.Time) string
	units      [3][2]string // days, hours, minutes; one and many
}

var english = locale{
	theBook: "The book", open: "“", shut: "”",
	thousands: ",",
	dollars:   func(whole, cents string) string { return "$" + whole + "." + cents },
	date:      func(t time.Time) string { return t.Format("2 January 2006, 15:04 UTC") },
	units:     [3][2]string{{"day", "days"}, {"hour", "hours"}, {"minute", "minutes"}},
}

var french = locale{
	theBook: "Le livre", open: "«\u00a0", shut: "\u00a0»",
	thousands: "\u00a0", // a no-break space
	dollars:   func(whole, cents string) string { return whole + "," + cents + "\u00a0$" },
	date: func(t time.Time) string {
		return fmt.Sprintf("%d %s %d à %02d h %02d (UTC)", t.Day(), frenchMonths[t.Month()-1], t.Year(), t.Hour(), t.Minute())
	},
	units: [3][2]string{{"jour", "jours"}, {"heure", "heures"}, {"minute", "minutes"}},
}

var frenchMonths = [...]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"}

func (l locale) quote(s string) string { return l.open + s + l.shut }

// formatMoney formats an amount of dollars with two decimals, such as "1234.50".
func (l locale) formatMoney(amount string) string {
	whole, cents, _ := strings.Cut(amount, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + l.thousands + whole[i:]
	}
	return l.dollars(whole, cents)
}

// formatTime formats an RFC 3339 time and returns any other text unchanged.
func (l locale) formatTime(rfc3339 string) string {
	at, err := time.Parse(time.RFC3339, rfc3339)
	if err != nil {
		return rfc3339
	}
	return l.date(at.UTC())
}

// formatDuration rounds down to the largest unit that fits and returns "" below a minute.
func (l locale) formatDuration(d time.Duration) string {
	for i, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute} {
		n := int(d / unit)
		if n > 1 || n == 1 && i > 0 {
			return fmt.Sprintf("%d %s", n, l.units[i][min(n, 2)-1])
		}
	}
	return ""
}
