package fake

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/eventrelay"
	"github.com/octavo-books/octavo/domain/event"
)

var errOnlyLooking = errors.New("only looking")

// PeekEvents returns the events in an outbox, in their order, and leaves them there.
func PeekEvents(t testing.TB, o eventrelay.Outbox) (all []event.Stored) {
	t.Helper()
	_, _, err := o.RelayEvents(context.Background(), 10_000, func(_ context.Context, events []event.Stored) (int, error) {
		all = events
		return 0, errOnlyLooking
	})
	if err != nil && !errors.Is(err, errOnlyLooking) {
		t.Fatal(err)
	}
	return all
}

// EventsAbout returns the types of the events whose data contain an id.
func EventsAbout(all []event.Stored, id string) (types []event.Type) {
	for _, e := range all {
		if _, data, _ := strings.Cut(string(e.Body), `"data":`); strings.Contains(data, `"`+id+`"`) {
			types = append(types, e.Type)
		}
	}
	return types
}
