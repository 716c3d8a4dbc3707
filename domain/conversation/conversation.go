// Package conversation defines the messages that two people exchange about one book, and
// when a user is notified and mailed of them.
package conversation

import (
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/user"
)

// ID identifies a conversation.
type ID int64

// String returns the form on the wire.
func (i ID) String() string { return id.Format(int64(i)) }

// MessageID identifies a message.
type MessageID int64

// String returns the form on the wire.
func (i MessageID) String() string { return id.Format(int64(i)) }

// Retention is how long after its last message a conversation is deleted.
const Retention = 2 * 365 * 24 * time.Hour

// MailInterval is how long a user gets no other mail about the same conversation.
const MailInterval = time.Hour

// The errors of conversations.
var (
	ErrNotFound = fault.New(fault.NotFound, "conversation_not_found", "This conversation does not exist.")
	// ErrOwnBook refuses sellers who write to the buyer of a book that nobody has bought.
	ErrOwnBook = book.ErrOwnBook.WithMsg("This is your own book, and nobody has bought it.")
	// ErrRefused does not tell which of the two has blocked the other.
	ErrRefused = fault.New(fault.Forbidden, "messages_refused", "You and this person do not exchange messages.")
	ErrLeft    = fault.New(fault.Conflict, "person_left", "This person has left and cannot read messages any more.")
)

// Conversation is between the seller of a book and one other person.
type Conversation struct {
	ID     ID
	Book   book.ID
	Seller Side
	Buyer  Side      // who buys the book or asks about it
	Last   MessageID // the newest message
	// CreatedAt and LastAt are the times of the first and the last message.
	CreatedAt, LastAt time.Time
}

// Side is one of the two people.
type Side struct {
	User     user.ID
	Sent     int       // how many messages the user has written
	Unread   int       // how many of the other side's the user has not read
	MailedAt time.Time // of the last mail about the conversation; zero: never
	Gone     bool      // the account is deleted
}

// Message is a message of a conversation.
type Message struct {
	ID           MessageID
	Conversation ID
	N            int // numbers the messages of a conversation from 1, without gaps, in the order of commit
	From         user.ID
	Text         string // empty: the account of its author is deleted
	CreatedAt    time.Time
	ReadAt       time.Time // by the other side; zero: unread
}

// BuyerOf returns the buyer's side of the conversation about a book that a caller may begin:
// everybody with the seller of a book for sale, and the seller and the buyer of a sold one
// with each other. For those who may not see the book it does not exist.
func BuyerOf(b book.Book, by user.Caller) (user.ID, error) {
	switch {
	case by.ID == b.Seller && b.Buyer != 0:
		return b.Buyer, nil
	case by.ID == b.Seller:
		return 0, ErrOwnBook
	case b.Status == book.ForSale || by.ID == b.Buyer:
		return by.ID, nil
	case b.VisibleTo(by):
		return 0, book.ErrNotAvailable
	}
	return 0, book.ErrNotFound
}

// Start returns a conversation without messages.
func Start(id ID, b book.Book, buyer user.ID, now time.Time) Conversation {
	return Conversation{ID: id, Book: b.ID, Seller: Side{User: b.Seller}, Buyer: Side{User: buyer}, CreatedAt: now, LastAt: now}
}

// Involves reports whether the user is one of the two people.
func (c *Conversation) Involves(id user.ID) bool {
	return id != 0 && (id == c.Seller.User || id == c.Buyer.User)
}

// With returns the other one of the two people.
func (c *Conversation) With(id user.ID) user.ID { return c.other(id).User }

// Of returns the side of one of the two people.
func (c *Conversation) Of(id user.ID) *Side {
	if id == c.Seller.User {
		return &c.Seller
	}
	return &c.Buyer
}

func (c *Conversation) other(id user.ID) *Side {
	if id == c.Seller.User {
		return &c.Buyer
	}
	return &c.Seller
}

// Send adds a message of one of the two people, with a text from CleanText.
func (c *Conversation) Send(id MessageID, from user.ID, text string, now time.Time) Message {
	c.Of(from).Sent++
	c.other(from).Unread++
	c.Last, c.LastAt = id, now
	return Message{ID: id, Conversation: c.ID, N: c.Seller.Sent + c.Buyer.Sent, From: from, Text: text, CreatedAt: now}
}

// BothWrote reports whether both people have written. Until then the links of a message may
// be those of a stranger.
func (c *Conversation) BothWrote() bool { return c.Seller.Sent > 0 && c.Buyer.Sent > 0 }

// MailDue reports whether one of the two people is to be mailed now, and remembers it.
func (c *Conversation) MailDue(to user.ID, now time.Time) bool {
	s := c.Of(to)
	if !s.MailedAt.IsZero() && now.Sub(s.MailedAt) < MailInterval {
		return false
	}
	s.MailedAt = now
	return true
}
