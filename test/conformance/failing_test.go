package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

// issueEvent is a typed payload that counts how often it is decoded.
type issueEvent struct {
	Action string
	Issue  struct{ Number int }
}

// counted counts how often a payload was decoded.
type counted struct{}

// decodings is the count of the running test.
var decodings *journal

func (c *counted) UnmarshalJSON([]byte) error {
	decodings.note("decoded")
	return nil
}

var typed = cases{
	"a typed handler gets the decoded payload": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Get(receiver.OnTyped(r, func(_ context.Context, e receiver.TypedEvent[issueEvent]) error {
			j.note(fmt.Sprint(e.ID, " ", e.Name, " ", e.Payload.Action, " ", e.Payload.Issue.Number))
			return nil
		}, "issues"))(t)
		must.Do(t, r.Receive(ctx(t), event("issues", `{"action":"opened","issue":{"number":12}}`)))
		j.expect(t, "delivery-1 issues opened 12", 1)
	},
	"a payload is decoded once for each type and delivery": func(t *testing.T) {
		r := newReceiver(t)
		decodings = newJournal()
		for range 3 {
			must.Get(receiver.OnTyped(r, func(context.Context, receiver.TypedEvent[counted]) error { return nil }, "push"))(t)
		}
		must.Do(t, r.Receive(ctx(t), event("push", "")))
		must.Do(t, r.Receive(ctx(t), event("push", "")))
		decodings.expect(t, "decoded", 2)
	},
	"a payload that does not decode into the type is an error of the handler": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Get(receiver.OnTyped(r, func(context.Context, receiver.TypedEvent[issueEvent]) error { j.note("ran"); return nil }, "issues"))(t)
		must.Do(t, r.On(j.handler("other"), "issues"))
		var mismatch *json.UnmarshalTypeError
		if err := r.Receive(ctx(t), event("issues", `{"issue":{"number":"twelve"}}`)); !errors.As(err, &mismatch) {
			t.Errorf("got %v", err)
		}
		j.expect(t, "ran", 0)
		j.expect(t, "other", 1)
	},
	"a typed handler decodes the transformed payload": func(t *testing.T) {
		r, j := newReceiver(t, receiver.WithTransform(renamed)), newJournal()
		must.Get(receiver.OnTyped(r, func(_ context.Context, e receiver.TypedEvent[struct{ N int }]) error {
			j.note(fmt.Sprint(e.Payload.N))
			return nil
		}, "push"))(t)
		must.Do(t, r.Receive(ctx(t), event("push", `{"n":1}`)))
		j.expect(t, "2", 1)
	},
	"a typed handler can be removed, and refuses wrong names": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		fn := func(context.Context, receiver.TypedEvent[issueEvent]) error { j.note("ran"); return nil }
		h := must.Get(receiver.OnTyped(r, fn, "issues"))(t)
		r.RemoveListener(h, "issues")
		must.Do(t, r.Receive(ctx(t), event("issues", "")))
		j.expect(t, "ran", 0)
		_, err := receiver.OnTyped(r, fn, "isues")
		wantErr(t, err, receiver.ErrUnknownEvent)
		_, err = receiver.OnTyped[issueEvent](r, nil, "issues")
		wantErr(t, err, receiver.ErrMissing)
	},
}

var errBroken = errors.New("the press is broken")

