package serving_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

// acceptFrom requires a delivery of another sender than Host to be accepted.
func (h *harness) acceptFrom(source, id string, name webhook.EventName, action string) {
	h.Helper()
	e := webhook.Event{ID: id, Name: name, Payload: []byte(`{}`), Header: map[string]string{"X-Event": string(name)}}
	if err := h.svc.AcceptFrom(h.Context(), source, e, action); err != nil {
		h.Fatalf("%s of %s is not accepted: %v", id, source, err)
	}
}

func TestTheSameIDFromAnotherSourceIsForwardedToo(t *testing.T) {
	run(t, setup{rules: rules("*=http://a.example/")}, func(h *harness) {
		h.accept("one", "push", `{}`)
		h.acceptFrom("ci", "one", "push", "")
		h.acceptFrom("ci", "one", "push", "")
		h.settle()
		if len(h.target.got) != 2 || h.meter.counts["ci stored"] != 1 || h.meter.counts["ci duplicate"] != 1 || h.meter.counts["accepted stored"] != 1 {
			h.Errorf("forwarded %v, counted %v", h.target.got, h.meter.counts)
		}
		d, err := h.svc.FindDelivery(h.Context(), "ci", "one")
		if err != nil || d.Source != "ci" {
			h.Errorf("found %+v, %v", d, err)
		}
		if n, err := h.svc.Redeliver(h.Context(), inbox.DefaultSource, "one"); n != 1 || err != nil {
			h.Errorf("redelivered to %d, %v; want 1", n, err)
		}
		h.settle()
		if last := h.target.got[len(h.target.got)-1]; last.Header != nil || !last.Redelivery {
			h.Errorf("redelivered %+v", last)
		}
	})
}

func TestADeliveryOfAnotherSenderIsSignedAsStandardWebhooksOnEveryTry(t *testing.T) {
	const own = "whsec_c2VjcmV0"
	rule := inbox.Rule{Match: "issues.opened", URL: "http://a.example/", Secret: own}
	run(t, setup{rules: []inbox.Rule{rule}}, func(h *harness) {
		h.target.answer("http://a.example/", func(r inbox.ForwardRequest) (inbox.ForwardResponse, error) {
			return inbox.ForwardResponse{Status: map[int]int{1: 500, 2: 200}[r.Attempt]}, nil
		})
		h.acceptFrom("ci", "one", "issues", "opened")
		h.pass(5 * time.Second)
		key, err := webhook.Standard.Key(own)
		if err != nil || len(h.target.got) != 2 {
			h.Fatalf("%d tries, %v; want 2", len(h.target.got), err)
		}
		for _, r := range h.target.got {
			signed := webhook.Request{Body: r.Payload, Header: map[string][]string{
				"Webhook-Id": {r.ID}, "Webhook-Timestamp": {r.Timestamp}, "Webhook-Signature": {r.Signature},
			}}
			if r.ID != "ci:one" || r.Source != "ci" || r.Header["X-Event"] != "issues" || !key.Verify(signed, time.Now()) {
				h.Errorf("sent %+v", r)
			}
		}
	})
}

func TestARuleWithASecretThatCannotSignIsRefused(t *testing.T) {
	for _, secret := range []string{"whsec_%", "whpk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="} {
		_, err := inbox.Rule{Match: "*", URL: "http://127.0.0.1/", Secret: secret}.Complete()
		if !errors.Is(err, inbox.ErrRule) || !strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", secret, err)
		}
	}
}

func TestATargetOfTwoSourcesSeesTwoIDs(t *testing.T) {
	run(t, setup{rules: rules("*=http://a.example/")}, func(h *harness) {
		h.acceptFrom(inbox.DefaultSource, "1", "push", "")
		h.acceptFrom(inbox.DefaultSource, "ci:1", "push", "")
		h.acceptFrom("ci", "1", "push", "")
		h.acceptFrom("octavo", "7", "book.posted", "")
		h.settle()
		ids := map[string]bool{}
		for _, r := range h.target.got {
			ids[r.ID] = true
		}
		for _, want := range []string{"1", "default:ci:1", "ci:1", "7"} {
			if !ids[want] {
				t.Errorf("%s is missing among %v", want, ids)
			}
		}
	})
}

