package book

import (
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// RequestID identifies a request. Ids ascend in the order of creation.
type RequestID int64

// String returns the form on the wire.
func (i RequestID) String() string { return id.Format(int64(i)) }

// RequestStatus is the state of a request. The numbers are stored and sent over the
// wire.
type RequestStatus int

// The statuses of requests.
const (
	Open   RequestStatus = 0
	Filled RequestStatus = 1 // its owner bought a matching book
)

// RequestDetails describe the book that a student looks for.
type RequestDetails struct {
	Name, Course string
	ISBN         ISBN         // empty: any
	Authors      string       // empty: any; they are shown, and do not narrow what matches
	Edition      int          // 0: any
	MaxPrice     money.Amount // 0: any
}

// Request asks for a book. While it is open, its owner is notified of matching books.
type Request struct {
	ID    RequestID
	Owner user.ID
	RequestDetails
	Status    RequestStatus
	FilledBy  ID // 0 while Open
	CreatedAt time.Time
}

// MaxOpenRequests is how many requests one student may have open.
const MaxOpenRequests = 500

// The errors of requests.
var (
	ErrRequestNotFound = fault.New(fault.NotFound, "request_not_found", "This request does not exist.")
	ErrTooManyRequests = fault.New(fault.Conflict, "too_many_requests", "You have too many open requests. Withdraw one first.")
)

// Fill closes the request with the book that its owner bought.
func (r *Request) Fill(by ID) { r.Status, r.FilledBy = Filled, by }

// Reopen opens a filled request again.
func (r *Request) Reopen() { r.Status, r.FilledBy = Open, 0 }
