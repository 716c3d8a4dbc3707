package mailer

import (
	"fmt"
	"time"

	"github.com/octavo-books/octavo/domain/locale"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// language has the words of a language that templates cannot contain, such as units.
type language struct {
	theBook    string
	open, shut string       // quotation marks
	units      [3][2]string // days, hours, minutes; one and many
}

var languages = map[user.Lang]language{
	user.EN: {theBook: "The book", open: "“", shut: "”", units: [3][2]string{{"day", "days"}, {"hour", "hours"}, {"minute", "minutes"}}},
	user.FR: {theBook: "Le livre", open: "«\u00a0", shut: "\u00a0»", units: [3][2]string{
		{"jour", "jours"}, {"heure", "heures"}, {"minute", "minutes"},
	}},
}

func (l language) quote(s string) string { return l.open + s + l.shut }

// amount is an amount of money in a message. Its text has the decimals of the currency and
// nothing else, as in "1234.50".
type amount struct {
	text     string
	currency money.Currency
}

// String returns the text.
func (a amount) String() string { return a.text }

// formatMoney formats an amount as the readers of a language write it. It returns anything
// else unchanged.
func formatMoney(lang user.Lang) func(any) string {
	return func(v any) string {
		a, _ := v.(amount)
		n, err := a.currency.Parse(a.text)
		if err != nil {
			return fmt.Sprint(v)
		}
		return locale.Format{Lang: lang, Currency: a.currency}.Money(n)
	}
}

// formatTime formats an RFC 3339 time and returns any other text unchanged.
func formatTime(f locale.Format) func(any) string {
	return func(v any) string {
		text := fmt.Sprint(v)
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return text
		}
		return f.LongMinute(at)
	}
}

// formatDuration rounds down to the largest unit that fits and returns "" below a minute.
func (l language) formatDuration(d time.Duration) string {
	for i, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute} {
		n := int(d / unit)
		if n > 1 || n == 1 && i > 0 {
			return fmt.Sprintf("%d %s", n, l.units[i][min(n, 2)-1])
		}
	}
	return ""
}