// signedBySender are the headers of a delivery that GitHub has signed with its own secret.
var signedBySender = map[string]string{"Content-Type": "application/json", "X-Github-Event": "push", "X-Github-Delivery": "1", "X-Hub-Signature-256": "sha256=of the sender", "Webhook-Id": "theirs", "X-Other": "x"}

// forwardedBy returns what a rule forwards of a delivery from GitHub.
func forwardedBy(t *testing.T, rule inbox.Rule) (got inbox.ForwardRequest) {
	t.Helper()
	rule.Match, rule.URL, rule.AnyName = "*", "http://a.example/", true
	run(t, setup{rules: []inbox.Rule{rule}}, func(h *harness) {
		h.svc.SetSources(map[string]inbox.Source{"ci": {Sender: webhook.GitHub}})
		must.Do(t, h.svc.AcceptFrom(h.Context(), "ci", webhook.Event{ID: "1", Name: "push", Payload: []byte(`{"n": 1.0}`), Header: signedBySender}, ""))
		h.settle()
		if len(h.target.got) != 1 {
			t.Fatalf("forwarded %v", h.target.got)
		}
		got = h.target.got[0]
	})
	return got
}

func TestATargetCanVerifyTheSendersSignature(t *testing.T) {
	got := forwardedBy(t, inbox.Rule{})
	if !maps.Equal(got.Header, signedBySender) || string(got.Payload) != `{"n": 1.0}` || got.Signature == "" {
		t.Errorf("forwarded %+v", got)
	}
	if got := forwardedBy(t, inbox.Rule{Sign: inbox.SignNone}); !maps.Equal(got.Header, signedBySender) || got.Signature != "" {
		t.Errorf("with sign: none it forwards %+v", got)
	}
}

func TestARuleSignsAnewAsTheSenderDoes(t *testing.T) {
	const own = "a secret of the target"
	got := forwardedBy(t, inbox.Rule{Sign: inbox.SignSender, Secret: own})
	key := must.Get(webhook.GitHub.Key(own))(t)
	signed := webhook.Request{Header: map[string][]string{"X-Hub-Signature-256": {got.Header["X-Hub-Signature-256"]}}, Body: got.Payload}
	if !key.Verify(signed, time.Now()) || got.Header["X-Other"] != "x" || got.Signature == "" {
		t.Errorf("forwarded %+v", got)
	}
	if signedBySender["X-Hub-Signature-256"] != "sha256=of the sender" {
		t.Error("the stored headers have changed")
	}
}

func TestARuleForwardsOnlyTheHeadersThatItNames(t *testing.T) {
	for _, c := range []struct{ names, want []string }{
		{[]string{}, []string{"Content-Type"}},
		{[]string{"x-other"}, []string{"Content-Type", "X-Other"}},
	} {
		if got := slices.Sorted(maps.Keys(forwardedBy(t, inbox.Rule{Forwarded: c.names}).Header)); !slices.Equal(got, c.want) {
			t.Errorf("with %v it forwards %v", c.names, got)
		}
	}
}

func TestASourceThatIsGoneCannotSignAnew(t *testing.T) {
	run(t, setup{rules: []inbox.Rule{{Match: "*", URL: "http://a.example/", Sign: inbox.SignSender}}}, func(h *harness) {
		h.acceptFrom("gone", "1", "push", "")
		h.settle()
		if job := h.job("1"); len(h.target.got) != 0 || job.State != inbox.Open || !strings.Contains(job.Error, "the source gone no longer exists") {
			t.Errorf("it is %+v", job)
		}
	})
}
