package message_test

import (
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/message"
)

func TestEveryKindIsListedOnce(t *testing.T) {
	kinds := message.Kinds()
	slices.Sort(kinds)
	if n := len(slices.Compact(slices.Clone(kinds))); n != len(kinds) {
		t.Errorf("a kind is listed twice: %v", kinds)
	}
}

func TestUrgentMessagesAndThoseAboutOrdersAreNotOptional(t *testing.T) {
	for _, k := range message.Kinds() {
		if k.Optional() != slices.Contains([]message.Kind{message.MatchFound, message.BookUnlisted, message.ReportResolved, message.SearchHit, message.MessageReceived, message.OfferMade, message.OfferAnswered}, k) || k.Optional() && k.Urgent() {
			t.Errorf("%s: optional %v, urgent %v", k, k.Optional(), k.Urgent())
		}
	}
}

func TestAMessageExpiresAtItsTime(t *testing.T) {
	now := time.Date(2026, time.September, 7, 9, 0, 0, 0, time.UTC)
	for expires, want := range map[time.Time]bool{{}: false, now.Add(1): false, now: true, now.Add(-1): true} {
		if got := (message.Message{ExpiresAt: expires}).Expired(now); got != want {
			t.Errorf("expires %v: expired = %v, want %v", expires, got, want)
		}
	}
}
