package order

import (
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// Settlement says who moves the money of an order. The numbers are stored.
type Settlement int

// The settlements. The zero Settlement is Operator.
const (
	Operator Settlement = iota // people who work for the market charge the buyer and pay the seller
	Direct                     // the buyer pays the seller when they meet
)

var settlements = map[string]Settlement{"operator": Operator, "direct": Direct}

// ParseSettlement returns the settlement with a name; false if there is none.
func ParseSettlement(name string) (Settlement, bool) {
	s, ok := settlements[name]
	return s, ok
}

// String returns the form on the wire.
func (s Settlement) String() string {
	if s == Direct {
		return "direct"
	}
	return "operator"
}

// Handover says how a book was handed over to the buyer. The numbers are stored.
type Handover int

// The ways of a hand-over.
const (
	NotHandedOver Handover = iota
	AtDesk                 // an admin has checked it
	AtMeeting              // the seller has typed the code that the buyer shows
)

// String returns the form on the wire; "" for NotHandedOver.
func (h Handover) String() string {
	switch h {
	case AtDesk:
		return "desk"
	case AtMeeting:
		return "meeting"
	}
	return ""
}

// The errors of hand-overs.
var (
	ErrHandedOver    = fault.New(fault.Conflict, "handed_over", "The book has been handed over, so only we can cancel this sale. Please ask us for help.")
	ErrNotHandedOver = fault.New(fault.Conflict, "not_handed_over", "The buyer and the seller have not handed this book over in person, or it is settled already.")
)

// Met reports whether buyer and seller have met to hand over the book.
func (o Order) Met() bool { return o.Handover == AtMeeting }

// WaitsForSettlement reports whether buyer and seller have met, and nobody has charged the buyer
// yet.
func (o Order) WaitsForSettlement() bool { return o.Status == Placed && o.Met() }

// WaitsForPayment reports whether buyer and seller have met, and the buyer is charged, but the
// seller is not paid yet.
func (o Order) WaitsForPayment() bool { return o.Status == Verified && o.Met() }

// handOver records how the book was handed over, the first time.
func (o *Order) handOver(how Handover, now time.Time) {
	if o.Handover == NotHandedOver {
		o.Handover, o.HandedOverAt = how, now
	}
}

// Meet records that buyer and seller have met to hand over the book. No money moves, unless the
// buyer has paid the seller there: that delivers the book.
func (o *Order) Meet(seller user.ID, now time.Time) ([]Entry, error) {
	if o.Status != Placed || o.Handover != NotHandedOver {
		return nil, ErrTransition
	}
	o.handOver(AtMeeting, now)
	if o.Settlement != Direct {
		return nil, nil
	}
	o.Status, o.DeliveredAt, o.DeliveredBy = Delivered, now, seller
	return o.payDirectly(now), nil
}
