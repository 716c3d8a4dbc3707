package eventrelay

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/webhook"
)

const (
	batchSize = 128
	// batchDelay follows each batch that was not full, but not the first empty one, so that on
	// a busy day the inbox stores events by the dozen instead of one in each transaction.
	batchDelay = 50 * time.Millisecond
	// While the inbox stores nothing, the relay tries again after 1 s, doubling to 30 s.
	firstPause, longestPause = time.Second, 30 * time.Second
)

// Relay empties the outbox of events into the inbox. Any number of relays, in any number
// of processes, may have the same outbox.
type Relay struct {
	outbox    Outbox
	acceptAll AcceptAll
	log       *slog.Logger
	failure   atomic.Pointer[error]
}

// New returns a relay from an outbox to an inbox. Run starts it.
func New(o Outbox, a AcceptAll, log *slog.Logger) *Relay {
	return &Relay{outbox: o, acceptAll: a, log: log}
}

// Run relays events until ctx ends.
func (r *Relay) Run(ctx context.Context) {
	failures, empty := 0, 0
	for ctx.Err() == nil {
		n, busy, err := r.outbox.RelayEvents(ctx, batchSize, r.accept)
		if err != nil {
			r.setFailure(ctx, err)
			sleep(ctx, min(firstPause<<min(failures, 5), longestPause))
			failures++
			continue
		}
		failures = 0
		r.setFailure(ctx, nil)
		if empty++; n > 0 {
			empty = 0
		}
		if n < batchSize && empty != 1 {
			sleep(ctx, batchDelay)
		}
		if n == 0 {
			r.outbox.WaitForEvents(ctx, busy)
		}
	}
}

// Check returns why events could not be handed over the last time, nil if they could.
func (r *Relay) Check(context.Context) error {
	if p := r.failure.Load(); p != nil {
		return *p
	}
	return nil
}

// contentType is the header of the deliveries.
var contentType = map[string]string{"Content-Type": "application/json"}

func (r *Relay) accept(ctx context.Context, events []event.Stored) (int, error) {
	deliveries := make([]webhook.Event, len(events))
	for i, e := range events {
		deliveries[i] = webhook.Event{ID: e.ID.String(), Name: webhook.EventName(e.Type), Payload: e.Body, Header: contentType}
	}
	return r.acceptAll(ctx, event.Source, deliveries)
}

// setFailure logs the first failure and the recovery, but neither the failures in between nor
// one that the shutdown has caused.
func (r *Relay) setFailure(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil:
	case err == nil:
		if r.failure.Swap(nil) != nil {
			r.log.Info("events are handed to the webhook service again")
		}
	case r.failure.Swap(&err) == nil:
		r.log.Warn("events cannot be handed to the webhook service and wait", "error", err)
	}
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
