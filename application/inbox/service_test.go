package inbox_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octavo-books/octavo/adapters/memstore/meminbox"
	"github.com/octavo-books/octavo/application/inbox"
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

func TestARepeatIsAcknowledgedAndNotRunAgain(t *testing.T) {
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

func TestAReplayUnderAnotherIDIsHeldOffForTheWindow(t *testing.T) {
	config := inbox.DefaultConfig()
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

func TestAFailureIsTriedAgainAfterAGrowingWait(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop)}, func(h *harness) {
		h.target.answer(shop, status(500))
		h.accept("a", "push", "{}")
		h.pass(10 * time.Minute)
		h.target.answer(shop, status(204))
		h.pass(10 * time.Minute)
		h.wantState("a", "delivered")
		for i := 1; i < len(h.target.at); i++ {
			wait, want := h.target.at[i].Sub(h.target.at[i-1]), time.Second<<(i-1)
			if wait < want*8/10 || wait > want*12/10+time.Second { // found by the next scan
				t.Errorf("try %d came after %s", i+1, wait)
			}
			if h.target.got[i].Attempt != i+1 {
				t.Errorf("try %d says it is attempt %d", i+1, h.target.got[i].Attempt)
			}
		}
	})
}

func TestADeadTargetIsGivenUpAfterAboutADay(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop), config: slowScans()}, func(h *harness) {
		h.target.answer(shop, func(inbox.Shipment) (inbox.Answer, error) { return inbox.Answer{}, errRefused })
		h.accept("a", "push", "{}")
		h.pass(20 * time.Hour)
		h.wantState("a", "pending")
		h.pass(10 * time.Hour)
		h.wantState("a", "dead")
		if job := h.job("a"); job.Attempts != 36 || job.Error != "connection refused" || len(h.target.sent()) != 36 {
			t.Errorf("it ended as %+v after %d tries", job, len(h.target.sent()))
		}
		h.pass(10 * time.Hour)
		if h.meter.count("forwarded dead") != 1 || len(h.target.sent()) != 36 {
			t.Errorf("counted %v", h.meter.counts)
		}
	})
}

// slowScans is for tests in which days pass.
func slowScans() inbox.Config {
	config := inbox.DefaultConfig()
	config.ScanEvery = time.Minute
	return config
}

func TestRetryAfterIsRespected(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop)}, func(h *harness) {
		h.target.answer(shop, func(s inbox.Shipment) (inbox.Answer, error) {
			if s.Attempt == 1 {
				return inbox.Answer{Status: 503, RetryAfter: 10 * time.Minute}, nil
			}
			return inbox.Answer{Status: 200}, nil
		})
		h.accept("a", "push", "{}")
		h.pass(9*time.Minute + 50*time.Second)
		h.target.want(h, "a 1")
		h.pass(20 * time.Second)
		h.target.want(h, "a 1", "a 2")
	})
}

func TestGoneEndsItAtOnce(t *testing.T) {
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

func TestAfterTenFailuresATargetIsTriedEvery30Seconds(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop)}, func(h *harness) {
		h.target.answer(shop, status(500))
		for i := range 50 {
			h.accept(fmt.Sprint(i), "push", "{}")
		}
		h.pass(5 * time.Second)
		tried := len(h.target.sent())
		if tried < 10 || tried > 10+2*inbox.DefaultConcurrency {
			t.Fatalf("%d tries until the circuit opened", tried)
		}
		h.pass(5 * time.Minute)
		if more := len(h.target.sent()) - tried; more < 8 || more > 11 {
			t.Errorf("%d tries in the five minutes after", more)
		}
		h.target.answer(shop, status(200))
		h.pass(35 * time.Second)
		h.pass(10 * time.Minute)
		for i := range 50 {
			h.wantState(fmt.Sprint(i), "delivered")
		}
	})
}

func TestADeadTargetHoldsUpNoOther(t *testing.T) {
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
			t.Errorf("%d reached the other target", reached)
		}
		h.target.answer(shop, status(200))
		h.pass(2 * time.Hour)
	})
}

func TestARuleSendsAsManyAtOnceAsItSays(t *testing.T) {
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

func TestDeliveriesWithTheSameValueGoInOrder(t *testing.T) {
	ordered := rules("push=" + shop)
	ordered[0].OrderBy = "$.repository.id"
	run(t, setup{rules: ordered}, func(h *harness) {
		h.target.answer(shop, func(s inbox.Shipment) (inbox.Answer, error) {
			if s.ID == "7-0" && s.Attempt <= 3 {
				return inbox.Answer{Status: 500}, nil
			}
			return inbox.Answer{Status: 200}, nil
		})
		for i := range 3 {
			for _, repository := range []int{7, 8} {
				h.accept(fmt.Sprint(repository, "-", i), "push", fmt.Sprintf(`{"repository":{"id":%d}}`, repository))
			}
		}
		h.pass(time.Second)
		if got := of(h.target.sent(), "8-"); !slices.Equal(got, []string{"8-0 1", "8-1 1", "8-2 1"}) {
			t.Errorf("the other repository was held up: %v", got)
		}
		h.pass(time.Minute)
		if got := of(h.target.sent(), "7-"); !slices.Equal(got, []string{"7-0 1", "7-0 2", "7-0 3", "7-0 4", "7-1 1", "7-2 1"}) {
			t.Errorf("sent %v", got)
		}
	})
}

// of keeps what begins so.
func of(list []string, prefix string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return !strings.HasPrefix(s, prefix) })
}

