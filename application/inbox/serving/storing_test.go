package serving_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/serving"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/meminbox"
	"github.com/octavo-books/octavo/test/must"
)

// slowStore stores after a wait.
type slowStore struct {
	inbox.Store
	wait  time.Duration
	fails func(inbox.Batch) bool
	sizes []int
}

var errDisk = errors.New("no space left on device")

func (s *slowStore) CommitBatch(ctx context.Context, b inbox.Batch) ([]bool, error) {
	<-time.After(s.wait)
	s.sizes = append(s.sizes, len(b.Deliveries))
	if s.fails != nil && s.fails(b) {
		return nil, errDisk
	}
	return s.Store.CommitBatch(ctx, b)
}

func TestWaitingDeliveriesAreStoredTogether(t *testing.T) {
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

func TestOneBadDeliveryDoesNotFailTheOthers(t *testing.T) {
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
			t.Errorf("%d were sent, want 9", n)
		}
	})
}

func TestADeliveryIsStoredEvenIfAReplicaHasGeneratedTheSameIDs(t *testing.T) {
	var taken int64
	slow := &slowStore{fails: func(b inbox.Batch) bool {
		if len(b.Deliveries) == 0 {
			return false
		}
		taken = cmp.Or(taken, b.Deliveries[0].Seq)
		return slices.ContainsFunc(b.Deliveries, func(d inbox.Delivery) bool { return d.Seq == taken || d.Jobs[0].Seq == taken })
	}}
	run(t, setup{rules: rules("push=" + shop), store: func(m *meminbox.Inbox) inbox.Store { slow.Store = m; return slow }}, func(h *harness) {
		h.accept("a", "push", "{}")
		h.pass(time.Minute)
		if n := len(h.target.sent()); n != 1 {
			t.Errorf("%d were sent, want 1", n)
		}
	})
}

func TestAJobWhoseOutcomeWasLostIsSentAgain(t *testing.T) {
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

func TestDeliveriesBeyondTheBufferAreRefused(t *testing.T) {
	config := serving.DefaultConfig()
	config.MaxBuffered, config.MaxBufferedBytes = 2, 1<<20
	slow := &slowStore{wait: time.Minute}
	run(t, setup{config: config, store: func(m *meminbox.Inbox) inbox.Store { slow.Store = m; return slow }}, func(h *harness) {
		accept := func(id string, size int) error {
			ctx, cancel := context.WithTimeout(h.Context(), time.Second)
			defer cancel()
			return h.svc.Accept(ctx, webhook.Event{ID: id, Name: "push", Payload: make([]byte, size)}, "")
		}
		for _, id := range []string{"being stored", "first", "second"} {
			must.Refuse(t, accept(id, 10), context.DeadlineExceeded, id)
		}
		must.Refuse(t, accept("third", 10), inbox.ErrFull, "too many")
		h.pass(10 * time.Minute)
		must.Refuse(t, accept("huge", 25<<20), context.DeadlineExceeded, "a single large delivery")
		must.Refuse(t, accept("small", 10), inbox.ErrFull, "too many bytes")
		if h.meter.count("accepted full") != 2 {
			t.Errorf("counted %v", h.meter.counts)
		}
		h.pass(10 * time.Minute)
	})
}

func TestDeliveriesBeyondThePendingLimitAreRefused(t *testing.T) {
	config := serving.DefaultConfig()
	config.MaxPending = 5
	run(t, setup{rules: rules("push=" + shop), config: config}, func(h *harness) {
		h.target.answer(shop, status(500))
		for i := range 5 {
			h.accept(fmt.Sprint(i), "push", "{}")
		}
		must.Refuse(t, h.svc.Accept(h.Context(), webhook.Event{ID: "6", Name: "push", Payload: []byte("{}")}, ""), inbox.ErrFull)
		h.target.answer(shop, status(200))
		h.pass(time.Hour)
		h.accept("6", "push", "{}")
	})
}

func TestADeliveryWithoutAnIDIsRefused(t *testing.T) {
	run(t, setup{}, func(h *harness) {
		must.Refuse(t, h.svc.Accept(h.Context(), webhook.Event{Name: "push", Payload: []byte("{}")}, ""), inbox.ErrNoID)
	})
}

// damaging returns claimed jobs that were tried before with a damaged payload. It spares
// the first try, which the service makes either from memory or from the store.
type damaging struct{ inbox.Store }

func (q damaging) ClaimJobs(ctx context.Context, c inbox.Claim) ([]inbox.Task, error) {
	tasks, err := q.Store.ClaimJobs(ctx, c)
	for i := range tasks {
		if tasks[i].Attempts > 1 { // this one included
			tasks[i].Payload, tasks[i].Damaged = nil, true
		}
	}
	return tasks, err
}

func TestADamagedPayloadBecomesADeadLetterWithThatError(t *testing.T) {
	queue := func(store *meminbox.Inbox) inbox.Store { return damaging{store} }
	run(t, setup{rules: rules("push=" + shop), store: queue}, func(h *harness) {
		h.target.answer(shop, status(500))
		h.accept("a", "push", "{}")
		h.pass(time.Minute) // the second try is claimed from the store
		h.target.want(h, "a 1")
		if job := h.job("a"); job.State != inbox.Dead || job.Error != inbox.ErrPayloadDamaged.Msg {
			t.Errorf("the job is %+v", job)
		}
	})
}

func TestTheBacklogIsMeasuredAndOldPayloadsArePruned(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop), config: slowPolls()}, func(h *harness) {
		h.target.answer(shop, status(500))
		h.accept("a", "push", "{}")
		h.accept("b", "ping", "{}")
		h.pass(time.Hour)
		if stats, oldest := h.meter.waiting(); stats.Open != 1 || oldest < 59*time.Minute {
			t.Errorf("measured %+v, %s", stats, oldest)
		}
		h.pass(8 * 24 * time.Hour)
		if d, err := h.svc.FindDelivery(h.Context(), "", "b"); err != nil || d.Payload != nil {
			t.Errorf("after eight days: %v, %v", d, err)
		}
		must.Refuse(t, must.Err(h.svc.Redeliver(h.Context(), "", "b")), inbox.ErrPayloadGone, "redelivering it")
	})
}

func TestDeliveriesBeyondTheMaximumArePrunedWithinAMinute(t *testing.T) {
	config := serving.DefaultConfig()
	config.MaxDeliveries = 10
	run(t, setup{rules: rules("push=" + shop), config: config}, func(h *harness) {
		h.target.answer(shop, status(500))
		for n := range 5 {
			h.accept(fmt.Sprint("waits ", n), "push", "{}")
		}
		for n := range 25 {
			h.accept(fmt.Sprint(n), "ping", "{}")
		}
		h.pass(time.Minute)
		page, _, err := h.svc.ListDeliveries(h.Context(), inbox.Query{})
		if err != nil || len(page) != 15 || page[0].ID != "24" || page[9].ID != "15" || page[10].ID != "waits 4" {
			t.Errorf("%d are left: %+v, %v", len(page), page, err)
		}
	})
}
