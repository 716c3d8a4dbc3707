package wire

import "github.com/octavo-books/octavo/domain/money"

// Money is an amount as a JSON number of dollars with at most two decimals. It
// is read from its text, never through a float.
type Money money.Cents

// MarshalJSON writes exactly two decimals.
func (m Money) MarshalJSON() ([]byte, error) { return []byte(money.Cents(m).String()), nil }

// UnmarshalJSON refuses what money.Parse refuses: signs, exponents, a third
// decimal, and text in quotes. The edge writes exponents out before.
func (m *Money) UnmarshalJSON(b []byte) error { return m.Bind(string(b)) }

// Bind reads a query parameter; generated code prefers it to reading an integer.
func (m *Money) Bind(text string) error {
	c, err := money.Parse(text)
	*m = Money(c)
	return err
}
