package inbox_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/memstore/meminbox"
)

// wantOrphan requires a delivery to be dead because its rule is gone.
func (h *harness) wantOrphan(id string) {
	h.Helper()
	h.wantState(id, "dead")
	if job := h.job(id); !strings.Contains(job.Error, "rule") {
		h.Errorf("it died of %q", job.Error)
	}
}

func (h *harness) setRules(rules ...inbox.Rule) {
	h.Helper()
	if err := h.svc.SetRules(rules, secret); err != nil {
		h.Fatal(err)
	}
}

func TestWhatIsBeingSentWhenItsRuleGoesBecomesADeadLetter(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop)}, func(h *harness) {
		h.target.answer(shop, func(inbox.Shipment) (inbox.Answer, error) {
			<-time.After(5 * time.Second)
			return inbox.Answer{Status: 500}, nil
		})
		h.accept("a", "push", "{}")
		h.settle()
		h.setRules()
		h.pass(4 * time.Second)
		h.wantState("a", "pending") // it may yet arrive
		h.pass(time.Minute)
		h.wantOrphan("a")
		h.target.want(h, "a 1")
	})
}

func TestWhatAVanishedProcessWasSendingBecomesADeadLetterIfItsRuleIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, now := meminbox.New(), time.Now()
		lent := inbox.Job{ID: ids.Next(), Seq: ids.Next(), Rule: "push=" + shop, DueAt: now, LeaseUntil: now.Add(5 * time.Minute), Attempts: 1}
		d := inbox.Delivery{Seq: lent.Seq, ID: "a", Event: "push", ReceivedAt: now, Payload: []byte("{}"), Jobs: []inbox.Job{lent}}
		if _, err := store.Commit(t.Context(), inbox.Batch{Deliveries: []inbox.Delivery{d}}); err != nil {
			t.Fatal(err)
		}
		h := start(t, setup{queue: func(store *meminbox.Inbox) inbox.Queue { return keepingLeases{store} }}, store)
		h.pass(time.Minute)
		h.wantState("a", "pending") // nobody knows yet that its sender is gone
		h.pass(15 * time.Minute)
		h.wantOrphan("a")
		h.end()
	})
}

// keepingLeases is a store that others share.
type keepingLeases struct{ inbox.Queue }

func (keepingLeases) Recover(context.Context, time.Time) error { return nil }

func TestWhatIsClaimedWhileItsRuleMovesGoesToTheNewURLAtOnce(t *testing.T) {
	slow := func(store *meminbox.Inbox) inbox.Queue { return slowClaims{store} }
	moving, err := inbox.Rule{Name: "moves", Match: "push", URL: shop, OrderBy: "id"}.Complete() // in order: claimed from the store
	if err != nil {
		t.Fatal(err)
	}
	run(t, setup{rules: []inbox.Rule{moving}, queue: slow}, func(h *harness) {
		h.settle() // the first claim has found nothing
		h.accept("a", "push", `{"id":1}`)
		h.pass(1500 * time.Millisecond) // the claim that finds it takes until 2 s
		moving.URL = press
		h.setRules(moving)
		h.pass(5 * time.Second)
		if len(h.target.got) != 1 || h.target.got[0].URL != press {
			t.Errorf("sent %+v", h.target.got)
		}
	})
}

// slowClaims takes a second to tell what was claimed, and tells it even after the
// asker has left.
type slowClaims struct{ inbox.Queue }

func (q slowClaims) Claim(ctx context.Context, c inbox.Claim) ([]inbox.Task, error) {
	tasks, err := q.Queue.Claim(ctx, c)
	<-time.After(time.Second)
	return tasks, err
}
