package wire

import "github.com/octavo-books/octavo/domain/money"

// Money is an amount as a JSON number of dollars with at most two decimals. It
// is read from its text, never through a float.
type Money money.Cents

// MarshalJSON writes exactly two decimals.
func (m Money) MarshalJSON() ([]byte, error) { return []byte(money.Cents(m).String()), nil }

// UnmarshalJSON refuses what money.Parse refuses: signs, exponents, a third
// decimal, and text in quotes.
func (m *Money) UnmarshalJSON(b []byte) error { return m.UnmarshalText(b) }

// UnmarshalText reads a query parameter.
func (m *Money) UnmarshalText(b []byte) error {
	c, err := money.Parse(string(b))
	*m = Money(c)
	return err
}
