package inbox_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook"
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
			if r.ID != "one" || r.Header["X-Event"] != "issues" || !key.Verify(signed, time.Now()) {
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
