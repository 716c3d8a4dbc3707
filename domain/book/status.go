package book

import "slices"

// Status says where a book stands. The numbers are stored and sent over the
// wire.
type Status int

// The statuses. 4 was never defined.
const (
	ForSale   Status = 0
	Bought    Status = 1
	Verified  Status = 2
	Delivered Status = 3
	Unlisted  Status = 5
)

// next holds every legal step; a status absent from a row cannot be reached
// from it.
var next = map[Status][]Status{
	ForSale:   {Bought, Unlisted},
	Bought:    {Verified, ForSale},
	Verified:  {Delivered, ForSale}, // a refund
	Delivered: nil,
	Unlisted:  {ForSale},
}

// ParseStatus reads a number from the wire; false for one that is not defined.
func ParseStatus(n int) (Status, bool) {
	_, ok := next[Status(n)]
	return Status(n), ok
}

// Sold reports whether the book has a buyer.
func (s Status) Sold() bool { return s == Bought || s == Verified || s == Delivered }

// become takes one legal step; any other is ErrTransition and changes nothing.
func (b *Book) become(to Status) error {
	if !slices.Contains(next[b.Status], to) {
		return ErrTransition
	}
	b.Status = to
	return nil
}
