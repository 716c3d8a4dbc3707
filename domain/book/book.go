// Package book holds what is traded: books with their status machine, requests
// for books, the rules by which the two match, and how a search ranks.
package book

import (
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/user"
)

// ID identifies a book; a higher one was posted later.
type ID int64

// String is the form on the wire.
func (i ID) String() string { return id.Format(int64(i)) }

// Book is one copy that a student offers.
type Book struct {
	ID     ID
	Seller user.ID
	Buyer  user.ID // 0 unless Bought, Verified or Delivered
	Details
	University string // the seller's, when the book was last listed
	Status     Status
	CreatedAt  time.Time
	ListedAt   time.Time // posted or last reactivated
}

// The refusals of books.
var (
	ErrNotFound     = fault.New(fault.NotFound, "book_not_found", "There is no such book.")
	ErrNotYours     = fault.New(fault.Forbidden, "not_your_book", "Only the seller may do this with the book.")
	ErrOwnBook      = fault.New(fault.Conflict, "own_book", "This is your own book.")
	ErrNotAvailable = fault.New(fault.Conflict, "book_not_available", "The book is no longer available.")
	ErrTransition   = fault.New(fault.Conflict, "book_transition", "The book's status does not allow this.")
	ErrNotEditable  = fault.New(fault.Conflict, "book_not_editable", "A book can be changed only while it is for sale or unlisted.")
)

// Post makes a book for sale out of checked details.
func Post(id ID, seller user.ID, university string, d Details, now time.Time) Book {
	return Book{
		ID: id, Seller: seller, University: university, Details: d,
		Status: ForSale, CreatedAt: now, ListedAt: now,
	}
}

// Buy reserves the book for buyer; of many only the first gets it.
func (b *Book) Buy(buyer user.ID) error {
	if buyer == b.Seller {
		return ErrOwnBook
	}
	if b.Status != ForSale {
		return ErrNotAvailable
	}
	b.Buyer = buyer
	return b.become(Bought)
}

// Verify records that the condition was checked.
func (b *Book) Verify() error { return b.become(Verified) }

// Deliver hands the book to its buyer.
func (b *Book) Deliver() error { return b.become(Delivered) }

// Return takes the book back from its buyer and offers it again.
func (b *Book) Return() error {
	if b.Status != Bought && b.Status != Verified {
		return ErrTransition
	}
	b.Buyer = 0
	return b.become(ForSale)
}

// Unlist takes the book off the shelf.
func (b *Book) Unlist() error { return b.become(Unlisted) }

// Relist puts an unlisted book back on the shelf of the seller's university.
func (b *Book) Relist(university string, now time.Time) error {
	if b.Status != Unlisted {
		return ErrTransition
	}
	b.ListedAt, b.University = now, university
	return b.become(ForSale)
}

// Revise replaces the details, which only a book that nobody has bought allows.
func (b *Book) Revise(d Details, university string) error {
	if b.Status != ForSale && b.Status != Unlisted {
		return ErrNotEditable
	}
	b.Details, b.University = d, university
	return nil
}

// VisibleTo reports whether the caller may see the book: everyone while it is
// for sale, afterwards its seller, its buyer and admins.
func (b *Book) VisibleTo(c user.Caller) bool {
	return b.Status == ForSale || c.SignedIn() && (c.ID == b.Seller || c.ID == b.Buyer || c.Role >= user.Admin)
}
