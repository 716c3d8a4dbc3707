package market

import (
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/money"
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

// OrderDetails is an order with its book as it is now.
type OrderDetails struct {
	OrderView
	About BookView // without its order
}

// Party is one side of an order. Of a deleted account all but the ID is empty.
type Party struct {
	ID                              user.ID
	FirstName, LastName, University string
	Email, CampusMailbox            string // of the other side from order.Verified on; otherwise empty
	PaymentUsername                 string // for admins; otherwise empty
}

// CartItem is a book in a cart.
type CartItem struct {
	BookView
	AddedAt   time.Time
	Available bool // still for sale
}

// MatchView is a book that matches a request.
type MatchView struct {
	ID        int64 // 0 in a RequestResult
	Book      BookView
	Request   book.Request
	Reason    book.Reason
	CreatedAt time.Time
}

// Receipt is the answer to a checkout.
type Receipt struct {
	Orders      []OrderView  // in ascending order
	Unavailable []book.ID    // in the basket, but not for sale
	Total       money.Amount // with fees
	Replayed    bool         // repeats the answer to an earlier call; also set with an error
}

// UserStatistics counts what one user has done. An order counts from checkout until it
// is cancelled.
type UserStatistics struct {
	Posted, Sold, Bought    int
	Made                    money.Amount // without fees
	Spent                   money.Amount // with fees
	OpenRequests, OpenMatch int
}

// Dashboard has the numbers of the admins' dashboard.
type Dashboard struct {
	BooksByStatus    map[book.Status]int
	Users            int
	MoneyMoved       money.Amount // prices charged to buyers, less refunds
	FeesEarned       money.Amount // balance of the market's own account
	Daily            []Day        // each of the last SeriesDays days, oldest first
	TopCourses       []CourseSales
	MedianDaysToSell float64 // from listing to checkout; 0 if nothing is sold
}

// SeriesDays is how many days the daily series covers, including today.
const SeriesDays = 90

// MaxTopCourses is how many courses the dashboard lists: those with the most sales.
const MaxTopCourses = 10

// CounterPeriod is the length of the periods since 1970 for which the statistics count. The
// days of every time zone consist of whole periods.
const CounterPeriod = 15 * time.Minute

// Day is one day of the market in the time zone of the campus. Money and fees count on the
// day of their movement; refunds are negative.
type Day struct {
	Date                   time.Time // its first moment, in the time zone of the campus
	Posted, Sold, NewUsers int
	Money, Fees            money.Amount
}

// CourseSales counts the live orders for books of one course.
type CourseSales struct {
	Course string // in its most frequent spelling
	Sold   int
}

// Inconsistency is a contradiction between the ledger, the orders, the books and the
// dashboard.
type Inconsistency struct {
	Order order.ID // 0 if it concerns no order
	Book  book.ID  // 0 if it concerns no book
	What  string
}
