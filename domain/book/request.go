package book

import (
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// RequestID identifies a request; a higher one was made later.
type RequestID int64

// String is the form on the wire.
func (i RequestID) String() string { return id.Format(int64(i)) }

// RequestStatus says whether a request still looks for its book. The numbers
// are stored and sent over the wire.
type RequestStatus int

// The statuses of requests.
const (
	Open   RequestStatus = 0
	Filled RequestStatus = 1 // a matching book was bought
)

// Wish is what a student looks for.
type Wish struct {
	Name, Course string
	ISBN         ISBN        // empty: any
	Edition      int         // 0: any
	MaxPrice     money.Cents // 0: any
}

// Request is a wish that waits for a book.
type Request struct {
	ID    RequestID
	Owner user.ID
	Wish
	Status    RequestStatus
	FilledBy  ID // 0 while Open
	CreatedAt time.Time
}

// MaxOpenRequests is how many requests one student may have open.
const MaxOpenRequests = 500

// The refusals of requests.
var (
	ErrRequestNotFound = fault.New(fault.NotFound, "request_not_found", "There is no such request.")
	ErrTooManyRequests = fault.New(fault.Conflict, "too_many_requests", "You have too many open requests; delete one first.")
)

// Fill closes the request with the book that was bought.
func (r *Request) Fill(by ID) { r.Status, r.FilledBy = Filled, by }

// Reopen lets the request look on.
func (r *Request) Reopen() { r.Status, r.FilledBy = Open, 0 }
