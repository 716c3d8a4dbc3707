// Package message holds what is told to a person by mail, before any words.
package message

import (
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// Kind says what a message is about; on the queue its type is "octavo.mail.<kind>".
type Kind string

// The kinds.
const (
	Verification    Kind = "verification"
	PasswordReset   Kind = "password_reset"
	Invitation      Kind = "invitation"
	NewSession      Kind = "new_session"
	SessionEnded    Kind = "session_ended"
	PasswordChanged Kind = "password_changed"
	AccountExists   Kind = "account_exists"

	MatchFound        Kind = "match_found"
	BookSold          Kind = "book_sold"
	PurchasePlaced    Kind = "purchase_placed"
	ConditionVerified Kind = "condition_verified"
	PaymentSent       Kind = "payment_sent"
	BookDelivered     Kind = "book_delivered"
	OrderCancelled    Kind = "order_cancelled"
	BookUnlisted      Kind = "book_unlisted"
)

// Message waits in the outbox until it is sent, at least once; ID is the key
// for dropping a repeat.
type Message struct {
	ID   int64
	Kind Kind
	To   user.Email
	Lang user.Lang
	// Code and Link are secrets: encrypted while they wait, erased once sent.
	Code, Link string
	// Params are what the words mention besides: "book", "price", "browser", …
	Params    map[string]string
	CreatedAt time.Time
}
