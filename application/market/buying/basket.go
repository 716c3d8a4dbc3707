package buying

import (
	"slices"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
)

// Basket is what a user wants to buy at once.
type Basket struct {
	Books        []book.ID     // nil: everything in the cart
	AllowPartial bool          // buy the available books if others are not available
	Total        *money.Amount // what the buyer agreed to pay, with fees; nil: what the cart knows
	Key          market.IdempotencyKey
}

// UnavailableError is the refusal of a checkout that names the books which are not for
// sale. errors.As finds it, and errors.Is finds book.ErrNotAvailable behind it.
type UnavailableError struct{ Books []book.ID }

func (u *UnavailableError) Error() string { return book.ErrNotAvailable.Error() }

// Unwrap returns the error that driving adapters map to an answer.
func (u *UnavailableError) Unwrap() error { return book.ErrNotAvailable }

// agrees reports whether the buyer has agreed to the prices of the books: to their total, or to
// those that the cart and lapsed offers know. Other books have no known price.
func (b Basket) agrees(total money.Amount, prices map[book.ID]money.Amount, known []KnownPrice) bool {
	if b.Total != nil {
		return *b.Total == total
	}
	for _, k := range known {
		if prices[k.Book] > k.Price {
			return false
		}
	}
	return true
}

// PriceChangedError is the refusal of a checkout whose total is not the agreed one.
// errors.As finds it, and errors.Is finds ErrPriceChanged behind it.
type PriceChangedError struct{ Total money.Amount } // what the basket costs now

func (p *PriceChangedError) Error() string { return ErrPriceChanged.Error() }

// Unwrap returns the error that driving adapters map to an answer.
func (p *PriceChangedError) Unwrap() error { return ErrPriceChanged }

// The errors of baskets.
var (
	ErrNothingToBuy = fault.New(fault.Invalid, "nothing_to_buy", "There is nothing to buy.").
			WithField("bookIds", "Name a book, or put one into the cart.")
	ErrTooManyBooks = fault.New(fault.Invalid, "too_many_books", "At most 100 books can be bought at once.").
			WithField("bookIds", "Must have at most 100 entries.")
	ErrPriceChanged = fault.New(fault.Conflict, "price_changed", "A price has changed. Please check the new total.")
)

// Check refuses a basket that is wrong whatever is in the cart.
func (b Basket) Check() error {
	_, err := b.check()
	return err
}

// check refuses a basket that is wrong whatever is in the cart. It sorts the books and
// removes duplicates.
func (b Basket) check() (Basket, error) {
	if err := b.Key.Check(); err != nil {
		return b, err
	}
	if b.Books == nil {
		return b, nil
	}
	b.Books = slices.Clone(b.Books)
	slices.Sort(b.Books)
	b.Books = slices.Compact(b.Books)
	if len(b.Books) == 0 {
		return b, ErrNothingToBuy
	}
	if len(b.Books) > MaxCart {
		return b, ErrTooManyBooks
	}
	return b, nil
}
