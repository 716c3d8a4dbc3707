package receiver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
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

func TestEveryFailureIsAReceiverError(t *testing.T) {
	cause := errors.New("cause")
	r := newReceiver(t)
	for name, fn := range map[webhook.EventName]func() error{
		"push":    func() error { return cause },
		"ping":    func() error { panic(cause) },
		"release": func() error { panic("text") },
		"star":    func() error { runtime.Goexit(); return nil },
	} {
		must.Get(r.OnFunc(func(context.Context, webhook.Event) error { return fn() }, name))(t)
		var failure *receiver.Error
		err := r.Receive(context.Background(), webhook.Event{Name: name, Payload: []byte("{}")})
		if !errors.As(err, &failure) || failure.Refused || len(failure.Errs) != 1 || err.Error() == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
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

func TestWrongRegistrationsAreRefused(t *testing.T) {
	r := newReceiver(t)
	events := receiver.Func(func(context.Context, webhook.Event) error { return nil })
	failures := receiver.ErrorFunc(func(context.Context, *receiver.Error) {})
	for name, c := range map[string]struct{ err, want error }{
		"no handler":             {r.On(nil, "push"), receiver.ErrMissing},
		"no name":                {r.On(events), receiver.ErrMissing},
		"an empty name":          {r.On(events, ""), receiver.ErrMissing},
		"events as error":        {r.On(events, "error"), receiver.ErrReservedName},
		"failures as the star":   {r.On(failures, "*"), receiver.ErrHandlerKind},
		"a far name":             {r.On(events, "qqqqqqqqqqqqqqq"), receiver.ErrUnknownEvent},
		"failures as events":     {r.On(failures, "push"), receiver.ErrHandlerKind},
		"failures for any":       {r.OnAny(failures), receiver.ErrHandlerKind},
		"events as failures":     {r.OnError(events), receiver.ErrHandlerKind},
		"no handler for any":     {r.OnAny(nil), receiver.ErrMissing},
		"no handler of failures": {r.OnError(receiver.ErrorFunc(nil)), receiver.ErrMissing},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v", name, c.err)
		}
	}
}

func TestMissingArgumentsAreNamed(t *testing.T) {
	r := newReceiver(t, receiver.AllowUnknownEvents())
	_, signing := r.Sign(nil)
	_, signingNothing := r.SignJSON(nil)
	_, verifyingNothing := r.VerifyJSON(nil, "sha256=00")
	_, withoutSignature := r.Verify([]byte("{}"), "")
	_, typed := receiver.OnTyped[any](r, nil, "push")
	for want, errs := range map[string][]error{
		"payload":    {signing, signingNothing, verifyingNothing, r.Receive(context.Background(), webhook.Event{Name: "push"})},
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

func TestExpiredSecretsNeitherSignNorVerify(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	r := newReceiver(t, receiver.WithClock(func() time.Time { return now }))
	must.Do(t, r.SetSecrets([]receiver.Secret{{Name: "short", Value: "s", NotAfter: now.Add(time.Second)}}))
	signature := must.Get(r.Sign([]byte("{}")))(t)
	now = now.Add(time.Second)
	if ok, err := r.Verify([]byte("{}"), signature); ok || err != nil {
		t.Errorf("verified: %v, %v", ok, err)
	}
	if _, err := r.Sign([]byte("{}")); !errors.Is(err, receiver.ErrNoLiveSecret) {
		t.Errorf("signed: %v, want %v", err, receiver.ErrNoLiveSecret)
	}
	for _, none := range [][]receiver.Secret{nil, {{Name: "empty"}}} {
		if err := r.SetSecrets(none); !errors.Is(err, webhook.ErrNoSecret) {
			t.Errorf("%v: %v, want %v", none, err, webhook.ErrNoSecret)
		}
	}
	if _, err := receiver.New(""); !errors.Is(err, webhook.ErrNoSecret) {
		t.Errorf("new: %v, want %v", err, webhook.ErrNoSecret)
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
