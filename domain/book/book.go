// Package book defines books and their status machine, requests for books, the rules by
// which the two match, and the ranking of searches.
package book

import (
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/user"
)

// ID identifies a book. Ids ascend in the order of posting.
type ID int64

// String returns the form on the wire.
func (i ID) String() string { return id.Format(int64(i)) }

// Book is one copy that a student offers.
type Book struct {
	ID     ID
	Seller user.ID
	Buyer  user.ID // 0 unless Bought, Verified or Delivered
	Details
	University string // the seller's, when the book was last listed
	Status     Status
	Held       bool // an admin has unlisted it: only an admin can relist it
	CreatedAt  time.Time
	ListedAt   time.Time // when it was posted or last relisted
}

// The errors of books.
var (
	ErrNotFound     = fault.New(fault.NotFound, "book_not_found", "This book does not exist.")
	ErrNotYours     = fault.New(fault.Forbidden, "not_your_book", "Only the seller can do this.")
	ErrOwnBook      = fault.New(fault.Conflict, "own_book", "This is your own book.")
	ErrNotAvailable = fault.New(fault.Conflict, "book_not_available", "The book is no longer available.")
	ErrTransition   = fault.New(fault.Conflict, "book_transition", "The book's status does not allow this.")
	ErrHeld         = fault.New(fault.Conflict, "book_held", "An admin has unlisted this book, and only an admin can relist it.")
	ErrHidden       = fault.New(fault.Conflict, "book_hidden", "Several people have reported this book. It waits for an admin, who will look at it and decide.")
	ErrNotEditable  = fault.New(fault.Conflict, "book_not_editable", "A book can only be edited while it is for sale or unlisted.")
)

// Post returns a new book for sale with checked details.
func Post(id ID, seller user.ID, university string, d Details, now time.Time) Book {
	return Book{
		ID: id, Seller: seller, University: university, Details: d,
		Status: ForSale, CreatedAt: now, ListedAt: now,
	}
}

// Buy reserves the book for buyer; ErrNotAvailable if another buyer was first.
func (b *Book) Buy(buyer user.ID) error {
	if buyer == b.Seller {
		return ErrOwnBook
	}
	if b.Status != ForSale {
		return ErrNotAvailable
	}
	b.Buyer = buyer
	return b.transition(Bought)
}

// Verify records that an admin checked the condition.
func (b *Book) Verify() error { return b.transition(Verified) }

// Deliver records that the buyer has the book.
func (b *Book) Deliver() error { return b.transition(Delivered) }

// HandOver records that buyer and seller have met, and that nothing is left to do.
func (b *Book) HandOver() error {
	if err := b.Verify(); err != nil {
		return err
	}
	return b.Deliver()
}

// Return offers a sold book again after its order is cancelled.
func (b *Book) Return() error {
	if b.Status != Bought && b.Status != Verified {
		return ErrTransition
	}
	b.Buyer = 0
	return b.transition(ForSale)
}

// Unlist takes the book off sale.
func (b *Book) Unlist() error { return b.transition(Unlisted) }

// Hold takes the book off sale until an admin releases it.
func (b *Book) Hold() error {
	if err := b.Unlist(); err != nil {
		return err
	}
	b.Held = true
	return nil
}

// Release is Relist for a book that is held.
func (b *Book) Release(university string, now time.Time) error {
	if !b.Held {
		return ErrTransition
	}
	b.Held = false
	return b.Relist(university, now)
}

// Relist offers an unlisted book again, at the seller's present university; ErrHeld if an
// admin has unlisted it.
func (b *Book) Relist(university string, now time.Time) error {
	if b.Status != Unlisted {
		return ErrTransition
	}
	if b.Held {
		return ErrHeld
	}
	b.ListedAt, b.University = now, university
	return b.transition(ForSale)
}

// Revise replaces the details; ErrNotEditable unless the book is for sale or unlisted.
func (b *Book) Revise(d Details, university string) error {
	if err := b.CheckEditable(); err != nil {
		return err
	}
	b.Details, b.University = d, university
	return nil
}

// CheckEditable returns ErrNotEditable unless the book is for sale or unlisted.
func (b *Book) CheckEditable() error {
	if b.Status != ForSale && b.Status != Unlisted {
		return ErrNotEditable
	}
	return nil
}

// Affair returns what admins decide about who check the book, sell it or take it off sale.
func (b *Book) Affair() user.Affair {
	return user.Affair{University: b.University, Parties: []user.ID{b.Seller, b.Buyer}}
}

// VisibleTo reports whether the caller may see the book: everyone may while it is for
// sale, otherwise only its seller, its buyer and the admins of its university.
func (b *Book) VisibleTo(c user.Caller) bool {
	return b.Status == ForSale || c.SignedIn() && (c.ID == b.Seller || c.ID == b.Buyer || c.Oversees(b.University))
}
