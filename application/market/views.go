package market

import (
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// BookView is a book as somebody sees it.
type BookView struct {
	book.Book
	SellerName string     // first name
	Order      *OrderView // the standing sale, for its seller, its buyer and admins; else nil
}

// OrderView is a sale with both of its sides.
type OrderView struct {
	order.Order
	BuyerParty, SellerParty Party
}

// Party is one side of a sale. What a deleted account has erased is empty.
type Party struct {
	ID                         user.ID
	FirstName, LastName, Email string
	CampusMailbox              string
	PaymentUsername            string // for admins; else empty
}

// CartItem is a book that somebody thinks of buying.
type CartItem struct {
	BookView
	AddedAt   time.Time
	Available bool // still for sale
}

// Match is a book that fits a request.
type Match struct {
	ID        int64 // its place in a list; 0 in the answer to a request
	Book      BookView
	Request   book.Request
	Reason    book.Reason
	CreatedAt time.Time
}

// Receipt is what a checkout came to.
type Receipt struct {
	Orders      []OrderView // in the order of their ids
	Unavailable []book.ID   // asked for, but no longer for sale
	Total       money.Cents // with fees
	Replayed    bool        // the answer to an earlier call with the same key, also beside a refusal
}

// UserStatistics is one's own tally. Sold, bought and money count from the
// checkout on and go back on a cancel.
type UserStatistics struct {
	Posted, Sold, Bought    int
	Made                    money.Cents // without fees
	Spent                   money.Cents // with fees
	OpenRequests, OpenMatch int
}

// Dashboard is what the dashboard shows.
type Dashboard struct {
	BooksByStatus    map[book.Status]int
	Users            int
	MoneyMoved       money.Cents // prices of books whose buyers were charged, less refunds
	FeesEarned       money.Cents // balance of the market's own account
	Daily            []Day       // the last SeriesDays days, oldest first, none left out
	TopCourses       []CourseSales
	MedianDaysToSell float64 // from listing to checkout; 0 while nothing is sold
}

// SeriesDays is how many days the daily series cover, today included.
const SeriesDays = 90

// MaxTopCourses is how many courses the dashboard names, those with most sales.
const MaxTopCourses = 10

// Day is one UTC day of the market. Money and fees count on the day that they
// moved, refunds as negative amounts.
type Day struct {
	Date                   time.Time // midnight UTC
	Posted, Sold, NewUsers int
	Money, Fees            money.Cents
}

// CourseSales counts the standing sales of books of one course.
type CourseSales struct {
	Course string // as most of them spell it
	Sold   int
}

// Difference is a disagreement between the ledger, the orders and the books.
type Difference struct {
	Order order.ID // 0 when it is about the ledger as a whole or a book without an order
	Book  book.ID  // 0 when it is about no book
	What  string
}
