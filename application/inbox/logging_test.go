package inbox_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

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
