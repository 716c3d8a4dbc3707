package inbox_test

import (
	"errors"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/meminbox"
)

func TestACountRefusesARangeWithoutBoundsAndTooManySteps(t *testing.T) {
	store := meminbox.New()
	admin := inbox.NewAdmin(inbox.Ports{Archive: store, Rules: store})
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	hour := inbox.Query{From: noon, To: noon.Add(time.Hour)}
	if counts, err := admin.CountDeliveries(t.Context(), hour, 18*time.Second); err != nil || len(counts) != inbox.MaxCounts {
		t.Errorf("%d counts, %v; want %d", len(counts), err, inbox.MaxCounts)
	}
	for name, c := range map[string]struct {
		q    inbox.Query
		step time.Duration
	}{
		"no end":            {inbox.Query{From: noon}, time.Hour},
		"no beginning":      {inbox.Query{To: noon}, time.Hour},
		"a reversed range":  {inbox.Query{From: noon.Add(time.Hour), To: noon}, time.Hour},
		"too many steps":    {hour, 17 * time.Second},
		"no step":           {hour, 0},
		"an unknown state":  {inbox.Query{From: noon, To: noon.Add(time.Hour), State: "lost"}, time.Hour},
		"half of a second":  {inbox.Query{From: noon, To: noon.Add(time.Second)}, time.Second / 2},
		"an event's action": {inbox.Query{From: noon, To: noon.Add(time.Hour), Event: "issues.opened"}, time.Hour},
	} {
		if _, err := admin.CountDeliveries(t.Context(), c.q, c.step); !errors.Is(err, inbox.ErrQuery) {
			t.Errorf("%s: %v, want %v", name, err, inbox.ErrQuery)
		}
	}
}
