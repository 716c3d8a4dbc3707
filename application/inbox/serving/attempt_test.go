package serving_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/meminbox"
)

func TestEveryAttemptIsShownWithItsAnswer(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop + "?token=hidden")}, func(h *harness) {
		h.target.answer(shop+"?token=hidden", func(s inbox.ForwardRequest) (inbox.ForwardResponse, error) {
			<-time.After(time.Second)
			switch s.Attempt {
			case 1:
				return inbox.ForwardResponse{}, errRefused
			case 2:
				return inbox.ForwardResponse{Status: 503, Answer: []byte("sp\xe4ter\x00\r\n" + strings.Repeat("x", 5000))}, nil
			}
			return inbox.ForwardResponse{Status: 204}, nil
		})
		h.accept("a", "push", "{}")
		begun := clock{}.Now()
		h.pass(time.Minute)
		h.wantState("a", "delivered")
		d, err := h.svc.FindDelivery(h.Context(), "", "a")
		if err != nil || len(d.Attempts) != 3 {
			t.Fatalf("%+v, %v", d.Attempts, err)
		}
		want := []inbox.Attempt{
			{Number: 1, At: begun, Error: "connection refused"},
			{Number: 2, At: d.Attempts[1].At, Status: 503, Error: "answered 503", Answer: "sp\uFFFDter\uFFFD\n" + strings.Repeat("x", inbox.MaxAnswer-12)},
			{Number: 3, At: d.Attempts[2].At, Status: 204},
		}
		for n, a := range d.Attempts {
			want[n].Job, want[n].Rule, want[n].Target, want[n].Duration = d.Jobs[0].ID, d.Jobs[0].Rule, shop, time.Second
			if a.At.Equal(want[n].At) {
				a.At = want[n].At
			}
			if a != want[n] {
				t.Errorf("got  %+v\nwant %+v", a, want[n])
			}
		}
	})
}

func TestADeliveryReturnedUnsentHasNoAttempt(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop)}, func(h *harness) {
		h.target.answer(shop, takes(time.Hour))
		h.accept("a", "push", "{}")
		h.settle()
		h.end()
		if d, err := h.svc.FindDelivery(h.Context(), "", "a"); err != nil || len(d.Attempts) != 0 || d.State() != "pending" {
			t.Errorf("%+v, %v", d, err)
		}
	})
}

func TestATargetIsShownWithoutItsQuery(t *testing.T) {
	for url, want := range map[string]string{
		"http://127.0.0.1:9000/a%2Fb?token=x&y": "http://127.0.0.1:9000/a%2Fb", "https://example.com": "https://example.com",
		"http://x/" + strings.Repeat("y", 1000): "http://x/" + strings.Repeat("y", 491),
	} {
		if got := (inbox.Rule{URL: url}).Target(); got != want {
			t.Errorf("%s is shown as %s", url, got)
		}
	}
}

// wantWarnings requires this many warnings with these words.
func (h *harness) wantWarnings(words string, want int) {
	h.Helper()
	if got := h.log.warnings(words); len(got) != want {
		h.Fatalf("%d warnings %q: %q, want %d", len(got), words, got, want)
	}
}

const (
	begins = "forwarding failed"
	opens  = "keeps failing"
	closes = "answers again"
)

func TestAFailingTargetIsLoggedAtOnceWhenItsCircuitOpensAndWhenItAnswersAgain(t *testing.T) {
	run(t, setup{rules: rules("ping="+press, "push="+shop+"?token=hidden")}, func(h *harness) {
		h.target.answer(shop+"?token=hidden", status(500))
		h.accept("a", "push", "{}")
		h.settle()
		h.wantWarnings(begins, 1)
		if line := h.log.warnings(begins)[0]; !strings.Contains(line, "rule=push#2") || !strings.Contains(line, "target=127.0.0.1:9000") || !strings.Contains(line, "id=a") || !strings.Contains(line, "answered 500") {
			t.Errorf("warned %s", line)
		}
		h.pass(time.Minute)
		h.wantWarnings(begins, 1)
		h.wantWarnings(opens, 0)
		h.pass(time.Hour)
		h.wantWarnings(opens, 1)
		h.wantWarnings(closes, 0)
		h.target.answer(shop+"?token=hidden", status(200))
		h.pass(2 * time.Hour)
		h.wantState("a", "delivered")
		h.wantWarnings(closes, 1)
		h.wantWarnings("", 3)
		h.wantWarnings("hidden", 0)
		if h.meter.count("forwarded by push#2") != len(h.target.sent()) {
			t.Errorf("counted %v", h.meter.counts)
		}
	})
}

func TestAnIntermittentlyFailingTargetIsLoggedOnceAnHour(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop)}, func(h *harness) {
		h.target.answer(shop, func(s inbox.ForwardRequest) (inbox.ForwardResponse, error) {
			if s.Attempt == 1 {
				return inbox.ForwardResponse{}, errRefused
			}
			return inbox.ForwardResponse{Status: 200}, nil
		})
		for i := range 30 {
			h.accept(fmt.Sprint(i), "push", "{}")
			h.pass(time.Minute)
		}
		h.wantWarnings(begins, 1)
		h.pass(time.Hour)
		h.accept("later", "push", "{}")
		h.pass(time.Minute)
		h.wantWarnings(begins, 2)
		h.wantWarnings("", 2)
	})
}

func TestTheMetricsOfARuleShowItsNameOrNumberNeverItsURL(t *testing.T) {
	named := rules("push=" + shop)[0]
	named.Name = "deploy"
	run(t, setup{rules: append(rules("push="+press), named)}, func(h *harness) {
		h.accept("a", "push", "{}")
		h.settle()
		h.setRules(append([]inbox.Rule{named}, rules("push="+press)...)...)
		h.accept("b", "push", "{}")
		h.settle()
		for label, want := range map[string]int{"push#1": 1, "push#2": 1, "deploy": 2} {
			if got := h.meter.count("forwarded by " + label); got != want {
				t.Errorf("%s was counted %d times: %v", label, got, h.meter.counts)
			}
		}
	})
}

// While the HTTP server finishes its requests, their deliveries are stored but not
// sent, because the grace period of the running sends has begun.
func TestWhileDrainingDeliveriesAreStoredButNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := meminbox.New()
		h := start(t, setup{rules: rules("push=" + shop)}, store)
		h.target.answer(shop, takes(9*time.Second))
		h.accept("begun", "push", "{}")
		h.settle()
		h.svc.Drain()
		h.settle()
		h.accept("late", "push", "{}")
		h.pass(10 * time.Second)
		h.target.want(h, "begun 1")
		for _, id := range []string{"begun", "late"} {
			h.wantState(id, "pending")
			if job := h.job(id); job.Attempts != 0 {
				t.Errorf("%s has %d attempts", id, job.Attempts)
			}
		}
		h.end()
		again := start(t, setup{rules: rules("push=" + shop)}, store)
		again.settle()
		again.wantState("begun", "delivered")
		again.wantState("late", "delivered")
		again.end()
	})
}
