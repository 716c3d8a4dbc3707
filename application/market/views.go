package market

import (
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// BookView is a book for display.
type BookView struct {
	book.Book
	SellerName string        // first name
	Photos     []photo.Photo // those shown, in the order of adding, without ChangedAt
	Order      *OrderView    // the live order, for its seller, its buyer and admins; otherwise nil
}

// OrderView is an order with the contact details of both sides.
type OrderView struct {
	order.Order
	BuyerParty, SellerParty Party
	// First names of those who changed its status; empty: nobody, or a deleted account.
	VerifierName, DelivererName, CancellerName string
	Meeting                                    *meeting.Proposal // the one that is open, or at which the book was handed over; nil: none
}

// NameOf returns the first name of somebody who is named in the order.
func (o OrderView) NameOf(id user.ID) string {
	switch id {
	case o.Buyer:
		return o.BuyerParty.FirstName
	case o.Seller:
		return o.SellerParty.FirstName
	case o.VerifiedBy:
		return o.VerifierName
	case o.DeliveredBy:
		return o.DelivererName
	case o.CancelledBy:
		return o.CancellerName
	}
	return ""
}

// Abandoned reports whether one side has left before the book was handed over or checked, so that only an admin can go on.
func (o OrderView) Abandoned() bool {
	return o.Waits() && (o.BuyerParty.Left() || o.SellerParty.Left())
}

// Next returns the next task of an order, false if nothing is left to do.
func (o OrderView) Next(mode meeting.Mode) (order.Next, bool) {
	if o.Abandoned() {
		return order.Next{Who: order.AdminSide, What: order.Decide}, true
	}
	return mode.Next(o.Order, o.Meeting)
}

// Party is one side of an order. Of a deleted account all but the ID is empty.
type Party struct {
	ID                              user.ID
	FirstName, LastName, University string
	Email, CampusMailbox            string // of the other side from order.Verified on; otherwise empty
	PaymentUsername                 string // for admins; otherwise empty
}

// Left reports whether the account is deleted.
func (p Party) Left() bool { return p.FirstName == "" }

// MatchView is a book that matches a request.
type MatchView struct {
	ID        int64 // 0 in a RequestResult
	Book      BookView
	Request   book.Request
	Reason    book.Reason
	CreatedAt time.Time
}
