// Package locale writes money, numbers and times as the readers of a language expect them.
package locale

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// Format writes values for the readers of one language, in one currency and time zone.
type Format struct {
	Lang     user.Lang
	Currency money.Currency
	Zone     *time.Location // nil: UTC
}

const (
	space       = "\u00a0" // does not break
	narrowSpace = "\u202f" // does not break
)

// signs are the signs of currencies that people rarely write as a code. Every kind of dollar
// is $: a market has only one kind.
var signs = map[string]string{
	"USD": "$", "AUD": "$", "CAD": "$", "NZD": "$", "SGD": "$", "HKD": "$", "MXN": "$", "ARS": "$", "CLP": "$", "COP": "$",
	"EUR": "€", "GBP": "£", "EGP": "£", "JPY": "¥", "CNY": "¥", "INR": "₹", "KRW": "₩", "BRL": "R$", "ILS": "₪", "NGN": "₦", "PHP": "₱",
	"TRY": "₺", "UAH": "₴", "VND": "₫", "RUB": "₽", "KZT": "₸", "GHS": "₵", "PLN": "zł", "CZK": "Kč", "DKK": "kr.", "NOK": "kr",
	"SEK": "kr",
	"ISK": "kr", "HUF": "Ft", "CHF": "CHF", "ZAR": "R",
}

// Sign returns the sign of the currency, or its code.
func (f Format) Sign() string { return cmp.Or(signs[f.Currency.Code()], f.Currency.Code()) }

// Money writes an amount: £1,234.50 in English, 1 234,50 £ in French.
func (f Format) Money(a money.Amount) string {
	text, negative := strings.CutPrefix(f.Currency.Format(a), "-")
	whole, fraction, decimals := strings.Cut(text, ".")
	text = f.group(whole)
	if decimals {
		text += f.point() + fraction
	}
	switch sign := f.Sign(); {
	case f.Lang == user.FR:
		text += space + sign
	case endsInLetter(sign):
		text = sign + space + text
	default:
		text = sign + text
	}
	if negative {
		return "-" + text
	}
	return text
}

func endsInLetter(sign string) bool {
	last, _ := utf8.DecodeLastRuneInString(sign)
	return unicode.IsLetter(last) || last == '.'
}

// Number writes an integer: 12,345.
func (f Format) Number(n int) string {
	text, negative := strings.CutPrefix(strconv.Itoa(n), "-")
	if negative {
		return "-" + f.group(text)
	}
	return f.group(text)
}

// Decimal writes a number with one decimal place: 3.5.
func (f Format) Decimal(n float64) string {
	return strings.Replace(strconv.FormatFloat(n, 'f', 1, 64), ".", f.point(), 1)
}

func (f Format) point() string {
	if f.Lang == user.FR {
		return ","
	}
	return "."
}

// group inserts thousands separators.
func (f Format) group(digits string) string {
	separator := ","
	if f.Lang == user.FR {
		separator = narrowSpace
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + separator + digits[i:]
	}
	return digits
}

var (
	frenchMonths = [...]string{
		"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre",
	}
	shortMonths = [...]string{"janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc."}
)

// Date writes the calendar date of t in its own location: 2 Nov 2026.
func (f Format) Date(t time.Time) string {
	if f.Lang == user.FR {
		return frenchDay(t) + space + shortMonths[t.Month()-1] + " " + strconv.Itoa(t.Year())
	}
	return t.Format("2\u00a0Jan 2006")
}

// frenchDay is the day of the month; the first is written 1er.
func frenchDay(t time.Time) string {
	if t.Day() == 1 {
		return "1er"
	}
	return strconv.Itoa(t.Day())
}

// Day writes the date that it is at t in the time zone: 2 Nov 2026.
func (f Format) Day(t time.Time) string { return f.Date(f.In(t)) }

var shortDays = [...]string{"dim.", "lun.", "mar.", "mer.", "jeu.", "ven.", "sam."}

// Weekday writes a near day in the time zone: Mon 2 Nov.
func (f Format) Weekday(t time.Time) string {
	t = f.In(t)
	if f.Lang == user.FR {
		return shortDays[t.Weekday()] + space + frenchDay(t) + space + shortMonths[t.Month()-1]
	}
	return t.Format("Mon\u00a02\u00a0Jan")
}

// Minute writes a date and time in the time zone: 2 Nov 2026, 15:04.
func (f Format) Minute(t time.Time) string {
	if f.Lang == user.FR {
		return f.Day(t) + " à " + f.Clock(t)
	}
	return f.Day(t) + ", " + f.Clock(t)
}

// Clock writes the time of the day in the time zone: 15:04.
func (f Format) Clock(t time.Time) string {
	if f.Lang == user.FR {
		return f.In(t).Format("15\u00a0h\u00a004")
	}
	return f.In(t).Format("15:04")
}

// DaysFrom returns how many days in the time zone lie between now and t: 1 is tomorrow.
func (f Format) DaysFrom(now, t time.Time) int {
	day := func(at time.Time) time.Time {
		year, month, day := f.In(at).Date()
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	return int(day(t).Sub(day(now)) / (24 * time.Hour))
}

// LongMinute is Minute with the name of the month in full. Without a time zone of the campus it says GMT, the name that people
// know for UTC: whoever reads it in a mail cannot know.
func (f Format) LongMinute(t time.Time) string {
	t = f.In(t)
	if f.Lang == user.FR {
		return fmt.Sprintf("%s %s %d", frenchDay(t), frenchMonths[t.Month()-1], t.Year()) + f.clock(t)
	}
	return t.Format("2 January 2006") + f.clock(t)
}

func (f Format) clock(t time.Time) string {
	before, after := ", ", ""
	if f.Lang == user.FR {
		before = " à "
	}
	switch {
	case f.Zone != nil && f.Zone != time.UTC:
	case f.Lang == user.FR:
		after = " (GMT)"
	default:
		after = " GMT"
	}
	return before + f.Clock(t) + after
}

// In returns t in the time zone.
func (f Format) In(t time.Time) time.Time {
	if f.Zone == nil {
		return t.UTC()
	}
	return t.In(f.Zone)
}
