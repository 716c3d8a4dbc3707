package serving_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/serving"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

const pager = "http://127.0.0.1:9/alerts"

// alerting is a configuration with a URL for alerts.
func alerting() serving.Config {
	c := serving.DefaultConfig()
	c.AlertURL = pager
	return c
}

// alerts returns the alerts that the pager got as "kind rule", each once although it was
// sent several times.
func (h *harness) alerts() (kinds []string) {
	h.target.mu.Lock()
	defer h.target.mu.Unlock()
	for _, s := range h.target.got {
		if s.URL != pager || s.Attempt > 1 {
			continue
		}
		var body map[string]any
		must.Do(h, json.Unmarshal(s.Payload, &body))
		kinds = append(kinds, fmt.Sprint(body["type"], " ", body["rule"]))
	}
	return kinds
}

func (h *harness) wantAlerts(when string, want ...string) {
	h.Helper()
	if got := h.alerts(); !slices.Equal(got, want) {
		h.Errorf("%s the alerts are %v, want %v", when, got, want)
	}
}

func TestOperatorsAreAlertedOnceWhenATargetFailsAndOnceWhenItWorksAgain(t *testing.T) {
	failing := setup{rules: rules(shopKey, "*="+press), config: alerting(), down: []string{shop}}
	run(t, failing, func(h *harness) {
		replica := start(h.T, failing, h.store)
		h.accept("a", "push", `{}`)
		h.pass(9 * time.Minute)
		h.wantAlerts("after nine minutes")
		h.pass(2 * time.Minute)
		replica.end()
		h.pass(3 * time.Hour)
		all := append(h.alerts(), replica.alerts()...)
		if !slices.Equal(all, []string{"rule.failing push#1"}) {
			h.Errorf("after three hours the alerts are %v", all)
		}
		h.end()
		again := start(h.T, failing, h.store) // which sends what waits at once
		again.pass(time.Minute)
		again.wantAlerts("after a restart")
		again.target.answer(shop, status(200))
		again.pass(3 * time.Hour)
		again.wantAlerts("after the recovery", "rule.recovered push#1")
		again.end()
	})
}

func TestAnAlertIsASignedRequestThatPeopleAndProgramsCanRead(t *testing.T) {
	run(t, setup{rules: []inbox.Rule{{Name: "tracker", Match: "*", URL: shop + "?key=hidden", MaxTries: 1}}, config: alerting()}, func(h *harness) {
		began := time.Now().UTC()
		h.target.answer(shop+"?key=hidden", status(503))
		h.accept("a", "push", `{}`)
		h.pass(time.Minute)
		h.wantAlerts("after a dead letter", "rule.dead tracker")
		sent := h.target.got[len(h.target.got)-1]
		signer, _ := webhook.NewStandardSigner(secret)
		at := time.Time{}
		for i, s := range h.target.got {
			if s.URL == pager {
				at = h.target.at[i]
			}
		}
		if _, want := signer.Sign(sent.ID, at, sent.Payload); sent.Signature != want || !strings.HasPrefix(sent.ID, "alert_") || sent.Private {
			h.Errorf("the request is %+v", sent)
		}
		var body map[string]any
		if err := json.Unmarshal(sent.Payload, &body); err != nil || len(body) != 11 || body["source"] != inbox.DefaultSource || body["event"] != "push" || body["delivery"] != "a" || body["target"] != shop || body["status"] != 503.0 || body["error"] != "answered 503" ||
			body["since"] != began.Format(time.RFC3339Nano) || strings.Contains(string(sent.Payload), "hidden") ||
			!strings.HasPrefix(fmt.Sprint(body["text"]), "Webhook rule tracker gave up on a delivery. Octavo gave up on the delivery a (push from default) to "+shop) {
			h.Errorf("the body is %s, %v", sent.Payload, err)
		}
		h.target.answer(shop+"?key=hidden", status(200))
		h.accept("b", "push", `{}`)
		h.pass(time.Minute)
		h.wantAlerts("after an answer", "rule.dead tracker", "rule.recovered tracker")
	})
}

