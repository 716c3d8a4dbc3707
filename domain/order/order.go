// Package order holds sales: what a buyer owes, how far the sale has come, and
// the ledger that records where the money went.
package order

import (
	"time"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// ID identifies an order; a higher one was placed later.
type ID int64

// String is the form on the wire.
func (i ID) String() string { return id.Format(int64(i)) }

// Status says how far a sale has come. The numbers are stored and sent over
// the wire; those of a live order are its book's.
type Status int

// The statuses of orders.
const (
	Placed    Status = 1
	Verified  Status = 2 // condition checked, buyer charged
	Delivered Status = 3 // book handed over, seller paid
	Cancelled Status = -1
)

// ParseStatus reads a number from the wire; false for one that is not defined.
func ParseStatus(n int) (Status, bool) {
	s := Status(n)
	return s, s == Placed || s == Verified || s == Delivered || s == Cancelled
}

// Order is the sale of one book to one buyer.
type Order struct {
	ID            ID
	Book          book.ID
	Name          string // the book's, when it was sold
	Buyer, Seller user.ID
	Price, Fee    money.Cents
	Status        Status
	Reason        string // why it was cancelled
	CreatedAt     time.Time
	VerifiedAt    time.Time // zero: not yet
	DeliveredAt   time.Time // zero: not yet
	CancelledAt   time.Time // zero: not
}

// The refusals of orders.
var (
	ErrNotFound = fault.New(fault.NotFound, "order_not_found", "There is no such order.")
	ErrReason   = fault.New(fault.Invalid, "reason_invalid", "Say why the sale is cancelled, in at most 500 characters.").
			WithField("reason", "Must be 1 to 500 characters without control characters.")
	ErrTransition = fault.New(fault.Conflict, "order_transition", "The order's status does not allow this.")
)

// Place sells b, which its buyer has just bought, at its price plus the fee.
func Place(id ID, b book.Book, rate FeeRate, now time.Time) Order {
	return Order{
		ID: id, Book: b.ID, Name: b.Name, Buyer: b.Buyer, Seller: b.Seller,
		Price: b.Price, Fee: rate.Of(b.Price), Status: Placed, CreatedAt: now,
	}
}

// maxReason is how many characters the reason for a cancel may have.
const maxReason = 500

// CleanReason is a reason for a cancel without hidden characters; ErrReason for one
// that says nothing or too much.
func CleanReason(s string) (string, error) {
	s = text.Plain(s)
	if text.Blank(s) || utf8.RuneCountInString(s) > maxReason || !book.Printable(s, false) {
		return "", ErrReason
	}
	return s, nil
}

// Total is what the buyer pays.
func (o Order) Total() money.Cents { return o.Price + o.Fee }

// AsPlaced is the order as it was when it was placed.
func (o Order) AsPlaced() Order {
	return Order{
		ID: o.ID, Book: o.Book, Name: o.Name, Buyer: o.Buyer, Seller: o.Seller,
		Price: o.Price, Fee: o.Fee, Status: Placed, CreatedAt: o.CreatedAt,
	}
}

// Side is one of the two sides of a sale.
type Side int

// The sides of a sale.
const (
	BuyerSide Side = iota
	SellerSide
)

// Party is who is on a side.
func (o Order) Party(s Side) user.ID {
	if s == SellerSide {
		return o.Seller
	}
	return o.Buyer
}

// Live reports whether the sale stands.
func (o Order) Live() bool { return o.Status > 0 }

// Verify records that the condition was checked and charges the buyer.
func (o *Order) Verify(now time.Time) ([]Entry, error) {
	if o.Status != Placed {
		return nil, ErrTransition
	}
	o.Status, o.VerifiedAt = Verified, now
	return o.charge(now), nil
}

// Deliver records that the buyer has the book and pays the seller.
func (o *Order) Deliver(now time.Time) ([]Entry, error) {
	if o.Status != Verified {
		return nil, ErrTransition
	}
	o.Status, o.DeliveredAt = Delivered, now
	return o.payout(now), nil
}

// Cancel undoes the sale; a buyer who was charged is refunded.
func (o *Order) Cancel(reason string, now time.Time) ([]Entry, error) {
	if o.Status != Placed && o.Status != Verified {
		return nil, ErrTransition
	}
	var entries []Entry
	if o.Status == Verified {
		entries = o.refund(now)
	}
	o.Status, o.Reason, o.CancelledAt = Cancelled, reason, now
	return entries, nil
}
