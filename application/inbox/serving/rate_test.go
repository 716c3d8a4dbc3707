package serving_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/must"
)

// wantRate requires that no more than most sends began in any period.
func (h *harness) wantRate(most int, per time.Duration) {
	h.Helper()
	h.target.mu.Lock()
	defer h.target.mu.Unlock()
	for i := most; i < len(h.target.at); i++ {
		if gap := h.target.at[i].Sub(h.target.at[i-most]); gap < per {
			h.Errorf("sends %d to %d began within %s", i-most+1, i+1, gap)
		}
	}
}

func TestARuleSendsNoMoreThanItsRateAndKeepsTheOrder(t *testing.T) {
	for _, c := range []struct {
		rate    string
		most    int
		per     time.Duration
		latency time.Duration
	}{{"10/s", 10, time.Second, time.Millisecond}, {"3/s", 3, time.Second, 5 * time.Second}, {"20/m", 20, time.Minute, 2 * time.Second}, {"1/s", 1, time.Second, 0}} {
		run(t, setup{rules: []inbox.Rule{{Match: "*", URL: shop, Rate: c.rate, Concurrency: 1}}}, func(h *harness) {
			h.target.answer(shop, takes(c.latency))
			for i := range 60 {
				h.accept(fmt.Sprint(i), "push", "{}")
				h.pass(20 * time.Millisecond)
			}
			began := time.Now()
			for len(h.target.sent()) < 60 || h.rule().Open > 0 {
				if h.pass(time.Second); time.Since(began) > time.Hour {
					h.Fatalf("%s: after an hour %d are sent", c.rate, len(h.target.sent()))
				}
			}
			h.wantRate(c.most, c.per)
			for i, got := range h.target.sent() {
				if got != fmt.Sprint(i, " 1") {
					h.Fatalf("%s: number %d is %s", c.rate, i, got)
				}
			}
			if got, ideal := time.Since(began), time.Duration(60/c.most)*c.per+60*c.latency; got > ideal+10*time.Second {
				h.Errorf("%s: it took %s", c.rate, got)
			}
		})
	}
}

func TestRetriesCountForTheRateAndConcurrencyDoesNotExceedIt(t *testing.T) {
	run(t, setup{rules: []inbox.Rule{{Match: "*", URL: shop, Rate: "5/s", Concurrency: 32}}}, func(h *harness) {
		h.target.answer(shop, status(500))
		for i := range 9 { // fewer than open the circuit
			h.accept(fmt.Sprint(i), "push", "{}")
		}
		h.pass(3 * time.Second)
		h.target.answer(shop, takes(3*time.Second))
		for i := range 40 {
			h.accept(fmt.Sprint(100+i), "push", "{}")
		}
		h.pass(5 * time.Minute)
		h.wantRate(5, time.Second)
		if got := h.rule(); got.Open != 0 || got.Rate != "5/s" {
			h.Errorf("after five minutes the rule is %+v", got)
		}
	})
}

func TestAChangeOfARuleDoesNotForgetWhatItHasSent(t *testing.T) {
	rule := inbox.Rule{Name: "r", Match: "*", URL: shop, Rate: "4/m"}
	run(t, setup{rules: []inbox.Rule{rule}}, func(h *harness) {
		for i := range 10 {
			h.accept(fmt.Sprint(i), "push", "{}")
		}
		for range 3 {
			h.pass(time.Second)
			rule.MaxTries++
			h.setRules(rule)
		}
		h.pass(50 * time.Second)
		if got := len(h.target.sent()); got != 4 {
			h.Errorf("%d are sent in the first minute, want 4", got)
		}
		rule.Rate = ""
		h.setRules(rule)
		h.pass(2 * time.Second)
		if got := len(h.target.sent()); got != 10 {
			h.Errorf("%d are sent without a rate, want 10", got)
		}
	})
}

func TestARateMayChangeWhileDeliveriesAreSent(t *testing.T) {
	rule := inbox.Rule{Name: "r", Match: "*", URL: shop, Rate: "100/s", Concurrency: 8}
	run(t, setup{rules: []inbox.Rule{rule}}, func(h *harness) {
		h.target.answer(shop, takes(10*time.Millisecond))
		for i := range 100 {
			h.accept(fmt.Sprint(i), "push", "{}")
		}
		for i := range 50 {
			<-time.After(7 * time.Millisecond) // the pool does not settle: it claims and sends
			rule.Rate = fmt.Sprintf("%d/s", 100+i)
			h.setRules(rule)
		}
		h.pass(2 * time.Second)
		if got := len(h.target.sent()); got != 100 {
			h.Errorf("%d are sent, want 100", got)
		}
	})
}

func TestTheShutdownDoesNotWaitForARate(t *testing.T) {
	run(t, setup{rules: []inbox.Rule{{Match: "*", URL: shop, Rate: "1/h"}}}, func(h *harness) {
		for i := range 5 {
			h.accept(fmt.Sprint(i), "push", "{}")
		}
		h.pass(time.Second)
		began := time.Now()
		h.end()
		if took := time.Since(began); took > time.Second {
			h.Errorf("the shutdown took %s", took)
		}
		h.wantState("4", "pending")
	})
}

func TestARateIsANumberPerSecondMinuteOrHour(t *testing.T) {
	for _, rate := range []string{"", "1/s", "100/m", "10000/h"} {
		if _, err := (inbox.Rule{Match: "*", URL: shop, Rate: rate}).Complete(); err != nil {
			t.Errorf("%q: %v", rate, err)
		}
	}
	for _, rate := range []string{"10", "/s", "0/s", "-1/s", "+1/s", "01/s", "1.5/s", "10/d", "10 / s", "10/s/s", "10001/s", "x"} {
		must.Refuse(t, must.Err((inbox.Rule{Match: "*", URL: shop, Rate: rate}).Complete()), inbox.ErrRule, rate)
	}
}
