package receiver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

// The suite in test/conformance tests the promises one by one. These tests cover
// random sequences of registrations and the forms of errors.

func newReceiver(t must.T, opts ...receiver.Option) *receiver.Receiver {
	silent := receiver.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))
	return must.Get(receiver.New("secret", append(opts, silent)...))(t)
}

// A model of the registry: plain lists, searched from the end.
type model map[webhook.EventName][]int

func (m model) remove(name webhook.EventName, handler int) {
	for i := len(m[name]) - 1; i >= 0; i-- {
		if m[name][i] == handler {
			m[name] = append(append([]int{}, m[name][:i]...), m[name][i+1:]...)
			return
		}
	}
}

func (m model) expect(names ...webhook.EventName) string {
	var order []string
	for _, name := range names {
		for _, handler := range m[name] {
			order = append(order, fmt.Sprint(handler))
		}
	}
	return strings.Join(order, "\n")
}

func TestHandlersRunInOrderAfterAnySequenceOfRegistrations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, m := newReceiver(t), model{}
		handlers := make([]*receiver.Handler, 4)
		for i := range handlers {
			handlers[i] = receiver.Func(func(context.Context, webhook.Event) error { return fmt.Errorf("%d", i) })
		}
		names := []webhook.EventName{"*", "issues", "issues.opened"}
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			i, name := rapid.IntRange(0, 3).Draw(t, "handler"), rapid.SampledFrom(names).Draw(t, "name")
			switch {
			case rapid.Bool().Draw(t, "remove"):
				r.RemoveListener(handlers[i], name)
				m.remove(name, i)
			case name == "*":
				must.Do(t, r.OnAny(handlers[i]))
				m[name] = append(m[name], i)
			default:
				must.Do(t, r.On(handlers[i], name))
				m[name] = append(m[name], i)
			}
		}
		want := m.expect("issues.opened", "issues", "*")
		got := ""
		if err := r.Receive(context.Background(), webhook.Event{Name: "issues", Payload: []byte(`{"action":"opened"}`)}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Fatalf("ran %q, want %q", got, want)
		}
	})
}

func TestAnInvalidDeliveryIsMarkedRefused(t *testing.T) {
	r := newReceiver(t, receiver.WithAdditionalSecrets("another"))
	signature := must.Get(r.SignJSON([]int{1}))(t)
	for want, d := range map[error]receiver.Delivery{
		receiver.ErrSignatureMismatch: {Name: "push", Payload: []byte("[2]"), Signature: signature},
		receiver.ErrMissing:           {Name: "push", Payload: []byte("[1]")},
		receiver.ErrEventName:         {Name: "*", Payload: []byte("[1]"), Signature: signature},
		webhook.ErrPayload:            {Name: "push", Payload: []byte("[1]"), Signature: signature},
	} {
		var failure *receiver.Error
		err := r.VerifyAndReceive(context.Background(), d)
		if !errors.Is(err, want) || !errors.As(err, &failure) || !failure.Refused {
			t.Errorf("%v: %v", want, err)
		}
	}
	if ok, err := r.VerifyJSON([]int{1}, signature); !ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}

func TestMissingArgumentsAreNamed(t *testing.T) {
	r := newReceiver(t, receiver.AllowUnknownEvents())
	_, signing := r.Sign(nil)
	_, signingNothing := r.SignJSON(nil)
	_, verifying := r.Verify(nil, "sha256=00")
	_, verifyingNothing := r.VerifyJSON(nil, "sha256=00")
	_, withoutSignature := r.Verify([]byte("{}"), "")
	_, typed := receiver.OnTyped[any](r, nil, "push")
	for want, errs := range map[string][]error{
		"payload":    {signing, signingNothing, verifying, verifyingNothing, r.Receive(context.Background(), webhook.Event{Name: "push"})},
		"signature":  {withoutSignature},
		"event name": {r.Receive(context.Background(), webhook.Event{Payload: []byte("{}")})},
		"handler":    {typed, r.On(receiver.Func(nil), "unheard_of")},
	} {
		for _, err := range errs {
			if !errors.Is(err, receiver.ErrMissing) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", want, err)
			}
		}
	}
}

func TestSecretsAreParsedFromOneOrSeveralLines(t *testing.T) {
	want := []receiver.Secret{{Name: "old", Value: "s=e@cret"}, {Name: "older", Value: "x", NotAfter: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}}
	for _, text := range []string{" old=s=e@cret, older=x@2027-01-01T00:00:00Z ,", "old=s=e@cret\r\n\nolder=x@2027-01-01T00:00:00Z\n"} {
		if got, err := receiver.ParseSecrets(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, bad := range []string{"tulip", "=tulip", "name=", "a=b,tulip", "name=@2027-01-01T00:00:00Z", "name=tulip@2027-13-01"} {
		if _, err := receiver.ParseSecrets(bad); err == nil || strings.Contains(err.Error(), "tulip") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
