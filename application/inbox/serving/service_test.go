package serving_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/serving"
	"github.com/octavo-books/octavo/domain/webhook"
)

const (
	shop  = "http://127.0.0.1:9000/shop"
	press = "http://127.0.0.1:9000/press"
)

func TestADeliveryReachesEveryRuleThatMatches(t *testing.T) {
	run(t, setup{rules: rules("issues="+shop, "issues.opened="+press, "issues.closed=http://127.0.0.1:1/", "*=http://127.0.0.1:2/")}, func(h *harness) {
		h.accept("a", "issues", `{"action":"opened","n":1.0}`)
		h.settle()
		if len(h.target.got) != 3 {
			t.Fatalf("sent %v", h.target.sent())
		}
		key, _ := webhook.NewKey(secret)
		for _, s := range h.target.got {
			if s.ID != "a" || s.Event != "issues" || s.Attempt != 1 || s.Redelivery || string(s.Payload) != `{"action":"opened","n":1.0}` || s.Signature != key.Sign(s.Payload).String() {
				t.Errorf("sent %+v", s)
			}
		}
		h.wantState("a", "delivered")
	})
}

func TestARuleSignsWithItsOwnSecret(t *testing.T) {
	own := rules("push=" + shop)
	own[0].Secret = "another"
	run(t, setup{rules: own}, func(h *harness) {
		h.accept("a", "push", "{}")
		h.settle()
		key, _ := webhook.NewKey("another")
		if got := h.target.got[0].Signature; got != key.Sign([]byte("{}")).String() {
			t.Errorf("signed %s", got)
		}
	})
}

func TestADuplicateIsAcknowledgedAndNotSentAgain(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop)}, func(h *harness) {
		h.accept("a", "push", "{}")
		h.accept("a", "push", "{}")
		h.settle()
		h.target.want(h, "a 1")
		if h.meter.count("accepted stored") != 1 || h.meter.count("accepted duplicate") != 1 {
			t.Errorf("counted %v", h.meter.counts)
		}
	})
}

func TestAReplayUnderAnotherIDIsNotSentDuringTheReplayWindow(t *testing.T) {
	config := serving.DefaultConfig()
	config.ReplayWindow = time.Hour
	run(t, setup{rules: rules("*=" + shop), config: config}, func(h *harness) {
		h.accept("a", "push", "{}")
		h.accept("b", "push", "{}")
		h.accept("c", "ping", "{}") // another event
		h.pass(time.Hour)
		h.accept("d", "push", "{}")
		h.settle()
		got := h.target.sent()
		slices.Sort(got)
		if !slices.Equal(got, []string{"a 1", "c 1", "d 1"}) {
			t.Errorf("sent %v", got)
		}
	})
}

func TestAFailedSendIsRetriedWithBackoff(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop)}, func(h *harness) {
		h.target.answer(shop, status(500))
		h.accept("a", "push", "{}")
		h.pass(10 * time.Minute)
		h.target.answer(shop, status(204))
		h.pass(10 * time.Minute)
		h.wantState("a", "delivered")
		for i := 1; i < len(h.target.at); i++ {
			wait, want := h.target.at[i].Sub(h.target.at[i-1]), time.Second<<(i-1)
			if wait < want*8/10 || wait > want*12/10+time.Second { // the next poll finds it
				t.Errorf("attempt %d came after %s", i+1, wait)
			}
			if h.target.got[i].Attempt != i+1 {
				t.Errorf("attempt %d is numbered %d", i+1, h.target.got[i].Attempt)
			}
		}
	})
}

func TestADeliveryToADeadTargetIsDeadAfterAboutADay(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop), config: slowPolls()}, func(h *harness) {
		h.target.answer(shop, func(inbox.ForwardRequest) (inbox.ForwardResponse, error) { return inbox.ForwardResponse{}, errRefused })
		h.accept("a", "push", "{}")
		h.pass(20 * time.Hour)
		h.wantState("a", "pending")
		h.pass(10 * time.Hour)
		h.wantState("a", "dead")
		if job := h.job("a"); job.Attempts != 36 || job.Error != "connection refused" || len(h.target.sent()) != 36 {
			t.Errorf("it ended as %+v after %d attempts", job, len(h.target.sent()))
		}
		h.pass(10 * time.Hour)
		if h.meter.count("forwarded dead") != 1 || len(h.target.sent()) != 36 {
			t.Errorf("counted %v", h.meter.counts)
		}
	})
}

// slowPolls keeps tests in which days pass fast.
func slowPolls() serving.Config {
	config := serving.DefaultConfig()
	config.PollInterval = time.Minute
	return config
}

