package wire

import "errors"

// Money is an amount as a JSON number in decimal notation, which the market's currency
// writes and parses. It never passes through a float.
type Money string

var errMoney = errors.New("not an amount of money")

// MarshalJSON writes the number as it is.
func (m Money) MarshalJSON() ([]byte, error) { return []byte(m), nil }

// UnmarshalJSON accepts any number without a sign. Package rest checks it by the rules of the
// currency.
func (m *Money) UnmarshalJSON(b []byte) error { return m.Bind(string(b)) }

// Bind takes a query parameter. The generated code calls it.
func (m *Money) Bind(text string) error {
	if text == "" || text[0] < '0' || text[0] > '9' {
		return errMoney
	}
	*m = Money(text)
	return nil
}
