package wire

import "github.com/octavo-books/octavo/domain/money"

// Money is an amount as a JSON number of dollars with at most two decimals. It
// is parsed from its digits, never through a float.
type Money money.Amount

// MarshalJSON writes exactly two decimals.
func (m Money) MarshalJSON() ([]byte, error) { return []byte(money.Amount(m).String()), nil }

// UnmarshalJSON rejects signs, exponents, a third decimal place and strings, as
// money.Parse does. Package rest removes exponents before.
func (m *Money) UnmarshalJSON(b []byte) error { return m.Bind(string(b)) }

// Bind parses a query parameter. The generated code calls it.
func (m *Money) Bind(text string) error {
	c, err := money.Parse(text)
	*m = Money(c)
	return err
}