func TestRetryAfterIsRespected(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop)}, func(h *harness) {
		h.target.answer(shop, func(s inbox.ForwardRequest) (inbox.ForwardResponse, error) {
			if s.Attempt == 1 {
				return inbox.ForwardResponse{Status: 503, RetryAfter: 10 * time.Minute}, nil
			}
			return inbox.ForwardResponse{Status: 200}, nil
		})
		h.accept("a", "push", "{}")
		h.pass(9*time.Minute + 50*time.Second)
		h.target.want(h, "a 1")
		h.pass(20 * time.Second)
		h.target.want(h, "a 1", "a 2")
	})
}

func TestAResponse410EndsADeliveryAtOnce(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop)}, func(h *harness) {
		h.target.answer(shop, status(410))
		h.accept("a", "push", "{}")
		h.pass(time.Hour)
		h.target.want(h, "a 1")
		h.wantState("a", "dead")
		if job := h.job("a"); job.Status != 410 || h.meter.count("forwarded gone") != 1 {
			t.Errorf("it ended as %+v", job)
		}
	})
}

func TestAfterTenFailuresATargetGetsOneAttemptEvery30Seconds(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop)}, func(h *harness) {
		h.target.answer(shop, status(500))
		for i := range 50 {
			h.accept(fmt.Sprint(i), "push", "{}")
		}
		h.pass(5 * time.Second)
		tried := len(h.target.sent())
		if tried < 10 || tried > 10+2*inbox.DefaultConcurrency {
			t.Fatalf("%d attempts until the circuit opened", tried)
		}
		h.pass(5 * time.Minute)
		if more := len(h.target.sent()) - tried; more < 8 || more > 11 {
			t.Errorf("%d attempts in the five minutes after", more)
		}
		h.target.answer(shop, status(200))
		h.pass(35 * time.Second)
		h.pass(10 * time.Minute)
		for i := range 50 {
			h.wantState(fmt.Sprint(i), "delivered")
		}
	})
}

func TestADeadTargetDoesNotDelayOthers(t *testing.T) {
	run(t, setup{rules: rules("push="+shop, "push="+press)}, func(h *harness) {
		h.target.answer(shop, takes(time.Hour)) // beyond the rule's timeout
		for i := range 100 {
			h.accept(fmt.Sprint(i), "push", "{}")
		}
		h.pass(5 * time.Second)
		reached := 0
		for _, s := range h.target.got {
			if s.URL == press {
				reached++
			}
		}
		if reached != 100 {
			t.Errorf("%d deliveries reached the other target, want 100", reached)
		}
		h.target.answer(shop, status(200))
		h.pass(2 * time.Hour)
	})
}

func TestARuleSendsConcurrentlyUpToItsLimit(t *testing.T) {
	three := rules("push=" + shop)
	three[0].Concurrency = 3
	run(t, setup{rules: three}, func(h *harness) {
		h.target.answer(shop, takes(time.Second))
		for i := range 30 {
			h.accept(fmt.Sprint(i), "push", "{}")
		}
		h.pass(time.Minute)
		if h.target.busiest != 3 || len(h.target.sent()) != 30 {
			t.Errorf("%d at once, %d in all", h.target.busiest, len(h.target.sent()))
		}
	})
}

func TestDeliveriesWithTheSameOrderKeyAreSentInOrder(t *testing.T) {
	ordered := rules("push=" + shop)
	ordered[0].OrderBy = "$.repository.id"
	run(t, setup{rules: ordered}, func(h *harness) {
		h.target.answer(shop, func(s inbox.ForwardRequest) (inbox.ForwardResponse, error) {
			if s.ID == "7-0" && s.Attempt <= 3 {
				return inbox.ForwardResponse{Status: 500}, nil
			}
			return inbox.ForwardResponse{Status: 200}, nil
		})
		for i := range 3 {
			for _, repository := range []int{7, 8} {
				h.accept(fmt.Sprint(repository, "-", i), "push", fmt.Sprintf(`{"repository":{"id":%d}}`, repository))
			}
		}
		h.pass(time.Second)
		if got := withPrefix(h.target.sent(), "8-"); !slices.Equal(got, []string{"8-0 1", "8-1 1", "8-2 1"}) {
			t.Errorf("the other repository was delayed: %v", got)
		}
		h.pass(time.Minute)
		if got := withPrefix(h.target.sent(), "7-"); !slices.Equal(got, []string{"7-0 1", "7-0 2", "7-0 3", "7-0 4", "7-1 1", "7-2 1"}) {
			t.Errorf("sent %v", got)
		}
	})
}

// withPrefix returns the elements with this prefix.
func withPrefix(list []string, prefix string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return !strings.HasPrefix(s, prefix) })
}
