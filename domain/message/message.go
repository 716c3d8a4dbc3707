// Package message holds what is told to a person by mail, before any words.
package message

import (
	"slices"
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

var urgent = []Kind{Verification, PasswordReset, Invitation, NewSession, SessionEnded, PasswordChanged, AccountExists}

var optional = []Kind{MatchFound, BookUnlisted}

var ofOrders = []Kind{BookSold, PurchasePlaced, ConditionVerified, PaymentSent, BookDelivered, OrderCancelled}

// Kinds are all there are.
func Kinds() []Kind { return slices.Concat(urgent, optional, ofOrders) }

// Urgent reports whether somebody may be waiting for it right now, or is in
// danger: it overtakes all that is not.
func (k Kind) Urgent() bool { return slices.Contains(urgent, k) }

// Optional reports whether a person may do without: it carries an unsubscribe
// link and is not sent to those who used one.
func (k Kind) Optional() bool { return slices.Contains(optional, k) }

// The names of what the words may mention. All may be left out: the words are
// whole without them.
const (
	ParamBook    = "book"    // title of the book
	ParamCourse  = "course"  // its course code
	ParamPrice   = "price"   // dollars with two decimals, no sign: "12.50"
	ParamFee     = "fee"     // as the price
	ParamTotal   = "total"   // as the price
	ParamReason  = "reason"  // of a match: "isbn", "course", "title"; of a cancel: the admin's words
	ParamRefund  = "refund"  // as the price: what a buyer gets back
	ParamBrowser = "browser" // name of a browser
	ParamSystem  = "system"  // name of an operating system
	ParamIP      = "ip"      // where a request came from
	ParamAt      = "at"      // when, RFC 3339 in UTC
	ParamStop    = "stop"    // link that ends mails of optional kinds; set by the courier
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
	// Params are what the words mention besides, by the names above.
	Params    map[string]string
	CreatedAt time.Time
	// ExpiresAt is when Code or Link stops working: from then on the message is
	// not sent any more. Zero: never.
	ExpiresAt time.Time
	// Trace is what caused the message, as a W3C traceparent; "" where nobody asked.
	Trace string
}

// Expired reports whether it is too late to send the message.
func (m Message) Expired(now time.Time) bool {
	return !m.ExpiresAt.IsZero() && !now.Before(m.ExpiresAt)
}
