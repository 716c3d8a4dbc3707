package offer_test

import (
	"errors"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/offer"
	"github.com/octavo-books/octavo/domain/user"
)

const (
	seller   user.ID = 1
	buyer    user.ID = 2
	stranger user.ID = 3
)

// Whatever state an offer is in, only the person whose turn it is can answer it, and a stranger
// cannot tell that it exists.
func TestOnlyTheSideWhoseTurnItIsAnswers(t *testing.T) {
	now := time.Date(2026, time.September, 7, 9, 0, 0, 0, time.UTC)
	higher := money.Amount(900)
	b := book.Book{ID: 7, Seller: seller, Details: book.Details{Price: 1000}}
	turns := map[offer.State]user.ID{offer.Open: seller, offer.Countered: buyer}
	for state := offer.Open; state <= offer.Ended; state++ {
		for _, by := range []user.ID{seller, buyer, stranger, 0} {
			for _, r := range []offer.Reply{{Answer: offer.Accept}, {Answer: offer.Decline}, {Answer: offer.Counter, Price: &higher}} {
				o := offer.Offer{ID: 9, Book: 7, Buyer: buyer, Seller: seller, Price: 800, State: state}
				err := o.Reply(by, r, b, now)
				allowed := turns[state] == by && by != 0 && (r.Answer != offer.Counter || by == seller)
				if (err == nil) != allowed || err != nil && o.State != state {
					t.Errorf("%v in state %v by %d: %v, then %v", r.Answer, state, by, err, o.State)
				}
				if (by == stranger || by == 0) && !errors.Is(err, offer.ErrNotFound) {
					t.Errorf("a stranger is told %v", err)
				}
			}
		}
	}
}

func TestAStateHasOneText(t *testing.T) {
	for state := offer.Open; state <= offer.Ended; state++ {
		if got, ok := offer.ParseState(state.String()); !ok || got != state {
			t.Errorf("%v is read as %v", state, got)
		}
	}
	if _, ok := offer.ParseState("sold"); ok {
		t.Error("an unknown state is read")
	}
}