var failing = cases{
	"a failure is one error with the event and each handler's error": func(t *testing.T) {
		r := newReceiver(t)
		must.Do(t, r.On(failingAs("one"), "push"))
		must.Do(t, r.On(newJournal().handler("fine"), "push"))
		must.Do(t, r.On(receiver.Func(func(context.Context, webhook.Event) error { return errBroken }), "push"))
		err := r.Receive(ctx(t), event("push", ""))
		var failure *receiver.Error
		if !errors.As(err, &failure) || len(failure.Errs) != 2 || failure.Event.ID != "delivery-1" || failure.Refused {
			t.Fatalf("got %+v", err)
		}
		wantErr(t, err, errBroken)
		if !slices.Equal(failure.Unwrap(), failure.Errs) || err.Error() != "one\nthe press is broken" {
			t.Errorf("got %q", err)
		}
	},
	"one failing handler does not stop the others": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.On(failingAs("first"), "push"))
		must.Do(t, r.On(j.handler("second"), "push"))
		must.Do(t, r.OnAny(j.handler("any")))
		if r.Receive(ctx(t), event("push", "")) == nil {
			t.Error("Receive returned no error")
		}
		j.expect(t, "second", 1)
		j.expect(t, "any", 1)
	},
	"a panic is an error that contains its value": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.On(receiver.Func(func(context.Context, webhook.Event) error { panic("out of ink") }), "push"))
		must.Do(t, r.On(j.handler("other"), "push"))
		err := r.Receive(ctx(t), event("push", ""))
		var panicked *receiver.PanicError
		if !errors.As(err, &panicked) || panicked.Value != "out of ink" || !strings.Contains(string(panicked.Stack), "failing_test.go") {
			t.Errorf("got %v", err)
		}
		j.expect(t, "other", 1)
	},
	"a panic with an error unwraps to it": func(t *testing.T) {
		r := newReceiver(t)
		must.Do(t, r.On(receiver.Func(func(context.Context, webhook.Event) error { panic(errBroken) }), "push"))
		wantErr(t, r.Receive(ctx(t), event("push", "")), errBroken)
	},
	"error handlers run once for each failed delivery": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.OnError(receiver.ErrorFunc(func(_ context.Context, e *receiver.Error) { j.note(e.Event.ID + ": " + e.Error()) })))
		must.Do(t, r.On(failingAs("one"), "push"))
		must.Do(t, r.On(failingAs("two"), "push"))
		_ = r.Receive(ctx(t), event("push", ""))
		if lines := j.waitFor(t, 1); lines[0] != "delivery-1: one\ntwo" {
			t.Errorf("got %q", lines)
		}
	},
	"error handlers do not run for a successful delivery": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.OnError(errorNote(j, "reported")))
		must.Do(t, r.On(j.handler("ran"), "push"))
		must.Do(t, r.Receive(ctx(t), event("push", "")))
		_ = r.Receive(ctx(t), event("push", "5"))
		j.waitFor(t, 2)
		j.expect(t, "reported", 1)
	},
	"an error handler that blocks delays nothing": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		release := make(chan struct{})
		must.Do(t, r.OnError(receiver.ErrorFunc(func(c context.Context, _ *receiver.Error) { <-release; j.note("done") })))
		must.Do(t, r.OnError(errorNote(j, "beside")))
		must.Do(t, r.On(failingAs("one"), "push"))
		_ = r.Receive(ctx(t), event("push", ""))
		j.waitFor(t, 1)
		j.expect(t, "beside", 1)
		close(release)
		j.waitFor(t, 2)
	},
	"a panic in an error handler is contained": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.OnError(receiver.ErrorFunc(func(context.Context, *receiver.Error) { panic("twice unlucky") })))
		must.Do(t, r.OnError(errorNote(j, "reported")))
		wantErr(t, r.Receive(ctx(t), event("push", "5")), webhook.ErrPayload)
		j.waitFor(t, 1)
	},
	"an error handler's context outlives the delivery's": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.OnError(receiver.ErrorFunc(func(c context.Context, _ *receiver.Error) { j.note(fmt.Sprint(c.Err())) })))
		c, cancel := context.WithCancel(ctx(t))
		cancel()
		_ = r.Receive(c, event("push", "5"))
		if lines := j.waitFor(t, 1); lines[0] != "<nil>" {
			t.Errorf("got %v", lines)
		}
	},
	"a wrong signature runs the error handlers and nothing else": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.OnAny(j.handler("any")))
		must.Do(t, r.OnError(receiver.ErrorFunc(func(_ context.Context, e *receiver.Error) { j.note(string(e.Event.Name) + fmt.Sprint(e.Refused)) })))
		d := signed(t, r, "push", "{}")
		d.Payload = []byte(`{"forged":true}`)
		wantErr(t, r.VerifyAndReceive(ctx(t), d), receiver.ErrSignatureMismatch)
		if lines := j.waitFor(t, 1); lines[0] != "pushtrue" {
			t.Errorf("got %v", lines)
		}
		j.expect(t, "any", 0)
	},
	"everything in a delivery but the id is required": func(t *testing.T) {
		r := newReceiver(t)
		full := signed(t, r, "push", "{}")
		for name, change := range map[string]func(*receiver.Delivery){
			"name":      func(d *receiver.Delivery) { d.Name = "" },
			"payload":   func(d *receiver.Delivery) { d.Payload = nil },
			"signature": func(d *receiver.Delivery) { d.Signature = "" },
		} {
			d := full
			change(&d)
			if err := r.VerifyAndReceive(ctx(t), d); !errors.Is(err, receiver.ErrMissing) || !strings.Contains(err.Error(), name) {
				t.Errorf("without %s: %v", name, err)
			}
		}
	},
	"a signed payload that is not an object is not received": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.OnAny(j.handler("any")))
		wantErr(t, r.VerifyAndReceive(ctx(t), signed(t, r, "push", "[]")), webhook.ErrPayload)
		j.expect(t, "any", 0)
	},
}