func TestATargetThatRefusesSomeDeliveriesDoesNotFloodOperators(t *testing.T) {
	run(t, setup{rules: rules("*=" + shop), config: alerting()}, func(h *harness) {
		n := 0
		h.target.answer(shop, func(inbox.ForwardRequest) (inbox.ForwardResponse, error) {
			n++
			return inbox.ForwardResponse{Status: []int{410, 200}[n%2]}, nil
		})
		for i := range 600 { // ten minutes
			h.accept(fmt.Sprint(i), "push", "{}")
			h.pass(time.Second)
		}
		if got := len(h.alerts()); got < 1 || got > 4 {
			h.Errorf("there are %d alerts: %v", got, h.alerts())
		}
	})
}

func TestAPausedRuleRaisesNoAlert(t *testing.T) {
	run(t, setup{rules: rules(shopKey), config: alerting()}, func(h *harness) {
		h.target.answer(shop, status(503))
		h.accept("a", "push", "{}")
		h.pass(time.Minute)
		must.Do(h, h.svc.PauseRule(h.Context(), shopKey))
		h.pass(time.Hour)
		must.Do(h, h.svc.ResumeRule(h.Context(), shopKey))
		h.pass(9 * time.Minute)
		h.wantAlerts("after a pause")
		h.pass(5 * time.Minute)
		h.wantAlerts("ten minutes after the pause", "rule.failing push#1")
	})
}

func TestAnAlertIsRetriedInOrderAndDelaysNoDelivery(t *testing.T) {
	run(t, setup{rules: []inbox.Rule{{Name: "r", Match: "*", URL: shop, MaxTries: 1}}, config: alerting()}, func(h *harness) {
		h.target.answer(shop, status(503))
		h.target.answer(pager, func(inbox.ForwardRequest) (inbox.ForwardResponse, error) {
			<-time.After(time.Hour)
			return inbox.ForwardResponse{}, nil
		})
		h.accept("a", "push", "{}")
		h.pass(time.Minute)
		h.target.answer(shop, status(200))
		for i := range 100 {
			h.accept(fmt.Sprint(i), "push", "{}")
		}
		h.settle()
		if got := h.count(shop); got != 101 {
			h.Errorf("%d deliveries are sent while an alert hangs", got)
		}
		h.target.answer(pager, status(302))
		h.pass(30 * time.Minute)
		h.target.answer(pager, status(204))
		h.pass(2 * time.Hour)
		h.wantAlerts("at the end", "rule.dead r", "rule.recovered r")
	})
}

// mailRecorder records mails.
type mailRecorder struct {
	mu   sync.Mutex
	got  []string
	fail int
}

func (l *mailRecorder) MailAlert(_ context.Context, _ int64, subject, text string, _ time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fail--; l.fail >= 0 {
		return errRefused
	}
	l.got = append(l.got, subject+": "+text)
	return nil
}

func TestAlertsAreMailed(t *testing.T) {
	box := &mailRecorder{fail: 3}
	run(t, setup{rules: rules(shopKey), mailer: box.MailAlert}, func(h *harness) {
		h.target.answer(shop, status(503))
		h.accept("a", "push", "{}")
		h.pass(15 * time.Minute)
		h.target.answer(shop, status(200))
		h.pass(time.Hour)
		if len(box.got) != 2 || !strings.HasPrefix(box.got[0], "The target of webhook rule push#1 is failing: "+shop+" has not accepted a delivery since 20") ||
			!strings.HasPrefix(box.got[1], "The target of webhook rule push#1 works again: "+shop+" answers again since") {
			h.Errorf("mailed are %q", box.got)
		}
	})
}

func TestWithoutAnAddressNoAlertIsSent(t *testing.T) {
	run(t, setup{rules: rules(shopKey)}, func(h *harness) {
		h.target.answer(shop, status(410))
		h.accept("a", "push", "{}")
		h.pass(time.Hour)
		states, err := h.store.ListTroubledRules(h.Context())
		if err != nil || len(states) != 1 || states[0].AlertCount != 0 {
			h.Errorf("the states are %+v, %v", states, err)
		}
	})
}
