package memstore

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/octavo-books/octavo/application/eventrelay"
	"github.com/octavo-books/octavo/domain/event"
)

// eventQueue holds the events of the outbox in the order in which they were added.
type eventQueue struct{ all []event.Event }

func newEventQueue() *eventQueue { return &eventQueue{} }

func (q *eventQueue) clone() *eventQueue { return &eventQueue{slices.Clone(q.all)} }

// addEvents adds events. Call it inside atomically, together with the change that the
// events tell of.
func (s *Store) addEvents(events ...event.Event) {
	q := s.tables.outbox.events
	q.all = append(q.all, events...)
	if len(events) > 0 {
		s.wakeups.Notify(eventsTopic)
	}
}

// WaitingEvents returns the events in the outbox, for tests.
func (s *Store) WaitingEvents() []event.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tables.outbox.events.all)
}

// Events is the outbox of events of a Store.
type Events struct {
	store    *Store
	relaying sync.Mutex
}

// NewEvents implements eventrelay.Outbox on s.
func NewEvents(s *Store) *Events { return &Events{store: s} }

// AddEvents adds events in a transaction of their own.
func (e *Events) AddEvents(ctx context.Context, events ...event.Event) error {
	return e.store.atomically(ctx, func() error {
		e.store.addEvents(events...)
		return nil
	})
}

// WaitForEvents implements eventrelay.Outbox.
func (e *Events) WaitForEvents(ctx context.Context, busy bool) {
	due := time.Time{}
	if busy {
		due = time.Now()
	}
	e.store.wakeups.Wait(ctx, eventsTopic, due)
}

// RelayEvents implements eventrelay.Outbox.
func (e *Events) RelayEvents(ctx context.Context, n int, accept eventrelay.Accept) (relayed int, busy bool, err error) {
	if !e.relaying.TryLock() {
		return 0, true, nil
	}
	defer e.relaying.Unlock()
	found := e.store.WaitingEvents()
	found = found[:min(n, len(found))]
	all := make([]event.Stored, len(found))
	for i, one := range found {
		body, err := one.Body()
		if err != nil {
			return 0, false, err
		}
		all[i] = event.Stored{ID: one.ID, Type: one.Type, Body: body}
	}
	if len(all) == 0 {
		return 0, false, ctx.Err()
	}
	accepted, failed := accept(ctx, all)
	done := all[:accepted]
	e.remove(func(one event.Event) bool {
		return slices.ContainsFunc(done, func(d event.Stored) bool { return d.ID == one.ID })
	})
	return accepted, false, failed
}

// remove deletes events and returns their number.
func (e *Events) remove(which func(event.Event) bool) int {
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	q := e.store.tables.outbox.events
	before := len(q.all)
	q.all = slices.DeleteFunc(slices.Clone(q.all), which)
	return before - len(q.all)
}

// DeleteExpired deletes what no webhook service has taken.
func (e *Events) DeleteExpired(_ context.Context, now time.Time, n int) (int, error) {
	return e.remove(func(one event.Event) bool {
		n--
		return n >= 0 && one.At.Before(now.Add(-event.MaxAge))
	}), nil
}

// CountEvents counts the waiting events and returns the time of the oldest.
func (e *Events) CountEvents(context.Context) (int, time.Time, error) {
	all := e.store.WaitingEvents()
	if len(all) == 0 {
		return 0, time.Time{}, nil
	}
	return len(all), all[0].At, nil
}
