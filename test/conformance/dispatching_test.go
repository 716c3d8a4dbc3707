package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

// failingAs makes a handler that fails with its name. The errors of a delivery are
// in the order of its handlers, whichever returned first.
func failingAs(name string) *receiver.Handler {
	return receiver.Func(func(context.Context, webhook.Event) error { return errors.New(name) })
}

// wantOrder requires the handlers made by failingAs to start in that order.
func wantOrder(t *testing.T, r *receiver.Receiver, e webhook.Event, want string) {
	t.Helper()
	err := r.Receive(ctx(t), e)
	if err == nil {
		t.Fatalf("no handler ran, want %q", want)
	}
	if got := strings.ReplaceAll(err.Error(), "\n", " "); got != want {
		t.Errorf("the order is %q, want %q", got, want)
	}
}

var dispatching = cases{
	"an event reaches its handler unchanged": func(t *testing.T) {
		r := newReceiver(t)
		want := webhook.Event{ID: "7", Name: "push", Payload: []byte(`{ "n": 1.0 }`)}
		must.Get(r.OnFunc(func(_ context.Context, got webhook.Event) error {
			if got.ID != want.ID || got.Name != want.Name || string(got.Payload) != string(want.Payload) {
				return fmt.Errorf("got %v", got)
			}
			return nil
		}, "push"))(t)
		must.Do(t, r.Receive(ctx(t), want))
	},
	"the context reaches the handler": func(t *testing.T) {
		type key struct{}
		r, j := newReceiver(t), newJournal()
		must.Get(r.OnFunc(func(c context.Context, _ webhook.Event) error { j.note(c.Value(key{}).(string)); return nil }, "push"))(t)
		must.Do(t, r.Receive(context.WithValue(ctx(t), key{}, "carried"), event("push", "")))
		j.expect(t, "carried", 1)
	},
	"an ActionFunc gets the event's action": func(t *testing.T) {
		r, j := newReceiver(t, receiver.WithTransform(renamed)), newJournal()
		must.Do(t, r.On(receiver.ActionFunc(func(_ context.Context, e webhook.Event, action string) error { j.note(e.ID + " " + action); return nil }), "issues"))
		must.Do(t, r.Receive(ctx(t), event("issues", `{"action":"exploded"}`)))
		must.Do(t, r.Receive(ctx(t), event("issues", "")))
		j.expect(t, "transformed exploded", 1)
		j.expect(t, "transformed ", 1)
		wantErr(t, r.OnAny(receiver.ActionFunc(nil)), receiver.ErrMissing)
	},
	"handlers start in the order of their registration": func(t *testing.T) {
		const handlers, receives = 10, 100
		r := newReceiver(t)
		var started []int
		var mu sync.Mutex
		for i := range handlers {
			must.Do(t, r.On(receiver.Func(func(context.Context, webhook.Event) error {
				mu.Lock()
				defer mu.Unlock()
				started = append(started, i)
				return nil
			}), "push"))
		}
		ordered := 0
		for range receives {
			started = nil
			must.Do(t, r.Receive(ctx(t), event("push", "")))
			if slices.IsSorted(started) {
				ordered++
			}
		}
		// A busy machine may suspend a handler's thread before its first statement.
		if ordered < receives/2 {
			t.Errorf("in order in %d of %d receives; the last time %v", ordered, receives, started)
		}
	},
	"the same handler registered twice runs twice": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		h := j.handler("ran")
		must.Do(t, r.On(h, "push", "push"))
		must.Do(t, r.OnAny(h))
		must.Do(t, r.Receive(ctx(t), event("push", "")))
		j.expect(t, "ran", 3)
	},
	"all handlers of a delivery run at the same time": func(t *testing.T) {
		r := newReceiver(t)
		meet := make(chan struct{})
		must.Do(t, r.On(receiver.Func(func(c context.Context, _ webhook.Event) error { return await(c, meet) }), "push"))
		must.Do(t, r.On(receiver.Func(func(context.Context, webhook.Event) error { close(meet); return nil }), "push"))
		must.Do(t, r.Receive(ctx(t), event("push", "")))
	},
	"Receive returns when the last handler has": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		release := make(chan struct{})
		must.Do(t, r.On(receiver.Func(func(c context.Context, _ webhook.Event) error {
			err := await(c, release)
			j.note("slow one")
			return err
		}), "push"))
		must.Do(t, r.On(receiver.Func(func(context.Context, webhook.Event) error { close(release); return nil }), "push"))
		must.Do(t, r.Receive(ctx(t), event("push", "")))
		j.expect(t, "slow one", 1)
	},
	"handlers of other events do not run": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.On(j.handler("ran"), "issues", "pull_request", "pull_request.opened"))
		must.Do(t, r.Receive(ctx(t), event("push", `{"action":"opened"}`)))
		j.expect(t, "ran", 0)
	},
	"an event without handlers is not an error": func(t *testing.T) { must.Do(t, newReceiver(t).Receive(ctx(t), event("push", ""))) },
	"an action outside the event's list runs only the handlers of the event": func(t *testing.T) {
		r := newReceiver(t)
		must.Do(t, r.On(failingAs("event"), "issues"))
		must.Do(t, r.On(failingAs("action"), "issues.opened"))
		wantOrder(t, r, event("issues", `{"action":"exploded"}`), "event")
	},
	"an event without actions ignores the action of its payload": func(t *testing.T) {
		r := newReceiver(t)
		must.Do(t, r.On(failingAs("event"), "push"))
		wantOrder(t, r, event("push", `{"action":"created"}`), "event")
	},
	"an event outside the table reaches handlers of any event": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.OnAny(j.handler("any")))
		must.Do(t, r.Receive(ctx(t), event("not_yet_known", `{"action":"created"}`)))
		j.expect(t, "any", 1)
	},
	"every one of the 178 actions reaches its own handler": func(t *testing.T) {
		r, reached := newReceiver(t), 0
		for _, name := range webhook.EventNames() {
			base, action, dotted := strings.Cut(string(name), ".")
			if !dotted {
				continue
			}
			reached++
			must.Do(t, r.On(failingAs(string(name)), name))
			wantOrder(t, r, event(webhook.EventName(base), `{"action":"`+action+`"}`), string(name))
		}
		if reached != 178 {
			t.Errorf("%d names with an action, want 178", reached)
		}
	},
	"an empty id is allowed": func(t *testing.T) {
		must.Do(t, newReceiver(t).Receive(ctx(t), webhook.Event{Name: "push", Payload: []byte("{}")}))
	},
	"a genuine delivery is received": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.On(j.handler("ran"), "issues.opened"))
		d := signed(t, r, "issues", `{"action":"opened"}`)
		d.ID = ""
		must.Do(t, r.VerifyAndReceive(ctx(t), d))
		j.expect(t, "ran", 1)
	},
	"a delivery received twice runs its handlers twice": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.On(j.handler("ran"), "push"))
		d := signed(t, r, "push", "{}")
		must.Do(t, r.VerifyAndReceive(ctx(t), d))
		must.Do(t, r.VerifyAndReceive(ctx(t), d))
		j.expect(t, "ran", 2)
	},
}

