// Package notification defines the notifications inside the marketplace.
package notification

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// ID numbers the notifications of one user from 1, without gaps and in the order of
// commit, so that a stream can resume after any of them.
type ID int64

// String returns the form on the wire.
func (i ID) String() string { return id.Format(int64(i)) }

// Kind is the event that a notification reports.
type Kind string

// The kinds.
const (
	Welcome           Kind = "welcome"
	BookPosted        Kind = "book_posted"
	RequestRecorded   Kind = "request_recorded"
	MatchFound        Kind = "match_found"
	BookSold          Kind = "book_sold"
	PurchasePlaced    Kind = "purchase_placed"
	ConditionVerified Kind = "condition_verified"
	PaymentSent       Kind = "payment_sent"
	BookDelivered     Kind = "book_delivered"
	OrderCancelled    Kind = "order_cancelled"
	BookUnlisted      Kind = "book_unlisted"
	BookGone          Kind = "book_gone"
	ReportResolved    Kind = "report_resolved"
	SearchHit         Kind = "search_hit"
	PriceDrop         Kind = "price_drop"
	MessageReceived   Kind = "message_received"
	MeetingProposed   Kind = "meeting_proposed"
	MeetingAccepted   Kind = "meeting_accepted"
	HandedOver        Kind = "handed_over"
	OrderReminder     Kind = "order_reminder"
	TraderLeft        Kind = "trader_left"
	OfferMade         Kind = "offer_made"
	OfferAnswered     Kind = "offer_answered"
	OfferEnded        Kind = "offer_ended"
	ProblemReported   Kind = "problem_reported"
	ProblemClosed     Kind = "problem_closed"
)

// traits are what sets a kind apart.
type traits struct {
	// personal kinds are about what the user has bought, sold, offered, written or reported.
	personal bool
	group    Group
	sentence func(title string) string
}

// Group are kinds that people choose together.
type Group string

// The groups. The welcome is in none.
const (
	Messages Group = "messages"
	Bids     Group = "bids"     // lower prices
	Trades   Group = "trades"   // purchases and sales
	Looking  Group = "looking"  // for books
	Deciding Group = "deciding" // what admins do
	Own      Group = "own"      // what people have just done themselves
)

// Groups returns the groups in the order in which people read them.
func Groups() []Group { return []Group{Messages, Bids, Trades, Looking, Deciding, Own} }

// Kinds returns the kinds of a group, sorted.
func (g Group) Kinds() []Kind {
	return slices.DeleteFunc(Kinds(), func(k Kind) bool { return kinds[k].group != g })
}

// kinds has what sets each kind apart. Every kind is in it.
var kinds = map[Kind]traits{
	Welcome:    {sentence: func(string) string { return "Welcome. Post a book, or request the one you need." }},
	BookPosted: {group: Own, sentence: with(" is now for sale.")},
	RequestRecorded: {group: Own, sentence: func(t string) string {
		return "We are looking for " + t + " and will tell you when it is offered."
	}},
	MatchFound:   {group: Looking, sentence: with(" is for sale and matches your request.")},
	BookUnlisted: {group: Deciding, sentence: with(" is no longer listed.")},
	BookGone:     {group: Looking, sentence: with(" is no longer available.")},
	SearchHit:    {group: Looking, sentence: with(" is for sale and fits a search that you saved.")},
	PriceDrop:    {group: Looking, sentence: with(" in your cart costs less now.")},

	HandedOver:    {personal: true, group: Trades, sentence: with(" was handed over in person.")},
	OrderReminder: {personal: true, group: Trades, sentence: with(" was not handed over yet. Its order lapses soon.")},
	TraderLeft: {personal: true, group: Trades, sentence: func(t string) string {
		return "The other side of the sale of " + t + " has left. We will complete or cancel it."
	}},
	BookSold: {personal: true, group: Trades, sentence: with(" has been bought. The page of the sale says what to do next.")},
	PurchasePlaced: {personal: true, group: Own, sentence: func(t string) string {
		return "You have bought " + t + ". The page of the purchase says what to do next."
	}},
	ConditionVerified: {personal: true, group: Trades, sentence: func(t string) string {
		return "The condition of " + t +
			" has been verified and the buyer charged."
	}},
	PaymentSent:    {personal: true, group: Trades, sentence: func(t string) string { return "You have been paid for " + t + "." }},
	BookDelivered:  {personal: true, group: Trades, sentence: with(" has been delivered to you.")},
	OrderCancelled: {personal: true, group: Trades, sentence: func(t string) string { return "The sale of " + t + " has been cancelled." }},
	ReportResolved: {personal: true, group: Deciding, sentence: func(t string) string {
		return "We have looked at your report about " + t +
			". Thank you."
	}},
	ProblemReported: {personal: true, group: Trades, sentence: func(t string) string {
		return "A problem was reported with the order of " + t + ". You can say what you have seen."
	}},
	ProblemClosed: {personal: true, group: Deciding, sentence: func(t string) string {
		return "We have looked at the problem with the order of " + t + "."
	}},
	OfferMade:     {personal: true, group: Bids, sentence: func(t string) string { return "You have an offer for " + t + "." }},
	OfferAnswered: {personal: true, group: Bids, sentence: func(t string) string { return "The offer for " + t + " has been answered." }},
	OfferEnded:    {personal: true, group: Bids, sentence: func(t string) string { return "An offer for " + t + " has ended." }},
	MessageReceived: {personal: true, group: Messages, sentence: func(t string) string {
		return "You have a new message about " + t + "."
	}},
	MeetingProposed: {personal: true, group: Trades, sentence: func(t string) string {
		return "A place and time to hand over " + t +
			" was proposed to you."
	}},
	MeetingAccepted: {personal: true, group: Trades, sentence: func(t string) string {
		return "Your proposal where and when to hand over " + t +
			" was accepted."
	}},
}

