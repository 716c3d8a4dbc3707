package demostore

import (
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// Batch is a part of the campus. Across all batches, users come before their books, and
// books before their orders, matches and notifications.
type Batch struct {
	Users         []user.User
	Books         []book.Book
	Requests      []Request
	Matches       []book.Match
	Orders        []Order
	Notifications []notification.Notification
}

// Request is a request with the rare word of its name under which it is indexed.
type Request struct {
	book.Request
	Word string
}

// Order is an order in its present status, with all its ledger entries.
type Order struct {
	order.Order
	Entries []order.Entry
}
