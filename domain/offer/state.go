package offer

import (
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/text"
)

// State is the state of an offer. The numbers are stored, and live states are below Declined.
type State int

// The states.
const (
	Open      State = iota
	Countered       // the seller has answered with a price
	Accepted        // by the seller, or after a counter by the buyer
	Declined        // by the one or the other
	Withdrawn       // by the buyer
	Ended           // with the sale or the price of its book, or Validity after it was accepted
)

var names = [...]string{"open", "countered", "accepted", "declined", "withdrawn", "ended"}

// String returns the form on the wire.
func (s State) String() string { return names[s] }

// ParseState converts a text from the wire; false if there is no such state.
func ParseState(text string) (State, bool) {
	for i, name := range names {
		if name == text {
			return State(i), true
		}
	}
	return 0, false
}

// Waits reports whether somebody has to answer.
func (s State) Waits() bool { return s == Open || s == Countered }

// Live reports whether the offer can still lead to a sale.
func (s State) Live() bool { return s < Declined }

// The errors of offers.
var (
	ErrNotFound = fault.New(fault.NotFound, "offer_not_found", "This offer does not exist.")
	ErrPrice    = fault.New(fault.Invalid, "offer_price", "Offer less than the price of the book.").
			WithField("price", "Must be more than 0 and less than the price of the book.")
	ErrCounterPrice = fault.New(fault.Invalid, "offer_counter_price", "Name a price between the offer and the price of the book.").
			WithField("price", "Must be more than the offer and less than the price of the book.")
	ErrNeedless = fault.New(fault.Invalid, "offer_needless_price", "Only an answer with another price has one.").
			WithField("price", "Must be left out unless the answer is counter.")
	ErrAnswer = fault.New(fault.Invalid, "offer_answer", "Accept, decline, or answer with a price.").
			WithField("answer", "Must be accept, decline or counter.")
	ErrText = fault.New(fault.Invalid, "offer_text", "Use one line of at most 200 characters.").
		WithField("text", "Must be at most 200 characters without control characters.")
	ErrOpen     = fault.New(fault.Conflict, "offer_open", "You already have an open offer for this book.")
	ErrFull     = fault.New(fault.Conflict, "offers_full", "So many people have made an offer for this book that its seller must answer some of them first.")
	ErrAnswered = fault.New(fault.Conflict, "offer_answered", "This offer has been answered or has ended.")
	ErrTurn     = fault.New(fault.Conflict, "offer_turn", "It is not your turn to answer.")
	ErrLimit    = fault.New(fault.Limited, "offer_limit", "You have made three offers for this book. You can still buy it at its price.")
	ErrCounter  = fault.New(fault.Forbidden, "offer_counter", "Only the seller answers with another price. You can decline, and make another offer.")
	ErrWithdraw = fault.New(fault.Forbidden, "offer_withdraw", "Only the buyer can withdraw an offer. You can decline it.")
	ErrLeft     = fault.New(fault.Conflict, "offer_left", "This person has left and makes and answers no offers any more.")
	// ErrRefused does not tell which of the two has blocked the other.
	ErrRefused = fault.New(fault.Forbidden, "offers_refused", "You and this person make each other no offers.")
)

// CleanText returns the line of an offer in NFC, without hidden characters and surrounding spaces.
func CleanText(s string) (string, error) {
	if len(s) > 16*MaxText { // no normalized text becomes that much shorter
		return "", ErrText
	}
	s, ok := text.CleanLine(s, MaxText)
	if !ok {
		return "", ErrText
	}
	return s, nil
}
