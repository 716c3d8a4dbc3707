package order

import (
	"fmt"

	"github.com/octavo-books/octavo/domain/money"
)

// FeeRate is the market's fee on top of a price, in basis points.
type FeeRate int

// basis is one hundred percent in basis points.
const basis = 10_000

// Validate refuses a rate outside 0 to 10,000 basis points.
func (r FeeRate) Validate() error {
	if r < 0 || r > basis {
		return fmt.Errorf("fee of %d basis points: must be 0 to %d", r, basis)
	}
	return nil
}

// Of returns the fee on a price, rounded half up to the minor unit.
func (r FeeRate) Of(price money.Amount) money.Amount {
	return (price*money.Amount(r) + basis/2) / basis
}
