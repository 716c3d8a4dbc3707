package serving_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/meminbox"
	"github.com/octavo-books/octavo/test/must"
)

// rule returns the status of the only rule.
func (h *harness) rule() inbox.RuleStatus {
	h.Helper()
	rules, err := h.svc.ListRules(h.Context())
	if err != nil || len(rules) != 1 {
		h.Fatalf("the rules are %+v, %v", rules, err)
	}
	return rules[0]
}

const shopKey = "push=" + shop

func TestAPausedRuleKeepsItsDeliveriesAndSendsThemInOrder(t *testing.T) {
	for _, by := range []string{"API", "command line"} {
		run(t, setup{rules: rules(shopKey)}, func(h *harness) {
			admin := map[string]interface {
				PauseRule(ctx context.Context, key string) error
				ResumeRule(ctx context.Context, key string) error
			}{"API": h.svc, "command line": h.otherProcess()}[by]
			h.target.answer(shop, takes(time.Second))
			for i := range 20 { // some are being sent, some wait for a worker and some in the store
				h.accept(fmt.Sprint(10+i), "push", "{}")
			}
			must.Do(h, admin.PauseRule(h.Context(), shopKey))
			h.pass(3 * time.Second)
			sent := len(h.target.sent())
			if h.accept("30", "push", "{}"); h.rule().PausedBy != inbox.PausedByOperator || h.rule().Open != 21-sent {
				h.Errorf("by %s: after %d sends the rule is %+v", by, sent, h.rule())
			}
			h.pass(time.Hour)
			if got := len(h.target.sent()); got != sent || sent == 20 || h.meter.paused != 1 {
				h.Errorf("by %s: %d are sent while the rule is paused, %d before", by, got-sent, sent)
			}
			must.Do(h, admin.ResumeRule(h.Context(), shopKey))
			h.accept("31", "push", "{}")
			h.pass(time.Minute)
			rest := slices.Clone(h.target.sent()[sent:])
			last := rest[max(0, len(rest)-inbox.DefaultConcurrency):] // in any order: they are sent at the same time
			if len(rest) != 22-sent || !slices.Contains(last, "30 1") || !slices.Contains(last, "31 1") || h.rule().PausedBy != "" {
				h.Errorf("by %s: %v are sent after %d, the rule is %+v", by, rest, sent, h.rule())
			}
			if slices.Sort(rest); len(slices.Compact(rest)) != 22-sent {
				h.Errorf("by %s: some are sent twice: %v", by, rest)
			}
		})
	}
}

func TestAPauseSurvivesARestartAndAReload(t *testing.T) {
	run(t, setup{rules: rules(shopKey)}, func(h *harness) {
		must.Do(h, h.svc.PauseRule(h.Context(), shopKey))
		h.accept("a", "push", "{}")
		h.end()
		again := start(h.T, setup{rules: rules("*=" + press)}, h.store)
		again.accept("b", "issues", "{}")
		again.settle() // or b and c would be sent at the same moment
		again.setRules(append(rules("*="+press), inbox.Rule{Match: "push", URL: shop, MaxTries: 7})...)
		again.accept("c", "push", "{}")
		again.pass(time.Minute)
		again.target.want(again, "b 1", "c 1")
		if got := again.target.got[1].URL; got != press {
			t.Errorf("after a restart and a reload c goes to %s, want %s", got, press)
		}
		must.Do(t, again.otherProcess().ResumeRule(h.Context(), shopKey))
		again.pass(time.Minute)
		again.target.want(again, "b 1", "c 1", "c 1")
		again.end()
	})
}

func TestARedeliveryOfAPausedRuleWaits(t *testing.T) {
	run(t, setup{rules: rules(shopKey)}, func(h *harness) {
		h.accept("a", "push", "{}")
		h.settle()
		must.Do(h, errors.Join(h.svc.PauseRule(h.Context(), shopKey), h.svc.PauseRule(h.Context(), shopKey)))
		if n, err := h.svc.Redeliver(h.Context(), "", "a"); n != 1 || err != nil {
			h.Fatal(n, err)
		}
		h.pass(time.Minute)
		h.target.want(h, "a 1")
		must.Do(h, errors.Join(h.svc.ResumeRule(h.Context(), shopKey), h.svc.ResumeRule(h.Context(), shopKey)))
		h.settle()
		h.target.want(h, "a 1", "a 1")
	})
}

