package book

import "slices"

// Status is the state of a book. The numbers are stored and sent over the wire.
type Status int

// The statuses. There is no status 4.
const (
	ForSale   Status = 0
	Bought    Status = 1
	Verified  Status = 2
	Delivered Status = 3
	Unlisted  Status = 5
)

// transitions are the legal next statuses of each status.
var transitions = map[Status][]Status{
	ForSale:   {Bought, Unlisted},
	Bought:    {Verified, ForSale},
	Verified:  {Delivered, ForSale}, // a refund
	Delivered: nil,
	Unlisted:  {ForSale},
}

// ParseStatus converts a number from the wire; false if there is no such status.
func ParseStatus(n int) (Status, bool) {
	_, ok := transitions[Status(n)]
	return Status(n), ok
}

// Sold reports whether the book has a buyer.
func (s Status) Sold() bool { return s == Bought || s == Verified || s == Delivered }

// transition changes the status; ErrTransition if that is not legal.
func (b *Book) transition(to Status) error {
	if !slices.Contains(transitions[b.Status], to) {
		return ErrTransition
	}
	b.Status = to
	return nil
}
