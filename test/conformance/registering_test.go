package conformance

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

var registering = cases{
	"one handler serves several names": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.On(j.handler("ran"), "push", "issues.opened"))
		must.Do(t, r.Receive(ctx(t), event("push", "")))
		must.Do(t, r.Receive(ctx(t), event("issues", `{"action":"opened"}`)))
		must.Do(t, r.Receive(ctx(t), event("issues", `{"action":"closed"}`)))
		j.expect(t, "ran", 2)
	},
	"every name of the table can be registered": func(t *testing.T) {
		must.Do(t, newReceiver(t).On(newJournal().handler("ran"), webhook.EventNames()...))
	},
	"an unknown name is refused and the nearest suggested": func(t *testing.T) {
		err := newReceiver(t).On(newJournal().handler("ran"), "isues.opened")
		wantErr(t, err, receiver.ErrUnknownEvent)
		if !strings.Contains(err.Error(), `"issues.opened"`) {
			t.Errorf("no suggestion in %q", err)
		}
	},
	"an unknown name far from any other points to the list": func(t *testing.T) {
		err := newReceiver(t).On(newJournal().handler("ran"), "qqqqqqqqqqqqqqqqqqqq")
		wantErr(t, err, receiver.ErrUnknownEvent)
	},
	"an action that its event does not have is unknown": func(t *testing.T) {
		wantErr(t, newReceiver(t).On(newJournal().handler("ran"), "push.opened"), receiver.ErrUnknownEvent)
	},
	"one unknown name among known ones registers none": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		wantErr(t, r.On(j.handler("ran"), "push", "no_such_event"), receiver.ErrUnknownEvent)
		must.Do(t, r.Receive(ctx(t), event("push", "")))
		j.expect(t, "ran", 0)
	},
	"AllowUnknownEvents makes an unknown name a warning": func(t *testing.T) {
		var logged bytes.Buffer
		r := must.Get(receiver.New(secret, receiver.AllowUnknownEvents(), receiver.WithLogger(slog.New(slog.NewTextHandler(&logged, nil)))))(t)
		j := newJournal()
		must.Do(t, r.On(j.handler("ran"), "brand_new"))
		must.Do(t, r.Receive(ctx(t), event("brand_new", "")))
		j.expect(t, "ran", 1)
		if !strings.Contains(logged.String(), "level=WARN") || !strings.Contains(logged.String(), "brand_new") {
			t.Errorf("logged %q", logged.String())
		}
	},
	"AllowUnknownEvents routes the actions of unknown events": func(t *testing.T) {
		r, j := newReceiver(t, receiver.AllowUnknownEvents()), newJournal()
		must.Do(t, r.OnAny(j.handler("any")))
		must.Do(t, r.On(j.handler("event"), "merge_group"))
		must.Do(t, r.On(j.handler("action"), "merge_group.checks_requested"))
		must.Do(t, r.Receive(ctx(t), event("merge_group", `{"action":"checks_requested"}`)))
		must.Do(t, r.Receive(ctx(t), event("merge_group", `{"action":"destroyed"}`)))
		j.expect(t, "action", 1)
		j.expect(t, "event", 2)
		j.expect(t, "any", 2)
	},
	"AllowUnknownEvents warns of an action that is never dispatched": func(t *testing.T) {
		var logged bytes.Buffer
		r := must.Get(receiver.New(secret, receiver.AllowUnknownEvents(), receiver.WithLogger(slog.New(slog.NewTextHandler(&logged, nil)))))(t)
		j := newJournal()
		must.Do(t, r.On(j.handler("ran"), "issues.exploded"))
		must.Do(t, r.Receive(ctx(t), event("issues", `{"action":"exploded"}`)))
		j.expect(t, "ran", 0)
		if !strings.Contains(logged.String(), "will never run") || !strings.Contains(logged.String(), "issues.exploded") {
			t.Errorf("logged %q", logged.String())
		}
	},
	"AllowUnknownEvents refuses malformed names": func(t *testing.T) {
		r := newReceiver(t, receiver.AllowUnknownEvents())
		for _, name := range []webhook.EventName{"Merge Group", "merge_group.", "merge_group.a.b", ".opened", "*.opened", "error.opened", webhook.EventName(strings.Repeat("a", 101))} {
			wantErr(t, r.On(newJournal().handler("ran"), name), receiver.ErrEventName)
		}
		if err := r.On(newJournal().handler("ran"), "Issues"); err == nil || !strings.Contains(err.Error(), `"issues"`) {
			t.Errorf("no suggestion in %v", err)
		}
	},
	"the star registers for every event": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		h := j.handler("any")
		must.Do(t, r.On(h, "*"))
		must.Do(t, r.Receive(ctx(t), event("brand_new", "")))
		must.Do(t, r.Receive(ctx(t), event("push", "")))
		r.RemoveListener(h, "*")
		must.Do(t, r.Receive(ctx(t), event("push", "")))
		if n := j.count("any"); n != 2 {
			t.Errorf("it ran %d times, want 2", n)
		}
		wantErr(t, r.On(receiver.ErrorFunc(func(context.Context, *receiver.Error) {}), "*"), receiver.ErrHandlerKind)
	},
	"error registers for failures": func(t *testing.T) {
		r, failed := newReceiver(t), make(chan error, 1)
		must.Do(t, r.On(receiver.ErrorFunc(func(_ context.Context, e *receiver.Error) { failed <- e }), "error"))
		must.Do(t, r.On(receiver.Func(func(context.Context, webhook.Event) error { return errors.New("broken") }), "push"))
		if r.Receive(ctx(t), event("push", "")) == nil || (<-failed).Error() != "broken" {
			t.Error("the error handler did not get the failure")
		}
	},
	"error is refused for a handler of events with a pointer to OnError": func(t *testing.T) {
		for _, r := range []*receiver.Receiver{newReceiver(t), newReceiver(t, receiver.AllowUnknownEvents())} {
			err := r.On(newJournal().handler("ran"), "error")
			wantErr(t, err, receiver.ErrReservedName)
			if !strings.Contains(err.Error(), "OnError") {
				t.Errorf("got %q", err)
			}
		}
	},
	"no name, an empty name and no handler are refused": func(t *testing.T) {
		r, h := newReceiver(t, receiver.AllowUnknownEvents()), newJournal().handler("ran")
		wantErr(t, r.On(h), receiver.ErrMissing)
		wantErr(t, r.On(h, ""), receiver.ErrMissing)
		wantErr(t, r.On(nil, "push"), receiver.ErrMissing)
		wantErr(t, r.On(receiver.Func(nil), "push"), receiver.ErrMissing)
		wantErr(t, r.OnAny(nil), receiver.ErrMissing)
		wantErr(t, r.OnError(receiver.ErrorFunc(nil)), receiver.ErrMissing)
	},
	"event handlers and error handlers are not interchangeable": func(t *testing.T) {
		r, h := newReceiver(t), newJournal().handler("ran")
		e := receiver.ErrorFunc(func(context.Context, *receiver.Error) {})
		wantErr(t, r.On(e, "push"), receiver.ErrHandlerKind)
		wantErr(t, r.OnAny(e), receiver.ErrHandlerKind)
		wantErr(t, r.OnError(h), receiver.ErrHandlerKind)
	},
	"OnFunc makes and registers a handler that can be removed": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		h := must.Get(r.OnFunc(func(context.Context, webhook.Event) error { j.note("ran"); return nil }, "push"))(t)
		must.Do(t, r.Receive(ctx(t), event("push", "")))
		r.RemoveListener(h, "push")
		must.Do(t, r.Receive(ctx(t), event("push", "")))
		j.expect(t, "ran", 1)
		if h, err := r.OnFunc(func(context.Context, webhook.Event) error { return nil }, "pusch"); err == nil || h != nil {
			t.Errorf("a wrong name gives %v, %v", h, err)
		}
	},
	"several names can be removed at once": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		h := j.handler("ran")
		must.Do(t, r.On(h, "push", "issues"))
		r.RemoveListener(h, "push", "issues")
		must.Do(t, r.Receive(ctx(t), event("push", "")))
		must.Do(t, r.Receive(ctx(t), event("issues", "")))
		j.expect(t, "ran", 0)
	},
	"removing an unregistered handler does nothing": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.On(j.handler("ran"), "push"))
		r.RemoveListener(j.handler("ran"), "push", "issues", "no_such", "*", "error", "")
		r.RemoveListener(nil, "push")
		must.Do(t, r.Receive(ctx(t), event("push", "")))
		j.expect(t, "ran", 1)
	},
	"error removes an error handler": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		gone, stays := errorNote(j, "gone"), errorNote(j, "stays")
		must.Do(t, r.OnError(gone))
		must.Do(t, r.OnError(stays))
		r.RemoveListener(gone, "error")
		wantErr(t, r.Receive(ctx(t), event("push", "5")), webhook.ErrPayload)
		if lines := j.waitFor(t, 1); lines[0] != "stays" {
			t.Errorf("got %v", lines)
		}
		j.expect(t, "gone", 0)
	},
	"a handler may register and remove while it runs": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		var self *receiver.Handler
		self = receiver.Func(func(context.Context, webhook.Event) error {
			r.RemoveListener(self, "push")
			return r.On(j.handler("late"), "push")
		})
		must.Do(t, r.On(self, "push"))
		must.Do(t, r.Receive(ctx(t), event("push", "")))
		j.expect(t, "late", 0)
		must.Do(t, r.Receive(ctx(t), event("push", "")))
		j.expect(t, "late", 1)
	},
}

func errorNote(j *journal, line string) *receiver.Handler {
	return receiver.ErrorFunc(func(context.Context, *receiver.Error) { j.note(line) })
}