func TestARuleThatTheFilePausesCannotBeResumed(t *testing.T) {
	rule := inbox.Rule{Name: "r", Match: "*", URL: shop, Paused: true}
	run(t, setup{rules: []inbox.Rule{rule}}, func(h *harness) {
		for _, admin := range []*inbox.Admin{h.svc.Admin, h.otherProcess()} {
			must.Refuse(h, admin.ResumeRule(h.Context(), "r"), inbox.ErrPausedInFile, "resuming")
			for _, err := range []error{admin.PauseRule(h.Context(), "x"), admin.ResumeRule(h.Context(), "x")} {
				if !errors.Is(err, inbox.ErrNoRule) {
					h.Errorf("an unknown rule: %v, want %v", err, inbox.ErrNoRule)
				}
			}
			list, err := admin.ListRules(h.Context())
			if err != nil || len(list) != 1 || list[0].PausedBy != inbox.PausedByFile || list[0].State() != "paused" {
				h.Errorf("the rules are %+v, %v", list, err)
			}
		}
	})
}

func TestTheStateOfARuleShowsHowItsTargetAnswers(t *testing.T) {
	rule := inbox.Rule{Name: "r", Source: inbox.DefaultSource, Match: "push", URL: shop + "?key=x", MaxTries: 12}
	run(t, setup{rules: []inbox.Rule{rule}}, func(h *harness) {
		if got := h.rule(); got.State() != "active" || got.Key != "r" || got.Target != shop || !got.Last.At.IsZero() {
			h.Errorf("at first it is %+v", got)
		}
		began := time.Now().UTC()
		h.target.answer(rule.URL, status(503))
		h.accept("a", "push", "{}")
		h.settle()
		if got := h.rule(); got.State() != "failing" || !got.FailingSince.Equal(began) || got.Last.Status != 503 || got.Last.Error != "answered 503" || got.CircuitOpen || got.Open != 1 || !got.Oldest.Equal(began) {
			h.Errorf("after a failure it is %+v", got)
		}
		h.pass(30 * time.Minute)
		if got := h.rule(); !got.CircuitOpen || !got.FailingSince.Equal(began) || got.Attempts != got.Failures || got.Attempts < 10 {
			h.Errorf("after many failures it is %+v", got)
		}
		h.pass(5 * time.Hour)
		if got := h.rule(); got.Dead != 1 || got.Open != 0 || got.Attempts != 0 {
			h.Errorf("after the last failure it is %+v", got)
		}
		h.target.answer(rule.URL, status(204))
		h.accept("b", "push", "{}")
		h.settle()
		if got := h.rule(); got.State() != "active" || got.Last.Status != 204 || got.Last.Error != "" || got.CircuitOpen || got.Attempts != 1 || got.Failures != 0 {
			h.Errorf("after an answer it is %+v", got)
		}
		h.pass(time.Minute)
		if other, err := h.otherProcess().ListRules(h.Context()); err != nil || len(other) != 1 || other[0] != h.rule() {
			h.Errorf("in another process it is %+v, %v", other, err)
		}
	})
}

// failingStates refuses reports as long as it is broken.
type failingStates struct {
	*meminbox.Inbox
	broken bool
}

func (f *failingStates) RecordAttempts(ctx context.Context, reports []inbox.AttemptReport) error {
	if f.broken {
		return errRefused
	}
	return f.Inbox.RecordAttempts(ctx, reports)
}

func TestAttemptsCountAlsoIfTheStoreWasDown(t *testing.T) {
	var states *failingStates
	run(t, setup{rules: rules(shopKey), store: func(store *meminbox.Inbox) inbox.Store {
		states = &failingStates{store, true}
		return states
	}}, func(h *harness) {
		h.target.answer(shop, status(503))
		h.accept("a", "push", "{}")
		h.pass(30 * time.Second)
		states.broken = false
		failures := len(h.target.sent())
		h.target.answer(shop, status(200))
		h.accept("b", "push", "{}")
		h.settle()
		if got := h.rule(); got.Failures != failures || got.Attempts != failures+1 || !got.FailingSince.IsZero() {
			h.Errorf("after %d failures it is %+v", failures, got)
		}
	})
}
