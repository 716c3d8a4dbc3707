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

// Party is one side of an order. Of a deleted account all but the ID is empty.
type Party struct {
	ID                              user.ID
	FirstName, LastName, University string
	Email, CampusMailbox            string // of the other side from order.Verified on; otherwise empty
	PaymentUsername                 string // for admins; otherwise empty
}

// MatchView is a book that matches a request.
type MatchView struct {
	ID        int64 // 0 in a RequestResult
	Book      BookView
	Request   book.Request
	Reason    book.Reason
	CreatedAt time.Time
}
