// Package order defines orders: what a buyer owes, the status of the sale, and the ledger
// that records each movement of money.
package order

import (
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// ID identifies an order. Ids ascend in the order of placement.
type ID int64

// String returns the form on the wire.
func (i ID) String() string { return id.Format(int64(i)) }

// Status is the state of an order. The numbers are stored and sent over the wire; a live
// order has the same number as its book.
type Status int

// The statuses of orders.
const (
	Placed    Status = 1
	Verified  Status = 2 // condition checked, buyer charged
	Delivered Status = 3 // book handed over, seller paid
	Cancelled Status = -1
)

// ParseStatus converts a number from the wire; false if there is no such status.
func ParseStatus(n int) (Status, bool) {
	s := Status(n)
	return s, s == Placed || s == Verified || s == Delivered || s == Cancelled
}

// Order is the sale of one book to one buyer.
type Order struct {
	ID            ID
	Book          book.ID
	Name          string // of the book at the time of sale
	University    string // of the book at the time of sale: its admins look after the order
	Buyer, Seller user.ID
	Price, Fee    money.Amount
	Status        Status
	Reason        string // of the cancellation
	CreatedAt     time.Time
	VerifiedAt    time.Time // zero: not yet
	DeliveredAt   time.Time // zero: not yet
	CancelledAt   time.Time // zero: not cancelled
	VerifiedBy    user.ID   // an admin, or the seller after a meeting; 0: not yet
	DeliveredBy   user.ID   // an admin, or the seller after a meeting; 0: not yet
	CancelledBy   user.ID   // buyer, seller, admin or System; 0: not cancelled
	Handover      Handover
	HandedOverAt  time.Time // zero: not yet
	Settlement    Settlement
	RemindedAt    time.Time // when both sides were told that it will lapse; zero: not yet
}

// The errors of orders.
var (
	ErrNotFound = fault.New(fault.NotFound, "order_not_found", "This order does not exist.")
	ErrReason   = fault.New(fault.Invalid, "reason_invalid", "Give a reason for the cancellation, in at most 500 characters.").
			WithField("reason", "Must be 1 to 500 characters without control characters.")
	ErrTransition = fault.New(fault.Conflict, "order_transition", "The order's status does not allow this.")
	// ErrTooManyCancels refuses a buyer who has cancelled MaxCancels orders in CancelWindow.
	ErrTooManyCancels = fault.New(fault.Conflict, "too_many_cancels", "You have cancelled five purchases within a week. Please ask us to cancel this one.")
)

// Place returns the order for a book that its buyer has just bought, at its price plus the
// fee.
func Place(id ID, b book.Book, rate FeeRate, now time.Time) Order {
	return Order{
		ID: id, Book: b.ID, Name: b.Name, University: b.University, Buyer: b.Buyer, Seller: b.Seller,
		Price: b.Price, Fee: rate.Of(b.Price), Status: Placed, CreatedAt: now,
	}
}

// SettledBy returns the order with its settlement. Who pays directly pays no fee, so an order
// with one is settled by the operator.
func (o Order) SettledBy(s Settlement) Order {
	if o.Fee == 0 {
		o.Settlement = s
	}
	return o
}

// A buyer may cancel MaxCancels orders within CancelWindow. Each cancellation keeps a book
// from other buyers for a while.
const (
	MaxCancels   = 5
	CancelWindow = 7 * 24 * time.Hour
)

// maxReason is how many characters the reason of a cancellation may have.
const maxReason = 500

// CleanReason removes hidden characters and surrounding spaces from the reason of a
// cancellation; ErrReason if it is blank, too long or not printable.
func CleanReason(s string) (string, error) {
	s = strings.TrimSpace(text.StripHidden(s))
	if text.Blank(s) || !text.FitsLine(s, maxReason) {
		return "", ErrReason
	}
	return s, nil
}

// Total is what the buyer pays.
func (o Order) Total() money.Amount { return o.Price + o.Fee }

// AsPlaced returns the order as it was when it was placed.
func (o Order) AsPlaced() Order {
	return Order{
		ID: o.ID, Book: o.Book, Name: o.Name, University: o.University, Buyer: o.Buyer, Seller: o.Seller,
		Price: o.Price, Fee: o.Fee, Status: Placed, CreatedAt: o.CreatedAt, Settlement: o.Settlement,
	}
}

// Side is one of the two sides of an order.
type Side int

// The sides of an order.
const (
	BuyerSide Side = iota
	SellerSide
	EitherSide
	AdminSide // has a task, and is no party
)

// On reports whether the user is on a side.
func (o Order) On(s Side, id user.ID) bool {
	return s != SellerSide && id == o.Buyer || s != BuyerSide && id == o.Seller
}

// Involves reports whether the user is the buyer or the seller.
func (o Order) Involves(id user.ID) bool { return id != 0 && o.On(EitherSide, id) }

// Affair returns what admins decide about who complete or cancel the order.
func (o Order) Affair() user.Affair {
	return user.Affair{University: o.University, Parties: []user.ID{o.Buyer, o.Seller}}
}

// Live reports whether the order is not cancelled.
func (o Order) Live() bool { return o.Status > 0 }

// Verify records that the condition was checked, at the desk unless buyer and seller have met,
// and charges the buyer: the operator settles the order, whatever the two had in mind.
func (o *Order) Verify(by user.ID, now time.Time) ([]Entry, error) {
	if o.Status != Placed {
		return nil, ErrTransition
	}
	o.Status, o.VerifiedAt, o.VerifiedBy, o.Settlement = Verified, now, by, Operator
	o.handOver(AtDesk, now)
	return o.charge(now), nil
}

// Deliver records that the buyer has the book, and pays the seller.
func (o *Order) Deliver(by user.ID, now time.Time) ([]Entry, error) {
	if o.Status != Verified {
		return nil, ErrTransition
	}
	o.Status, o.DeliveredAt, o.DeliveredBy = Delivered, now, by
	return o.payout(now), nil
}

// Withdraw cancels an order for its buyer or seller, who can do so until the book is handed
// over or an admin has checked it.
func (o *Order) Withdraw(by user.ID, reason string, now time.Time) error {
	switch {
	case o.Status != Placed:
		return ErrTransition
	case o.Handover != NotHandedOver:
		return ErrHandedOver
	}
	_, err := o.Cancel(by, reason, now)
	return err
}

// Cancel cancels an order that is not delivered. It refunds a buyer who was charged.
func (o *Order) Cancel(by user.ID, reason string, now time.Time) ([]Entry, error) {
	if o.Status != Placed && o.Status != Verified {
		return nil, ErrTransition
	}
	var entries []Entry
	if o.Status == Verified {
		entries = o.refund(now)
	}
	o.Status, o.Reason, o.CancelledAt, o.CancelledBy = Cancelled, reason, now, by
	return entries, nil
}
