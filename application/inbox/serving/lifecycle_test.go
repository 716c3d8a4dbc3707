package serving_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/meminbox"
	"github.com/octavo-books/octavo/test/must"
)

func TestARedeliveryIsSentAgainAndMarked(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop)}, func(h *harness) {
		h.target.answer(shop, status(410))
		h.accept("a", "push", "{}")
		h.settle()
		h.target.answer(shop, status(200))
		if n, err := h.svc.Redeliver(h.Context(), "", "a"); n != 1 || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
		h.settle()
		if last := h.target.got[len(h.target.got)-1]; !last.Redelivery || last.Attempt != 1 || last.ID != "a" {
			t.Errorf("sent %+v", last)
		}
		h.wantState("a", "delivered")
		h.accept("b", "ping", "{}")
		must.Refuse(t, must.Err(h.svc.Redeliver(h.Context(), "", "b")), inbox.ErrNoTarget, "without a rule")
		must.Refuse(t, must.Err(h.svc.Redeliver(h.Context(), "", "c")), inbox.ErrNotFound, "unknown")
	})
}

func TestAllDeadLettersAreRedeliveredOnce(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop)}, func(h *harness) {
		h.target.answer(shop, status(410))
		for i := range 250 {
			h.accept(fmt.Sprint(i), "push", "{}")
		}
		h.pass(time.Minute)
		h.target.answer(shop, status(200))
		admin := h.otherProcess() // another process
		if done, err := admin.RedeliverAll(h.Context(), inbox.Query{State: "dead"}); done != (inbox.RedeliveryReport{Deliveries: 250}) || err != nil {
			t.Fatalf("%+v, %v", done, err)
		}
		h.pass(time.Minute)
		if len(h.target.sent()) != 500 {
			t.Errorf("%d sends", len(h.target.sent()))
		}
		if page, _, err := admin.ListDeliveries(h.Context(), inbox.Query{State: "dead"}); len(page) != 0 || err != nil {
			t.Errorf("%d are dead, %v", len(page), err)
		}
	})
}

func TestADeadLetterWithoutAMatchingRuleStaysDead(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop)}, func(h *harness) {
		h.target.answer(shop, status(410))
		h.accept("a", "push", "{}")
		h.settle()
		other := h.otherProcess()
		for name, changed := range map[string][]inbox.Rule{"without rules": nil, "with others": rules("ping=" + shop)} {
			h.setRules(changed...)
			h.pass(2 * time.Second)
			for _, admin := range []*inbox.Admin{h.svc.Admin, other} {
				must.Refuse(t, must.Err(admin.Redeliver(t.Context(), "", "a")), inbox.ErrNoTarget, name)
				if done, err := admin.RedeliverAll(t.Context(), inbox.Query{}); done != (inbox.RedeliveryReport{NoTarget: 1}) || err != nil {
					t.Errorf("%s all: %+v, %v", name, done, err)
				}
			}
			h.wantState("a", "dead")
		}
		h.setRules(rules("*=" + press)...)
		h.pass(2 * time.Second)
		if n, err := other.Redeliver(t.Context(), "", "a"); n != 1 || err != nil {
			t.Errorf("with a rule again: %d, %v", n, err)
		}
		h.pass(2 * time.Second)
		h.wantState("a", "delivered")
	})
}

// failingRuleStore fails the first saves.
type failingRuleStore struct {
	inbox.Store
	failures int
}

func (f *failingRuleStore) SaveRules(ctx context.Context, rules []inbox.Rule) error {
	if f.failures--; f.failures >= 0 {
		return errDisk
	}
	return f.Store.SaveRules(ctx, rules)
}

func TestRulesThatCouldNotBePublishedArePublishedLater(t *testing.T) {
	failing := &failingRuleStore{}
	run(t, setup{store: func(m *meminbox.Inbox) inbox.Store { failing.Store = m; return failing }}, func(h *harness) {
		failing.failures = 3
		h.setRules(rules("push=" + shop)...)
		must.Refuse(t, h.svc.PublishRules(t.Context()), errDisk, "publishing at once")
		h.pass(10 * time.Second)
		if got, err := h.store.LoadRules(t.Context()); len(got) != 1 || err != nil {
			t.Errorf("published %+v, %v", got, err)
		}
	})
}

func TestPendingJobsAreDueAtTheNextStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := meminbox.New()
		s := setup{rules: rules("push="+shop, "ping="+press)}
		h := start(t, s, store)
		h.target.answer(shop, status(500))
		h.target.answer(press, status(500))
		h.accept("a", "push", "{}")
		h.accept("b", "ping", "{}")
		h.pass(30 * time.Minute)
		h.end()
		again := start(t, setup{rules: rules("push=" + shop)}, store)
		again.settle()
		again.wantState("a", "delivered")
		again.wantState("b", "dead") // its rule was removed
		if job := again.job("b"); !strings.Contains(job.Error, "rule") {
			t.Errorf("its error is %q", job.Error)
		}
		again.end()
	})
}

func TestAShutdownFinishesRunningSendsAndReturnsTheOtherJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := rules("push=" + shop)
		one[0].Concurrency = 1
		h := start(t, setup{rules: one}, meminbox.New())
		h.target.answer(shop, takes(2*time.Second))
		h.accept("a", "push", "{}")
		h.accept("b", "push", "{}")
		h.settle()
		h.end()
		h.wantState("a", "delivered")
		h.wantState("b", "pending")
		if job := h.job("b"); job.Attempts != 0 || !job.LeaseUntil.IsZero() {
			t.Errorf("the job that was not sent is %+v", job)
		}
		must.Refuse(t, h.svc.Accept(h.Context(), webhook.Event{ID: "c", Name: "push", Payload: []byte("{}")}, ""), inbox.ErrStopped, "accepting after the shutdown")
	})
}

func TestASendBeyondTheGracePeriodIsAbortedAndNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, setup{rules: rules("push=" + shop)}, meminbox.New())
		h.target.answer(shop, takes(9*time.Second))
		h.accept("a", "push", "{}")
		h.settle()
		h.end()
		if job := h.job("a"); job.State != inbox.Open || job.Attempts != 0 {
			t.Errorf("it is %+v", job)
		}
	})
}

func TestRulesAreReplacedWhileRunning(t *testing.T) {
	run(t, setup{rules: rules("push="+shop, "ping="+shop)}, func(h *harness) {
		h.target.answer(shop, takes(time.Second))
		h.accept("begun", "push", "{}")
		h.settle()
		must.Do(t, h.svc.SetRules(rules("push="+press, "ping="+shop), "another secret"))
		h.accept("after", "push", "{}")
		h.accept("kept", "ping", "{}")
		h.pass(time.Minute)
		for _, id := range []string{"begun", "after", "kept"} {
			h.wantState(id, "delivered")
		}
		key, _ := webhook.NewKey("another secret")
		for _, s := range h.target.got {
			if want := map[string]string{"begun": shop, "after": press, "kept": shop}[s.ID]; s.URL != want {
				t.Errorf("%s went to %s", s.ID, s.URL)
			}
			if s.ID != "begun" && s.Signature != key.Sign(s.Payload).String() {
				t.Errorf("%s is signed with the old secret", s.ID)
			}
		}
		before := h.svc.Rules()
		must.Refuse(t, h.svc.SetRules(rules("push="+press, "push="+press), secret), inbox.ErrRule, "the same rule twice")
		if !reflect.DeepEqual(h.svc.Rules(), before) {
			t.Error("a refused change changed the rules")
		}
	})
}
