package eventrelay_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/eventrelay"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/webhook"
)

// inbox stores deliveries by id, as the webhook service does.
type inbox struct {
	mu     sync.Mutex
	source string
	stored []webhook.Event
	refuse func(webhook.Event) error
}

func (i *inbox) AcceptAll(_ context.Context, source string, events []webhook.Event) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.source = source
	for n, e := range events {
		if i.refuse != nil {
			if err := i.refuse(e); err != nil {
				return n, err
			}
		}
		if !slices.ContainsFunc(i.stored, func(s webhook.Event) bool { return s.ID == e.ID }) {
			i.stored = append(i.stored, e)
		}
	}
	return len(events), nil
}

func (i *inbox) ids() (ids []string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, e := range i.stored {
		ids = append(ids, e.ID)
	}
	return ids
}

func add(t *testing.T, o *outbox, ids ...event.ID) {
	t.Helper()
	for _, id := range ids {
		o.add(t, event.OfUser(event.UserCreated, 7).Stamped(id, time.UnixMicro(1_750_000_000_000_000)))
	}
}

// until waits for a condition.
func until(t *testing.T, done func() bool, otherwise string) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); !done(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatal(otherwise)
		}
	}
}

// run runs a relay until done holds.
func run(t *testing.T, o eventrelay.Outbox, i *inbox, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var relay sync.WaitGroup
	relay.Go(func() { eventrelay.New(o, i.AcceptAll, slog.New(slog.DiscardHandler)).Run(ctx) })
	defer relay.Wait()
	defer cancel()
	until(t, done, "the relay did not finish")
}

func empty(o *outbox) func() bool { return func() bool { return len(o.waiting()) == 0 } }

func TestEveryEventReachesTheInboxInOrderUnderItsID(t *testing.T) {
	o, i := newOutbox(), &inbox{}
	var want []string
	for id := event.ID(1); id <= 300; id++ {
		add(t, o, id)
		want = append(want, id.String())
	}
	run(t, o, i, func() bool { return len(i.ids()) == len(want) })
	if got := i.ids(); !slices.Equal(got, want) {
		t.Errorf("the inbox has %v, want %v", got, want)
	}
	e := i.stored[0]
	if i.source != "octavo" || e.Name != "user.created" || e.Header["Content-Type"] != "application/json" ||
		string(e.Payload) != `{"id":"1","type":"user.created","timestamp":"2025-06-15T15:06:40.000000Z","data":{"userId":"7"}}` {
		t.Errorf("from %s: %s %v %s", i.source, e.Name, e.Header, e.Payload)
	}
}

func TestAnEventThatIsAddedLaterIsRelayedToo(t *testing.T) {
	o, i := newOutbox(), &inbox{}
	next := event.ID(1)
	run(t, o, i, func() bool {
		if len(i.ids()) == int(next)-1 && next <= 3 {
			add(t, o, next)
			next++
		}
		return len(i.ids()) == 3
	})
}

// crashingOutbox ends before it has deleted what was accepted, as a killed process does.
type crashingOutbox struct {
	*outbox
	crashed chan struct{}
}

var errCrash = errors.New("the process ends here")

func (o crashingOutbox) RelayEvents(ctx context.Context, n int, accept eventrelay.Accept) (int, bool, error) {
	return o.outbox.RelayEvents(ctx, n, func(ctx context.Context, all []event.Stored) (int, error) {
		if _, err := accept(ctx, all); err != nil {
			return 0, err
		}
		select {
		case <-o.crashed:
		default:
			close(o.crashed)
		}
		return 0, errCrash
	})
}

func TestACrashBetweenTheInboxAndTheOutboxMakesNoSecondDelivery(t *testing.T) {
	o, i := newOutbox(), &inbox{}
	add(t, o, 1, 2, 3)
	crashing := crashingOutbox{o, make(chan struct{})}
	run(t, crashing, i, func() bool {
		select {
		case <-crashing.crashed:
			return true
		default:
			return false
		}
	})
	if n := len(o.waiting()); n != 3 {
		t.Fatalf("%d events wait after the crash, want 3", n)
	}
	run(t, o, i, empty(o)) // the next process
	if got := i.ids(); !slices.Equal(got, []string{"1", "2", "3"}) {
		t.Errorf("the inbox has %v", got)
	}
}

func TestEventsWaitWhileTheInboxRefusesThem(t *testing.T) {
	o := newOutbox()
	refusals := 0
	i := &inbox{refuse: func(e webhook.Event) error {
		if e.ID == "2" && refusals < 1 {
			refusals++
			return errors.New("full")
		}
		return nil
	}}
	add(t, o, 1, 2, 3)
	run(t, o, i, empty(o))
	if got := i.ids(); refusals != 1 || !slices.Equal(got, []string{"1", "2", "3"}) {
		t.Errorf("after %d refusals the inbox has %v", refusals, got)
	}
}

func TestAFailingInboxShowsInTheChecks(t *testing.T) {
	o, down := newOutbox(), errors.New("down")
	add(t, o, 1)
	r := eventrelay.New(o, (&inbox{refuse: func(webhook.Event) error { return down }}).AcceptAll, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	var relay sync.WaitGroup
	relay.Go(func() { r.Run(ctx) })
	defer relay.Wait()
	defer cancel()
	until(t, func() bool { return errors.Is(r.Check(t.Context()), down) }, "the check found nothing")
}