func TestRedeliveringSendsAgainAndSaysSo(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop)}, func(h *harness) {
		h.target.answer(shop, status(410))
		h.accept("a", "push", "{}")
		h.settle()
		h.target.answer(shop, status(200))
		if n, err := h.svc.Redeliver(h.Context(), "a"); n != 1 || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
		h.settle()
		if last := h.target.got[len(h.target.got)-1]; !last.Redelivery || last.Attempt != 1 || last.ID != "a" {
			t.Errorf("sent %+v", last)
		}
		h.wantState("a", "delivered")
		h.accept("b", "ping", "{}")
		if _, err := h.svc.Redeliver(h.Context(), "b"); !errors.Is(err, inbox.ErrNoTarget) {
			t.Errorf("without a rule: %v", err)
		}
		if _, err := h.svc.Redeliver(h.Context(), "c"); !errors.Is(err, inbox.ErrNotFound) {
			t.Errorf("unknown: %v", err)
		}
	})
}

func TestAllDeadOnesAreRedeliveredOnce(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop)}, func(h *harness) {
		h.target.answer(shop, status(410))
		for i := range 250 {
			h.accept(fmt.Sprint(i), "push", "{}")
		}
		h.pass(time.Minute)
		h.target.answer(shop, status(200))
		desk := inbox.NewDesk(h.store, clock{}, ids, nil) // another process, without the rules
		if n, err := desk.RedeliverAll(h.Context(), inbox.Query{State: "dead"}); n != 250 || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
		h.pass(time.Minute)
		if len(h.target.sent()) != 500 {
			t.Errorf("%d sends", len(h.target.sent()))
		}
		if page, _, err := desk.List(h.Context(), inbox.Query{State: "dead"}); len(page) != 0 || err != nil {
			t.Errorf("%d are dead, %v", len(page), err)
		}
	})
}

func TestWhatWasPendingIsDueAtTheNextStart(t *testing.T) {
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
		again.wantState("b", "dead") // its rule is gone
		if job := again.job("b"); !strings.Contains(job.Error, "rule") {
			t.Errorf("it died of %q", job.Error)
		}
		again.end()
	})
}

func TestStoppingLetsBegunSendsEndAndGivesTheRestBack(t *testing.T) {
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
			t.Errorf("what was not begun is %+v", job)
		}
		if err := h.svc.Accept(h.Context(), webhook.Event{ID: "c", Name: "push", Payload: []byte("{}")}, ""); !errors.Is(err, inbox.ErrStopped) {
			t.Errorf("accepting after the end: %v", err)
		}
	})
}

func TestASendBeyondTheGraceIsCutAndNotCounted(t *testing.T) {
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
		if err := h.svc.SetRules(rules("push="+press, "ping="+shop), "another secret"); err != nil {
			t.Fatal(err)
		}
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
		if err := h.svc.SetRules(rules("push="+press, "push="+press), secret); !errors.Is(err, inbox.ErrRule) {
			t.Errorf("the same rule twice: %v", err)
		}
		if !slices.Equal(h.svc.Rules(), before) {
			t.Error("a refused change has changed the rules")
		}
	})
}

// slowStore stores after a while.
type slowStore struct {
	inbox.Store
	wait  time.Duration
	fails func(inbox.Batch) bool
	sizes []int
}

var errDisk = errors.New("no space left on device")

func (s *slowStore) Commit(ctx context.Context, b inbox.Batch) ([]bool, error) {
	time.Sleep(s.wait)
	s.sizes = append(s.sizes, len(b.Deliveries))
	if s.fails != nil && s.fails(b) {
		return nil, errDisk
	}
	return s.Store.Commit(ctx, b)
}

func TestWhatWaitsIsStoredTogether(t *testing.T) {
	slow := &slowStore{wait: time.Second}
	run(t, setup{store: func(m *meminbox.Inbox) inbox.Store { slow.Store = m; return slow }}, func(h *harness) {
		var accepted atomic.Int32
		for i := range 1000 {
			go func() {
				if h.svc.Accept(h.Context(), webhook.Event{ID: fmt.Sprint(i), Name: "push", Payload: []byte("{}")}, "") == nil {
					accepted.Add(1)
				}
			}()
		}
		h.pass(10 * time.Second)
		if accepted.Load() != 1000 || len(slow.sizes) > 6 || slices.Max(slow.sizes) != 256 {
			t.Errorf("%d accepted in transactions of %v", accepted.Load(), slow.sizes)
		}
	})
}

