// Package offer defines what buyers offer below the price of a book, how its seller answers, and
// for how long an accepted offer is the buyer's price.
package offer

import (
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// ID identifies an offer. Ids ascend in the order of making.
type ID int64

// String returns the form on the wire.
func (i ID) String() string { return id.Format(int64(i)) }

const (
	// Validity is how long an accepted offer is the price of its buyer.
	Validity = 48 * time.Hour
	// MaxPerBuyer bounds the offers of one buyer for one book, whatever became of them.
	MaxPerBuyer = 3
	// MaxPerBook bounds the offers for one book that are still live, of all buyers.
	MaxPerBook = 100
	// MaxText is how many characters the line of an offer may have.
	MaxText = 200
)

// Offer is a price below that of a book which its buyer would pay.
type Offer struct {
	ID            ID
	Book          book.ID
	Buyer, Seller user.ID
	Price         money.Amount // of the buyer; from Countered on of the seller
	Text          string       // one line of the buyer; may be empty
	State         State
	CreatedAt     time.Time
	AnsweredAt    time.Time // the last answer; zero: none yet
	ValidUntil    time.Time // zero: never accepted
}

// Make returns the offer of a buyer for a locked book, with a text from CleanText.
func Make(id ID, b book.Book, by user.ID, price money.Amount, text string, now time.Time) (Offer, error) {
	switch {
	case by == b.Seller:
		return Offer{}, book.ErrOwnBook
	case b.Status != book.ForSale:
		return Offer{}, book.ErrNotAvailable
	case price <= 0 || price >= b.Price:
		return Offer{}, ErrPrice
	}
	return Offer{ID: id, Book: b.ID, Buyer: by, Seller: b.Seller, Price: price, Text: text, CreatedAt: now}, nil
}

// CheckAnother refuses another offer to somebody who has already made these for the same book.
func CheckAnother(earlier []Offer, now time.Time) error {
	for _, o := range earlier {
		if o.At(now).State.Live() {
			return ErrOpen
		}
	}
	if len(earlier) >= MaxPerBuyer {
		return ErrLimit
	}
	return nil
}

// Answer is what one side says to the price of the other.
type Answer string

// The answers. The texts are those on the wire.
const (
	Accept  Answer = "accept"
	Decline Answer = "decline"
	Counter Answer = "counter" // the seller alone, with another price
)

// Reply is an answer with its price, which is nil unless it is a Counter.
type Reply struct {
	Answer Answer
	Price  *money.Amount
}

// Check refuses a reply that is wrong whatever it answers.
func (r Reply) Check() error {
	switch r.Answer {
	case Accept, Decline:
		if r.Price != nil {
			return ErrNeedless
		}
	case Counter:
		if r.Price == nil {
			return ErrCounterPrice
		}
	default:
		return ErrAnswer
	}
	return nil
}

// Reply answers the offer for the side whose turn it is. The book is locked.
func (o *Offer) Reply(by user.ID, r Reply, b book.Book, now time.Time) error {
	switch {
	case !o.Involves(by):
		return ErrNotFound
	case !o.State.Waits():
		return ErrAnswered
	case by != o.Turn():
		return ErrTurn
	case b.Status != book.ForSale:
		return book.ErrNotAvailable
	}
	switch r.Answer {
	case Accept:
		o.State, o.ValidUntil = Accepted, now.Add(Validity)
	case Decline:
		o.State = Declined
	case Counter:
		if err := o.counter(by, *r.Price, b); err != nil {
			return err
		}
	}
	o.AnsweredAt = now
	return nil
}

func (o *Offer) counter(by user.ID, price money.Amount, b book.Book) error {
	switch {
	case by != o.Seller:
		return ErrCounter
	case price <= o.Price || price >= b.Price:
		return ErrCounterPrice
	}
	o.State, o.Price = Countered, price
	return nil
}

// Withdraw takes the offer back for its buyer, also an accepted one.
func (o *Offer) Withdraw(by user.ID) error {
	switch {
	case !o.Involves(by):
		return ErrNotFound
	case by != o.Buyer:
		return ErrWithdraw
	case !o.State.Live():
		return ErrAnswered
	}
	o.State = Withdrawn
	return nil
}

// At returns the offer as it is at a time: accepted ones end after Validity.
func (o Offer) At(now time.Time) Offer {
	if o.State == Accepted && !now.Before(o.ValidUntil) {
		o.State = Ended
	}
	return o
}

// Involves reports whether the user is one of the two people.
func (o Offer) Involves(id user.ID) bool { return id != 0 && (id == o.Buyer || id == o.Seller) }

// Turn returns who answers an offer that waits.
func (o Offer) Turn() user.ID {
	if o.State == Countered {
		return o.Buyer
	}
	return o.Seller
}

// With returns the other one of the two people.
func (o Offer) With(id user.ID) user.ID {
	if id == o.Buyer {
		return o.Seller
	}
	return o.Buyer
}
