// Package money represents amounts exactly, in whole cents.
package money

import (
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/domain/fault"
)

// Amount is an amount in the minor unit of the market's currency. Only the ledger has negative amounts.
type Amount int64

// ErrInvalid refuses a text that is not dollars with at most two decimals.
var ErrInvalid = fault.New(fault.Invalid, "money_invalid", "Enter an amount in dollars with at most two decimals.")

// maxDigits keeps amounts well within 64 bits.
const maxDigits = 15

// Parse parses dollars: digits, and optionally a point with one or two decimals. Signs,
// exponents, spaces and thousands separators are ErrInvalid.
func Parse(s string) (Amount, error) {
	whole, fraction, point := strings.Cut(s, ".")
	if !digits(whole) || len(whole) > maxDigits || point && (!digits(fraction) || len(fraction) > 2) {
		return 0, ErrInvalid
	}
	n, err := strconv.ParseInt(whole+(fraction + "00")[:2], 10, 64)
	if err != nil {
		return 0, ErrInvalid
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

// String formats dollars with exactly two decimals, as in "1234.50". Parse accepts it
// unless it is negative.
func (c Amount) String() string {
	sign, n := "", uint64(c)
	if c < 0 {
		sign, n = "-", -n
	}
	cents := strconv.FormatUint(n%100, 10)
	if len(cents) == 1 {
		cents = "0" + cents
	}
	return sign + strconv.FormatUint(n/100, 10) + "." + cents
}
