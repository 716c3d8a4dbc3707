package event_test

import (
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/event"
)

func TestTheTypesAreSortedAndKnown(t *testing.T) {
	all := event.Types()
	if len(all) == 0 || !slices.IsSorted(all) {
		t.Errorf("types are %v", all)
	}
	all[0] = "changed"
	if event.Types()[0] == "changed" || !event.OrderPlaced.Known() || event.Type("order.lost").Known() {
		t.Error("a caller can change the list of types, or Known is wrong")
	}
}

func TestAMistypedTypeHasANearestOne(t *testing.T) {
	for mistyped, want := range map[event.Type]event.Type{"book.postd": event.BookPosted, "order.canceled": event.OrderCancelled, "push": ""} {
		if got := event.Nearest(mistyped); got != want {
			t.Errorf("%s: %q, want %q", mistyped, got, want)
		}
	}
}

func TestTheBodyIsOneOfStandardWebhooks(t *testing.T) {
	at := time.Date(2026, time.September, 7, 11, 0, 0, 5000, time.FixedZone("", 7200))
	body, err := event.StartSession(7, 8, true).Stamped(9, at).Body()
	want := `{"id":"9","type":"session.started","timestamp":"2026-09-07T09:00:00.000005Z","data":{"newDevice":true,"sessionId":"8","userId":"7"}}`
	if err != nil || string(body) != want {
		t.Errorf("%s, %v", body, err)
	}
}
