// Package money represents amounts exactly, in whole minor units of a currency.
package money

import (
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/domain/fault"
)

// Amount is an amount in the minor unit of the market's currency: cents, pence or yen. Only
// the ledger and refunds have negative amounts.
type Amount int64

// ErrInvalid refuses a text that is not an amount of the currency.
var ErrInvalid = fault.New(fault.Invalid, "money_invalid", "This is not an amount of money.")

// maxDigits keeps amounts well within 64 bits.
const maxDigits = 15

// Parse parses digits and, if the currency has decimals, optionally a point with one digit or
// more, at most as many as the currency has. Signs, exponents, spaces and thousands
// separators are ErrInvalid.
func (c Currency) Parse(s string) (Amount, error) {
	whole, fraction, point := strings.Cut(s, ".")
	if !digits(whole) || len(whole) > maxDigits || point && (!digits(fraction) || len(fraction) > c.Decimals()) {
		return 0, ErrInvalid.WithMsg(c.Hint())
	}
	n, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", c.Decimals()-len(fraction)), 10, 64)
	if err != nil {
		return 0, ErrInvalid.WithMsg(c.Hint())
	}
	return Amount(n), nil
}

func digits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

// Format writes an amount with exactly as many decimals as the currency has and nothing else,
// as in "1234.50". Parse accepts it unless it is negative.
func (c Currency) Format(a Amount) string {
	sign, n := "", uint64(a)
	if a < 0 {
		sign, n = "-", -n
	}
	text := strconv.FormatUint(n, 10)
	decimals := c.Decimals()
	if decimals == 0 {
		return sign + text
	}
	if missing := decimals + 1 - len(text); missing > 0 {
		text = strings.Repeat("0", missing) + text
	}
	at := len(text) - decimals
	return sign + text[:at] + "." + text[at:]
}
