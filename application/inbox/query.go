package inbox

import (
	"context"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
)

// check returns the ErrQuery of an invalid state, event, source or time range.
func (q Query) check() error {
	switch q.State {
	case "", Open.String(), Delivered.String(), Dead.String(), Unmatched:
	default:
		return ErrQuery.WithField("state", "must be pending, delivered, dead or unmatched")
	}
	if q.Event != "" && !isEvent(q.Event) {
		return ErrQuery.WithField("event", "must be the name of an event, without an action")
	}
	if !IsStorable(q.Source, MaxSource) {
		return ErrQuery.WithField("source", "must be the name of a source")
	}
	if !IsStorable(q.Text, maxSearch) {
		return ErrQuery.WithField("text", "must be one line of at most 200 bytes")
	}
	if !q.From.IsZero() && !q.To.IsZero() && !q.From.Before(q.To) {
		return ErrQuery.WithField("from", "must be before to")
	}
	return nil
}

// isEvent refuses patterns, and an event of webhook.Host with an action: a list by it
// would be empty.
func isEvent(name webhook.EventName) bool {
	return webhook.Standard.IsEvent(name) && !strings.ContainsAny(string(name), "*") &&
		(!strings.Contains(string(name), ".") || !name.Known())
}

// Count is the number of deliveries in one step of time by State.
type Count struct {
	At                       time.Time // when the step begins
	Pending, Delivered, Dead int
	Unmatched                int
}

// MaxCounts is the largest number of steps of CountDeliveries.
const MaxCounts = 200

// CountDeliveries counts the deliveries of a query in steps of time from q.From until
// q.To, oldest first. It counts at most the 100,000 newest; earlier steps are left out at
// the beginning. The error for an invalid query, a range without an end or of more than
// MaxCounts steps is ErrQuery.
func (a *Admin) CountDeliveries(ctx context.Context, q Query, step time.Duration) ([]Count, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	switch {
	case q.From.IsZero() || q.To.IsZero():
		return nil, ErrQuery.WithField("from", "and to are needed to count")
	case step < time.Second || q.Steps(step) > MaxCounts:
		return nil, ErrQuery.WithField("step", "must be at least a second and a 200th of the time range")
	}
	return a.store.CountDeliveries(ctx, q, step)
}

// Steps returns the number of steps from q.From until q.To.
func (q Query) Steps(step time.Duration) int { return int((q.To.Sub(q.From) + step - 1) / step) }
