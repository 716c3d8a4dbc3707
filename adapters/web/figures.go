package web

import (
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// writing is how a language writes figures: what parts thousands, the decimal
// point, and what goes before and after dollars.
type writing struct{ thousands, point, before, after string }

var writings = map[user.Lang]writing{
	user.EN: {",", ".", "$", ""},
	user.FR: {"\u202f", ",", "", "\u00a0$"}, // spaces at which no line breaks, the first a narrow one
}

// dollars writes an amount: $1,234.50.
func dollars(lang user.Lang, c money.Cents) string {
	w := writings[lang]
	amount, sign := strings.CutPrefix(c.String(), "-")
	whole, cents, _ := strings.Cut(amount, ".")
	text := w.before + w.grouped(whole) + w.point + cents + w.after
	if sign {
		return "-" + text
	}
	return text
}

// number writes how many there are: 12,345.
func number(lang user.Lang, n int) string { return writings[lang].grouped(strconv.Itoa(n)) }

// tenths writes a number with one decimal: 3.5.
func tenths(lang user.Lang, n float64) string {
	return strings.Replace(strconv.FormatFloat(n, 'f', 1, 64), ".", writings[lang].point, 1)
}

// grouped parts the thousands of digits.
func (w writing) grouped(digits string) string {
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteString(w.thousands)
		}
		b.WriteRune(d)
	}
	return b.String()
}