// await waits for the channel to be closed.
func await(c context.Context, closed <-chan struct{}) error {
	select {
	case <-closed:
		return nil
	case <-c.Done():
		return c.Err()
	}
}

// renamed is a transform that gives the event another id and payload.
func renamed(_ context.Context, e webhook.Event) (webhook.Event, error) {
	e.ID, e.Payload = "transformed", []byte(`{"n":2}`)
	return e, nil
}

var transforming = cases{
	"handlers of an event get the transformed event": func(t *testing.T) {
		r, j := newReceiver(t, receiver.WithTransform(renamed)), newJournal()
		must.Get(r.OnFunc(func(_ context.Context, e webhook.Event) error { j.note(e.ID + string(e.Payload)); return nil }, "push"))(t)
		must.Do(t, r.Receive(ctx(t), event("push", "")))
		j.expect(t, `transformed{"n":2}`, 1)
	},
	"handlers of any event get the event untransformed": func(t *testing.T) {
		r, j := newReceiver(t, receiver.WithTransform(renamed)), newJournal()
		must.Do(t, r.OnAny(receiver.Func(func(_ context.Context, e webhook.Event) error { j.note(e.ID); return nil })))
		must.Do(t, r.Receive(ctx(t), event("push", "")))
		j.expect(t, "delivery-1", 1)
	},
	"the transform runs once for each handler of the event": func(t *testing.T) {
		j := newJournal()
		r := newReceiver(t, receiver.WithTransform(func(_ context.Context, e webhook.Event) (webhook.Event, error) {
			j.note("transform")
			return e, nil
		}))
		must.Do(t, r.On(j.handler("ran"), "issues", "issues.opened", "issues"))
		must.Do(t, r.OnAny(j.handler("any")))
		must.Do(t, r.Receive(ctx(t), event("issues", `{"action":"opened"}`)))
		j.expect(t, "transform", 3)
	},
	"an error of the transform is an error of its handler": func(t *testing.T) {
		j, broken := newJournal(), errors.New("no such campus")
		r := newReceiver(t, receiver.WithTransform(func(context.Context, webhook.Event) (webhook.Event, error) {
			return webhook.Event{}, broken
		}))
		must.Do(t, r.On(j.handler("ran"), "push"))
		must.Do(t, r.OnAny(j.handler("any")))
		err := r.Receive(ctx(t), event("push", ""))
		wantErr(t, err, broken)
		j.expect(t, "ran", 0)
		j.expect(t, "any", 1)
	},
	"a panic of the transform is an error of its handler": func(t *testing.T) {
		r := newReceiver(t, receiver.WithTransform(func(context.Context, webhook.Event) (webhook.Event, error) { panic("lost") }))
		must.Do(t, r.On(newJournal().handler("ran"), "push"))
		var panicked *receiver.PanicError
		if err := r.Receive(ctx(t), event("push", "")); !errors.As(err, &panicked) {
			t.Errorf("got %v", err)
		}
	},
	"an error contains the untransformed event": func(t *testing.T) {
		r := newReceiver(t, receiver.WithTransform(renamed))
		must.Do(t, r.On(failingAs("x"), "push"))
		var failure *receiver.Error
		if err := r.Receive(ctx(t), event("push", "")); !errors.As(err, &failure) || failure.Event.ID != "delivery-1" {
			t.Errorf("got %+v", failure)
		}
	},
}
