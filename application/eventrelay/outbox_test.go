package eventrelay_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/octavo-books/octavo/application/eventrelay"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/test/must"
)

// outbox holds events in memory. One relay at a time may pass them.
type outbox struct {
	relaying sync.Mutex
	mu       sync.Mutex
	all      []event.Stored
	added    chan struct{}
}

func newOutbox() *outbox { return &outbox{added: make(chan struct{}, 1)} }

func (o *outbox) waiting() []event.Stored {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.all)
}

func (o *outbox) add(t *testing.T, e event.Event) {
	t.Helper()
	body := must.Get(e.Body())(t)
	o.mu.Lock()
	o.all = append(o.all, event.Stored{ID: e.ID, Type: e.Type, Body: body})
	o.mu.Unlock()
	select {
	case o.added <- struct{}{}:
	default:
	}
}

// RelayEvents is eventrelay.Outbox.
func (o *outbox) RelayEvents(ctx context.Context, n int, accept eventrelay.Accept) (relayed int, busy bool, err error) {
	if !o.relaying.TryLock() {
		return 0, true, nil
	}
	defer o.relaying.Unlock()
	all := o.waiting()
	if all = all[:min(n, len(all))]; len(all) == 0 {
		return 0, false, ctx.Err()
	}
	relayed, err = accept(ctx, all)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = o.all[relayed:]
	return relayed, false, err
}

// WaitForEvents is eventrelay.Outbox.
func (o *outbox) WaitForEvents(ctx context.Context, _ bool) {
	select {
	case <-ctx.Done():
	case <-o.added:
	}
}
