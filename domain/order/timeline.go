package order

import (
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// Step is what happened to an order. The texts are sent over the wire.
type Step string

// The steps.
const (
	StepPlaced     Step = "placed"
	StepHandedOver Step = "handed_over" // by the seller, who has met the buyer
	StepVerified   Step = "verified"
	StepDelivered  Step = "delivered"
	StepCancelled  Step = "cancelled"
	StepRefunded   Step = "refunded" // with the cancellation of an order that was charged
)

// Moment is a step of an order, when it happened and who took it.
type Moment struct {
	At   time.Time
	Step Step
	By   user.ID
}

// Timeline returns what has happened to the order, oldest first.
func (o Order) Timeline() []Moment {
	all := []Moment{{o.CreatedAt, StepPlaced, o.Buyer}}
	if o.Met() {
		all = append(all, Moment{o.HandedOverAt, StepHandedOver, o.Seller})
	}
	if !o.VerifiedAt.IsZero() {
		all = append(all, Moment{o.VerifiedAt, StepVerified, o.VerifiedBy})
	}
	if !o.DeliveredAt.IsZero() {
		all = append(all, Moment{o.DeliveredAt, StepDelivered, o.DeliveredBy})
	}
	if o.Status == Cancelled {
		all = append(all, Moment{o.CancelledAt, StepCancelled, o.CancelledBy})
		if o.Refunded() {
			all = append(all, Moment{o.CancelledAt, StepRefunded, o.CancelledBy})
		}
	}
	return all
}

// Refunded reports whether the buyer was charged and got the money back.
func (o Order) Refunded() bool { return o.Status == Cancelled && !o.VerifiedAt.IsZero() }

// Task is what has to happen next. The texts are sent over the wire.
type Task string

// The tasks.
const (
	HandIn Task = "hand_in" // the seller brings the book to the desk, where it is checked
	PickUp Task = "pick_up" // the buyer gets the book from the desk

	// Those of a sale in which buyer and seller meet.
	ProposeMeeting Task = "propose" // either side proposes a place and a time
	AcceptMeeting  Task = "accept"  // the other side accepts them
	Meet           Task = "meet"    // the buyer checks the book and shows the code, the seller types it
	Settle         Task = "settle"  // an admin charges the buyer and pays the seller

	Decide Task = "decide" // an admin completes or cancels the sale, because one side has closed their account
)

// Next is the next task of an order and the side that has it.
type Next struct {
	Who  Side
	What Task
}

// Next returns the next task at the desk, or after a meeting; false if nothing is left to do.
func (o Order) Next() (Next, bool) {
	switch {
	case o.WaitsForSettlement() || o.WaitsForPayment():
		return Next{AdminSide, Settle}, true
	case o.Status == Placed:
		return Next{SellerSide, HandIn}, true
	case o.Status == Verified:
		return Next{BuyerSide, PickUp}, true
	}
	return Next{}, false
}
