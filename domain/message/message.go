// Package message defines the mails that the program sends, before they are put into words.
package message

import (
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// Kind is the reason for a message. On the queue, the type is "octavo.mail.<kind>".
type Kind string

// The kinds.
const (
	Verification     Kind = "verification"
	PasswordReset    Kind = "password_reset"
	SignInCode       Kind = "sign_in_code"
	Invitation       Kind = "invitation"
	NewSession       Kind = "new_session"
	SessionEnded     Kind = "session_ended"
	PasswordChanged  Kind = "password_changed"
	AccountExists    Kind = "account_exists"
	IdentityCode     Kind = "identity_code"
	IdentityLinked   Kind = "identity_linked"
	PasskeyAdded     Kind = "passkey_added"
	TotpEnabled      Kind = "totp_enabled"
	TotpDisabled     Kind = "totp_disabled"
	RecoveryCodeUsed Kind = "recovery_code_used"
	EmailChange      Kind = "email_change"
	EmailChanged     Kind = "email_changed"
	Suspended        Kind = "suspended"
	AccountDeletion  Kind = "account_deletion"
	SignInApproval   Kind = "sign_in_approval"
	SignInAttack     Kind = "sign_in_attack"

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
	TraderLeft        Kind = "trader_left"
	OfferMade         Kind = "offer_made"
	OfferAnswered     Kind = "offer_answered"
	ProblemReported   Kind = "problem_reported"
)

// traits are what sets a kind apart.
type traits struct {
	urgent   bool   // somebody may be waiting for it, or an account may be in danger
	optional bool   // a user can unsubscribe from it
	page     string // the path of the page to which a message without a link of its own leads
}

const recovery = "/forgotten" // where the owner can recover the account

// kinds has what sets each kind apart. Every kind is in it.
var kinds = []struct {
	kind Kind
	traits
}{
	{Verification, traits{urgent: true}},
	{PasswordReset, traits{urgent: true}},
	{SignInCode, traits{urgent: true}},
	{Invitation, traits{urgent: true}},
	{NewSession, traits{urgent: true, page: recovery}},
	{SessionEnded, traits{urgent: true, page: recovery}},
	{PasswordChanged, traits{urgent: true, page: recovery}},
	{AccountExists, traits{urgent: true, page: "/login"}},
	{IdentityCode, traits{urgent: true}},
	{IdentityLinked, traits{urgent: true, page: recovery}},
	{PasskeyAdded, traits{urgent: true, page: recovery}},
	{TotpEnabled, traits{urgent: true, page: recovery}},
	{TotpDisabled, traits{urgent: true, page: recovery}},
	{RecoveryCodeUsed, traits{urgent: true, page: recovery}},
	{EmailChange, traits{urgent: true}},
	{EmailChanged, traits{urgent: true}},
	{Suspended, traits{urgent: true}},
	{AccountDeletion, traits{urgent: true}},
	{SignInApproval, traits{urgent: true}},
	{SignInAttack, traits{urgent: true, page: recovery}},

	{MatchFound, traits{optional: true, page: "/wanted"}},
	{BookUnlisted, traits{optional: true, page: "/mine"}},
	{ReportResolved, traits{optional: true, page: "/notifications"}},
	{SearchHit, traits{optional: true, page: "/searches"}},
	{MessageReceived, traits{optional: true}},
	{Warning, traits{page: "/terms"}},
	{BookSold, traits{page: "/sales"}},
	{PurchasePlaced, traits{page: "/purchases"}},
	{ConditionVerified, traits{page: "/purchases"}},
	{PaymentSent, traits{page: "/sales"}},
	{BookDelivered, traits{page: "/purchases"}},
	{OrderCancelled, traits{page: "/notifications"}},
	{MeetingProposed, traits{page: "/notifications"}},
	{MeetingAccepted, traits{page: "/notifications"}},
	{HandedOver, traits{page: "/notifications"}},
	{OrderReminder, traits{page: "/notifications"}},
	{TraderLeft, traits{page: "/notifications"}},
	{OfferMade, traits{optional: true, page: "/offers"}},
	{OfferAnswered, traits{optional: true, page: "/offers"}},
	{ProblemReported, traits{page: "/notifications"}},
}

// Kinds returns all kinds.
func Kinds() []Kind {
	all := make([]Kind, len(kinds))
	for i, k := range kinds {
		all[i] = k.kind
	}
	return all
}

func (k Kind) traits() traits {
	for _, known := range kinds {
		if known.kind == k {
			return known.traits
		}
	}
	return traits{}
}

// Urgent reports whether somebody may be waiting for the message, or their account may be
// in danger. Urgent messages are sent before others.
func (k Kind) Urgent() bool { return k.traits().urgent }

// Optional reports whether a user can unsubscribe from this kind of message.
func (k Kind) Optional() bool { return k.traits().optional }

// Page returns the path of the page to which a message without a link of its own leads; "" if there
// is none. Those of urgent messages are about accounts, the others about the market.
func (k Kind) Page() string { return k.traits().page }

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
	ParamAnswer   = "answer"   // what became of an offer: "open", "countered", "accepted" or "declined"
	ParamPlace    = "place"    // where people meet
	ParamHandover = "handover" // "meet" or "both" where buyers and sellers may meet; none: books are handed in at the desk
	// ParamSettlement is "direct" if the buyer pays the seller; none: we charge one and pay the other.
	ParamSettlement = "settlement"
	ParamMet        = "met" // "yes" if buyer and seller have met to hand over the book
	// ParamBy is who cancelled an order, left or unlisted a book: ByBuyer, BySeller, BySystem or ByReports; none for an admin.
	ParamBy       = "by"
	ParamBrowser  = "browser"  // name of a browser
	ParamSystem   = "system"   // name of an operating system
	ParamProvider = "provider" // name of a service at which somebody signs in
	ParamIP       = "ip"       // where a request came from
	ParamAt       = "at"       // when, RFC 3339 in UTC
	ParamEmail    = "email"    // a new address
	ParamUndone   = "undone"   // "yes" if an AccountDeletion or EmailChanged was undone
	ParamAbout    = "about"    // what a report is about: the title of a book or a first name
	ParamUpheld   = "upheld"   // "yes" if an admin found something wrong
	ParamLeft     = "left"     // how many recovery codes are left
	ParamStop     = "stop"     // unsubscribe link; set when the mail is sent
	ParamMore     = "more"     // how many books there are beside the first, ParamBook; none: no other
	// ParamItems are the books that a mail of a gathered kind or of a purchase lists, see JoinItems; ParamMore counts them but the first.
	ParamItems = "items"
	// ParamSubscription names what the recipient has subscribed to, of mails that have it; several
	// with commas between. Their unsubscribe link ends these subscriptions alone.
	ParamSubscription = "subscription"
	// ParamPicture is the ID of the book whose picture the mail shows, of mails that are about one book.
	ParamPicture = "picture"
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
