package inbox_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/meminbox"
	"github.com/octavo-books/octavo/test/must"
)

// wantOrphan requires a delivery to be dead because its rule was removed.
func (h *harness) wantOrphan(id string) {
	h.Helper()
	h.wantState(id, "dead")
	if job := h.job(id); !strings.Contains(job.Error, "rule") {
		h.Errorf("its error is %q", job.Error)
	}
}

func (h *harness) setRules(rules ...inbox.Rule) {
	h.Helper()
	must.Do(h, h.svc.SetRules(rules, secret))
}

func TestAJobWhoseRuleIsRemovedDuringAFailingSendBecomesADeadLetter(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop)}, func(h *harness) {
		h.target.answer(shop, func(inbox.ForwardRequest) (inbox.ForwardResponse, error) {
			<-time.After(5 * time.Second)
			return inbox.ForwardResponse{Status: 500}, nil
		})
		h.accept("a", "push", "{}")
		h.settle()
		h.setRules()
		h.pass(4 * time.Second)
		h.wantState("a", "pending") // the send may still succeed
		h.pass(time.Minute)
		h.wantOrphan("a")
		h.target.want(h, "a 1")
	})
}

func TestAJobOfADeadProcessBecomesADeadLetterIfItsRuleWasRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, now := meminbox.New(), time.Now()
		leased := inbox.Job{ID: ids.Next(), Seq: ids.Next(), Rule: "push=" + shop, DueAt: now, LeaseUntil: now.Add(5 * time.Minute), Attempts: 1}
		d := inbox.Delivery{Seq: leased.Seq, ID: "a", Event: "push", ReceivedAt: now, Payload: []byte("{}"), Jobs: []inbox.Job{leased}}
		must.Get(store.CommitBatch(t.Context(), inbox.Batch{Deliveries: []inbox.Delivery{d}}))(t)
		h := start(t, setup{queue: func(store *meminbox.Inbox) inbox.JobQueue { return keepingLeases{store} }}, store)
		h.pass(time.Minute)
		h.wantState("a", "pending") // the lease has not expired
		h.pass(15 * time.Minute)
		h.wantOrphan("a")
		h.end()
	})
}

// keepingLeases does not end the leases at start, like a store that replicas share.
type keepingLeases struct{ inbox.JobQueue }

func (keepingLeases) RequeueJobs(context.Context, time.Time) error { return nil }

func TestAJobClaimedWhileItsRuleChangesGoesToTheNewURLAtOnce(t *testing.T) {
	slow := func(store *meminbox.Inbox) inbox.JobQueue { return slowClaims{store} }
	moving, err := inbox.Rule{Name: "moves", Match: "push", URL: shop, OrderBy: "id"}.Complete() // in order: claimed from the store
	must.Do(t, err)
	run(t, setup{rules: []inbox.Rule{moving}, queue: slow}, func(h *harness) {
		h.settle() // the first claim finds nothing
		h.accept("a", "push", `{"id":1}`)
		h.pass(1500 * time.Millisecond) // the claim that finds it lasts until 2 s
		moving.URL = press
		h.setRules(moving)
		h.pass(5 * time.Second)
		if len(h.target.got) != 1 || h.target.got[0].URL != press {
			t.Errorf("sent %+v", h.target.got)
		}
	})
}

// slowClaims returns claimed jobs after a second, even when the context has ended.
type slowClaims struct{ inbox.JobQueue }

func (q slowClaims) ClaimJobs(ctx context.Context, c inbox.Claim) ([]inbox.Task, error) {
	tasks, err := q.JobQueue.ClaimJobs(ctx, c)
	<-time.After(time.Second)
	return tasks, err
}