func TestOneBadDeliveryDoesNotRefuseTheOthers(t *testing.T) {
	slow := &slowStore{wait: time.Second, fails: func(b inbox.Batch) bool {
		return slices.ContainsFunc(b.Deliveries, func(d inbox.Delivery) bool { return d.ID == "3" })
	}}
	run(t, setup{rules: rules("push=" + shop), store: func(m *meminbox.Inbox) inbox.Store { slow.Store = m; return slow }}, func(h *harness) {
		results := make([]error, 10)
		for i := range results {
			go func() {
				results[i] = h.svc.Accept(h.Context(), webhook.Event{ID: fmt.Sprint(i), Name: "push", Payload: []byte("{}")}, "")
			}()
		}
		h.pass(time.Minute)
		for i, err := range results {
			if i == 3 != errors.Is(err, inbox.ErrNotStored) || i != 3 && err != nil {
				t.Errorf("%d: %v", i, err)
			}
		}
		if n := len(h.target.sent()); n != 9 {
			t.Errorf("%d were sent", n)
		}
	})
}

func TestALostOutcomeIsTriedAgain(t *testing.T) {
	var lose atomic.Bool
	lose.Store(true)
	slow := &slowStore{fails: func(b inbox.Batch) bool { return len(b.Outcomes) > 0 && lose.Load() }}
	run(t, setup{rules: rules("push=" + shop), store: func(m *meminbox.Inbox) inbox.Store { slow.Store = m; return slow }}, func(h *harness) {
		h.accept("a", "push", "{}")
		h.settle()
		h.wantState("a", "pending")
		lose.Store(false)
		h.pass(5 * time.Minute)
		h.target.want(h, "a 1", "a 2")
		h.wantState("a", "delivered")
	})
}

func TestTooMuchWaitingIsRefused(t *testing.T) {
	config := inbox.DefaultConfig()
	config.MaxWaiting, config.MaxWaitingBytes = 2, 1<<20
	slow := &slowStore{wait: time.Minute}
	run(t, setup{config: config, store: func(m *meminbox.Inbox) inbox.Store { slow.Store = m; return slow }}, func(h *harness) {
		accept := func(id string, size int) error {
			ctx, cancel := context.WithTimeout(h.Context(), time.Second)
			defer cancel()
			return h.svc.Accept(ctx, webhook.Event{ID: id, Name: "push", Payload: make([]byte, size)}, "")
		}
		for _, id := range []string{"being stored", "first", "second"} {
			if err := accept(id, 10); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", id, err)
			}
		}
		if err := accept("third", 10); !errors.Is(err, inbox.ErrFull) {
			t.Errorf("too many: %v", err)
		}
		h.pass(10 * time.Minute)
		if err := accept("huge", 25<<20); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a large one alone: %v", err)
		}
		if err := accept("small", 10); !errors.Is(err, inbox.ErrFull) {
			t.Errorf("too many bytes: %v", err)
		}
		if h.meter.count("accepted full") != 2 {
			t.Errorf("counted %v", h.meter.counts)
		}
		h.pass(10 * time.Minute)
	})
}

func TestABacklogBeyondTheLimitIsRefused(t *testing.T) {
	config := inbox.DefaultConfig()
	config.MaxPending = 5
	run(t, setup{rules: rules("push=" + shop), config: config}, func(h *harness) {
		h.target.answer(shop, status(500))
		for i := range 5 {
			h.accept(fmt.Sprint(i), "push", "{}")
		}
		if err := h.svc.Accept(h.Context(), webhook.Event{ID: "6", Name: "push", Payload: []byte("{}")}, ""); !errors.Is(err, inbox.ErrFull) {
			t.Errorf("got %v", err)
		}
		h.target.answer(shop, status(200))
		h.pass(time.Hour)
		h.accept("6", "push", "{}")
	})
}

func TestADeliveryWithoutAnIDIsRefused(t *testing.T) {
	run(t, setup{}, func(h *harness) {
		if err := h.svc.Accept(h.Context(), webhook.Event{Name: "push", Payload: []byte("{}")}, ""); !errors.Is(err, inbox.ErrNoID) {
			t.Errorf("got %v", err)
		}
	})
}

func TestWhatWaitsIsMeteredAndWhatIsOldIsPruned(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop), config: slowScans()}, func(h *harness) {
		h.target.answer(shop, status(500))
		h.accept("a", "push", "{}")
		h.accept("b", "ping", "{}")
		h.pass(time.Hour)
		if stats, oldest := h.meter.waiting(); stats.Open != 1 || oldest < 59*time.Minute {
			t.Errorf("metered %+v, %s", stats, oldest)
		}
		h.pass(8 * 24 * time.Hour)
		if d, err := h.svc.Find(h.Context(), "b"); err != nil || d.Payload != nil {
			t.Errorf("after eight days: %v, %v", d, err)
		}
		if _, err := h.svc.Redeliver(h.Context(), "b"); !errors.Is(err, inbox.ErrPayloadGone) {
			t.Errorf("redelivering it: %v", err)
		}
	})
}