// with returns a sentence that begins with the title.
func with(rest string) func(string) string { return func(title string) string { return title + rest } }

// Kinds returns all kinds, sorted.
func Kinds() []Kind { return slices.Sorted(maps.Keys(kinds)) }

// PersonalKinds returns the kinds about the user's own orders, sales, offers, messages and reports, sorted. They are
// kept apart from the others, which anybody can cause in any number by listing books.
func PersonalKinds() []Kind {
	return slices.DeleteFunc(Kinds(), func(k Kind) bool { return !k.Personal() })
}

// Personal reports whether the kind is one of PersonalKinds.
func (k Kind) Personal() bool { return kinds[k].personal }

// AboutOffer reports whether the kind is about an offer.
func (k Kind) AboutOffer() bool { return k == OfferMade || k == OfferAnswered || k == OfferEnded }

// Notification reports one event to one user.
type Notification struct {
	ID        ID // 0 until it is stored
	User      user.ID
	Kind      Kind
	Message   string   // one English sentence
	Book      book.ID  // 0: concerns no book
	Order     order.ID // 0: concerns no order
	CreatedAt time.Time
	ReadAt    time.Time // zero: unread
	// Conversation is 0 unless it is about messages.
	Conversation conversation.ID
}

// About returns a notification about a book with this title.
func About(kind Kind, to user.ID, id book.ID, title string, now time.Time) Notification {
	return Notification{User: to, Kind: kind, Book: id, Message: kinds[kind].sentence("“" + title + "”"), CreatedAt: now}
}

// waitsForAdmin ends the message about a book that reports have hidden.
const waitsForAdmin = " is no longer listed. Several people have reported it, and it waits for an admin."

// AboutHidden returns a BookUnlisted about a book that reports have hidden until an admin decides.
func AboutHidden(to user.ID, id book.ID, title string, now time.Time) Notification {
	n := About(BookUnlisted, to, id, title, now)
	n.Message = "“" + title + "”" + waitsForAdmin
	return n
}

// Hidden reports whether the notification is one of AboutHidden.
func (n Notification) Hidden() bool {
	return n.Kind == BookUnlisted && strings.HasSuffix(n.Message, waitsForAdmin)
}

// AboutOrder returns a notification about an order.
func AboutOrder(kind Kind, to user.ID, o order.Order, now time.Time) Notification {
	n := About(kind, to, o.Book, o.Name, now)
	n.Order = o.ID
	return n
}

// AboutConversation returns a notification about new messages in a conversation about a book
// with this title.
func AboutConversation(to user.ID, c conversation.Conversation, title string, now time.Time) Notification {
	n := About(MessageReceived, to, c.Book, title, now)
	n.Conversation = c.ID
	return n
}

// NewWelcome returns the first notification of a user.
func NewWelcome(to user.ID, now time.Time) Notification {
	return Notification{User: to, Kind: Welcome, Message: kinds[Welcome].sentence(""), CreatedAt: now}
}
