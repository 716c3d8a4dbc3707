// Package message defines the mails that the program sends, before they are put into words.
package message

import (
	"slices"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// Kind is the reason for a message. On the queue, the type is "octavo.mail.<kind>".
type Kind string

// The kinds.
const (
	Verification    Kind = "verification"
	PasswordReset   Kind = "password_reset"
	SignInCode      Kind = "sign_in_code"
	Invitation      Kind = "invitation"
	NewSession      Kind = "new_session"
	SessionEnded    Kind = "session_ended"
	PasswordChanged Kind = "password_changed"
	AccountExists   Kind = "account_exists"
	IdentityCode    Kind = "identity_code"
	IdentityLinked  Kind = "identity_linked"
	PasskeyAdded    Kind = "passkey_added"
	TotpEnabled     Kind = "totp_enabled"
	TotpDisabled    Kind = "totp_disabled"
	EmailChange     Kind = "email_change"
	EmailChanged    Kind = "email_changed"
	Suspended       Kind = "suspended"
	AccountDeletion Kind = "account_deletion"
	SignInApproval  Kind = "sign_in_approval"
	SignInAttack    Kind = "sign_in_attack"

	MatchFound        Kind = "match_found"
	BookSold          Kind = "book_sold"
	PurchasePlaced    Kind = "purchase_placed"
	ConditionVerified Kind = "condition_verified"
	PaymentSent       Kind = "payment_sent"
	BookDelivered     Kind = "book_delivered"
	OrderCancelled    Kind = "order_cancelled"
	BookUnlisted      Kind = "book_unlisted"
	ReportResolved    Kind = "report_resolved"
	Warning           Kind = "warning"
	SearchHit         Kind = "search_hit"
	MessageReceived   Kind = "message_received"
	MeetingProposed   Kind = "meeting_proposed"
	MeetingAccepted   Kind = "meeting_accepted"
	HandedOver        Kind = "handed_over"
	OrderReminder     Kind = "order_reminder"
)

var urgent = []Kind{Verification, PasswordReset, SignInCode, Invitation, NewSession, SessionEnded, PasswordChanged, AccountExists, IdentityCode, IdentityLinked, PasskeyAdded, TotpEnabled, TotpDisabled, EmailChange, EmailChanged, Suspended, AccountDeletion, SignInApproval, SignInAttack}

var optional = []Kind{MatchFound, BookUnlisted, ReportResolved, SearchHit, MessageReceived}

var fromAdmins = []Kind{Warning}

var aboutOrders = []Kind{BookSold, PurchasePlaced, ConditionVerified, PaymentSent, BookDelivered, OrderCancelled, MeetingProposed, MeetingAccepted, HandedOver, OrderReminder}

// Kinds returns all kinds.
func Kinds() []Kind { return slices.Concat(urgent, optional, fromAdmins, aboutOrders) }

// Urgent reports whether somebody may be waiting for the message, or their account may be
// in danger. Urgent messages are sent before others.
func (k Kind) Urgent() bool { return slices.Contains(urgent, k) }

// Optional reports whether a user can unsubscribe from this kind of message.
func (k Kind) Optional() bool { return slices.Contains(optional, k) }

// The names of params. All are optional: the text is complete without them.
const (
	ParamBook     = "book"     // title of the book
	ParamCourse   = "course"   // its course code
	ParamPrice    = "price"    // with the decimals of the currency and no sign: "12.50"
	ParamCurrency = "currency" // of all amounts, as ISO 4217; of messages that have one
	ParamFee      = "fee"      // as the price
	ParamTotal    = "total"    // as the price
	ParamReason   = "reason"   // of a match: "isbn", "course", "title"; of a cancellation or suspension: the text of the admin
	ParamRefund   = "refund"   // as the price
	ParamOrder    = "order"    // ID of the order
	ParamFrom     = "from"     // first name of the author of a message
	ParamPlace    = "place"    // where people meet
	ParamHandover = "handover" // "meet" or "both" where buyers and sellers may meet; none: books are handed in at the desk
	// ParamSettlement is "direct" if the buyer pays the seller; none: we charge one and pay the other.
	ParamSettlement = "settlement"
	ParamMet        = "met"      // "yes" if buyer and seller have met to hand over the book
	ParamBy         = "by"       // who cancelled an order or unlisted a book: ByBuyer, BySeller, BySystem or ByReports; none for an admin
	ParamBrowser    = "browser"  // name of a browser
	ParamSystem     = "system"   // name of an operating system
	ParamProvider   = "provider" // name of a service at which somebody signs in
	ParamIP         = "ip"       // where a request came from
	ParamAt         = "at"       // when, RFC 3339 in UTC
	ParamEmail      = "email"    // a new address
	ParamUndone     = "undone"   // "yes" if an AccountDeletion or EmailChanged was undone
	ParamAbout      = "about"    // what a report is about: the title of a book or a first name
	ParamUpheld     = "upheld"   // "yes" if an admin found something wrong
	ParamStop       = "stop"     // unsubscribe link; set when the mail is sent
	ParamMore       = "more"     // how many books there are beside the first, ParamBook; none: no other
	ParamItems      = "items"    // the books that a mail of a gathered kind lists, see JoinItems; ParamMore counts them but the first
	// ParamSubscription names what the recipient has subscribed to, of mails that have it; several
	// with commas between. Their unsubscribe link ends these subscriptions alone.
	ParamSubscription = "subscription"
	// ParamConversation is the ID of the conversation that a mail is about.
	ParamConversation = "conversation"
)

// AmountParams returns the names of the params that are amounts of money.
func AmountParams() []string { return []string{ParamPrice, ParamFee, ParamTotal, ParamRefund} }

// The values of ParamBy.
const (
	ByBuyer   = "buyer"
	BySeller  = "seller"
	BySystem  = "system"
	ByReports = "reports"
)

// Message waits in the outbox until it is sent, at least once. Receivers drop duplicates
// by ID.
type Message struct {
	ID   int64
	Kind Kind
	To   user.Email
	Lang user.Lang
	// Code and Link are secrets: encrypted in the outbox, and erased after sending.
	Code, Link string
	// Params are further values for the text, by the names above.
	Params    map[string]string
	CreatedAt time.Time
	// ExpiresAt is when Code or Link expires; the message is not sent after it. Zero: never.
	ExpiresAt time.Time
	// Trace is the W3C traceparent of the request that caused the message; empty: none.
	Trace string
}

// Expired reports whether it is too late to send the message.
func (m Message) Expired(now time.Time) bool {
	return !m.ExpiresAt.IsZero() && !now.Before(m.ExpiresAt)
}
