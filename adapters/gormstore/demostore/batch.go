package demostore

import (
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// Batch is a part of the campus. Within all batches users come before their books, and
// books before their sales, matches and notifications.
type Batch struct {
	Users         []user.User
	Books         []book.Book
	Requests      []Request
	Matches       []book.Match
	Sales         []Sale
	Notifications []notification.Notification
}

// Wanted is a request with the rare word of its name by which books find it.
type Request struct {
	book.Request
	Word string
}

// Sale is an order in its present state, with all its ledger entries.
type Sale struct {
	order.Order
	Entries []order.Entry
}
