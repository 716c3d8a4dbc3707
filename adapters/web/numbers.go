package web

import (
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// numberFormat is the number format of a language: the thousands separator, the
// decimal separator, and what stands before and after an amount of dollars.
type numberFormat struct{ thousands, point, before, after string }

var numberFormats = map[user.Lang]numberFormat{
	user.EN: {",", ".", "$", ""},
	user.FR: {"\u202f", ",", "", "\u00a0$"}, // a narrow no-break space, and a no-break space
}

// dollars formats an amount: $1,234.50.
func dollars(lang user.Lang, c money.Amount) string {
	w := numberFormats[lang]
	amount, sign := strings.CutPrefix(c.String(), "-")
	whole, cents, _ := strings.Cut(amount, ".")
	text := w.before + w.groupThousands(whole) + w.point + cents + w.after
	if sign {
		return "-" + text
	}
	return text
}

// number formats an integer: 12,345.
func number(lang user.Lang, n int) string { return numberFormats[lang].groupThousands(strconv.Itoa(n)) }

// decimal formats a number with one decimal place: 3.5.
func decimal(lang user.Lang, n float64) string {
	return strings.Replace(strconv.FormatFloat(n, 'f', 1, 64), ".", numberFormats[lang].point, 1)
}

// groupThousands inserts the thousands separators.
func (w numberFormat) groupThousands(digits string) string {
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteString(w.thousands)
		}
		b.WriteRune(d)
	}
	return b.String()
}
