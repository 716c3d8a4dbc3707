package conformance

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

var signing = cases{
	"SignJSON signs the marshalled value": func(t *testing.T) {
		r := newReceiver(t)
		a := must.Get(r.SignJSON(map[string]int{"n": 1}))(t)
		if b, _ := r.Sign([]byte(`{"n":1}`)); a != b {
			t.Errorf("%s and %s", a, b)
		}
	},
	"SignJSON of a value without JSON is an error": func(t *testing.T) {
		if _, err := newReceiver(t).SignJSON(make(chan int)); err == nil {
			t.Error("a channel was signed, want an error")
		}
	},
	"a signed payload verifies": func(t *testing.T) {
		r := newReceiver(t)
		verifies(t, r, signed(t, r, "push", `{"a":1}`), true)
	},
	"the bytes are verified, not their meaning": func(t *testing.T) {
		r := newReceiver(t)
		d := signed(t, r, "push", `{"price":1.0,"name":"\u00e9"}`)
		verifies(t, r, d, true)
		d.Payload = []byte(`{"price":1,"name":"é"}`)
		verifies(t, r, d, false)
	},
	"VerifyJSON verifies the marshalled value": func(t *testing.T) {
		r := newReceiver(t)
		signature := must.Get(r.SignJSON([]string{"a", "b"}))(t)
		if ok, err := r.VerifyJSON([]string{"a", "b"}, signature); !ok || err != nil {
			t.Errorf("%v, %v", ok, err)
		}
		if ok, _ := r.VerifyJSON([]string{"b", "a"}, signature); ok {
			t.Error("another value verifies")
		}
	},
}

// verifies requires the delivery's signature to match or not.
func verifies(t *testing.T, r *receiver.Receiver, d receiver.Delivery, want bool) {
	t.Helper()
	if got, err := r.Verify(d.Payload, d.Signature); got != want || err != nil {
		t.Fatalf("Verify is %v, %v; want %v", got, err, want)
	}
}

var secrets = cases{
	"an empty secret is refused": func(t *testing.T) {
		_, err := receiver.New("")
		wantErr(t, err, webhook.ErrNoSecret)
	},
	"an empty additional secret is refused": func(t *testing.T) {
		_, err := receiver.New("one", receiver.WithAdditionalSecrets("two", ""))
		wantErr(t, err, webhook.ErrNoSecret)
	},
	"an additional secret verifies but does not sign": func(t *testing.T) {
		r := newReceiver(t, receiver.WithAdditionalSecrets("old one", "older one"))
		old := must.Get(receiver.New("older one"))(t)
		verifies(t, r, signed(t, old, "push", "{}"), true)
		verifies(t, newReceiver(t), signed(t, r, "push", "{}"), true)
	},
	"secrets are replaced while running": func(t *testing.T) {
		r := newReceiver(t)
		before := signed(t, r, "push", "{}")
		must.Do(t, r.SetSecrets([]receiver.Secret{{Name: "new", Value: "brand new"}}))
		verifies(t, r, before, false)
		verifies(t, r, signed(t, r, "push", "{}"), true)
	},
	"an empty list or value replaces nothing": func(t *testing.T) {
		r := newReceiver(t)
		wantErr(t, r.SetSecrets(nil), webhook.ErrNoSecret)
		wantErr(t, r.SetSecrets([]receiver.Secret{{Value: "x"}, {Name: "gap"}}), webhook.ErrNoSecret)
		verifies(t, newReceiver(t), signed(t, r, "push", "{}"), true)
	},
	"a secret verifies until it expires and not from then on": func(t *testing.T) {
		now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
		r := newReceiver(t, receiver.WithClock(func() time.Time { return now }))
		must.Do(t, r.SetSecrets([]receiver.Secret{{Value: "new"}, {Name: "old", Value: "old", NotAfter: now.Add(time.Hour)}}))
		old, _ := receiver.New("old")
		d := signed(t, old, "push", "{}")
		verifies(t, r, d, true)
		now = now.Add(time.Hour)
		verifies(t, r, d, false)
	},
	"WithVerified gets the name of the secret that signed": func(t *testing.T) {
		j := newJournal()
		r := newReceiver(t, receiver.WithVerified(func(_ context.Context, e webhook.Event, name string) { j.note(e.ID + " " + name) }))
		must.Do(t, r.On(j.handler("ran"), "push"))
		must.Do(t, r.SetSecrets([]receiver.Secret{{Name: "new", Value: secret}, {Name: "old", Value: "old"}}))
		old := must.Get(receiver.New("old"))(t)
		must.Do(t, r.VerifyAndReceive(ctx(t), signed(t, old, "push", "{}")))
		must.Do(t, r.VerifyAndReceive(ctx(t), signed(t, r, "push", "{}")))
		forged := signed(t, r, "push", "{}")
		forged.Payload = []byte("{ }")
		wantErr(t, r.VerifyAndReceive(ctx(t), forged), receiver.ErrSignatureMismatch)
		if got := strings.Join(j.waitFor(t, 4), ", "); got != "delivery-1 old, ran, delivery-1 new, ran" {
			t.Errorf("got %s, want delivery-1 old, ran, delivery-1 new, ran", got)
		}
	},
	"the first secret that has not expired signs": func(t *testing.T) {
		now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
		r := newReceiver(t, receiver.WithClock(func() time.Time { return now }))
		must.Do(t, r.SetSecrets([]receiver.Secret{{Value: "gone", NotAfter: now}, {Value: secret}}))
		verifies(t, newReceiver(t), signed(t, r, "push", "{}"), true)
		must.Do(t, r.SetSecrets([]receiver.Secret{{Value: "gone", NotAfter: now}}))
		_, err := r.Sign([]byte("{}"))
		wantErr(t, err, receiver.ErrNoLiveSecret)
	},
}
