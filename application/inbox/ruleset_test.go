package inbox_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/meminbox"
	"github.com/octavo-books/octavo/test/must"
)

// countingQueue counts the queries of the store.
type countingQueue struct {
	inbox.JobQueue
	asked atomic.Int32
}

func (q *countingQueue) ClaimJobs(ctx context.Context, c inbox.Claim) ([]inbox.Task, error) {
	q.asked.Add(1)
	return q.JobQueue.ClaimJobs(ctx, c)
}

func (q *countingQueue) DueRules(ctx context.Context, now time.Time) ([]string, time.Time, error) {
	q.asked.Add(1)
	return q.JobQueue.DueRules(ctx, now)
}

// Otherwise a thousand rules would take a core of the database without a delivery.
func TestRulesWithoutJobsDoNotQueryTheStore(t *testing.T) {
	var all []inbox.Rule
	for i := range 100 {
		all = append(all, inbox.Rule{Name: fmt.Sprint("r", i), Match: "push", URL: shop, Concurrency: 1})
	}
	queue := &countingQueue{}
	wrap := func(store *meminbox.Inbox) inbox.JobQueue { queue.JobQueue = store; return queue }
	run(t, setup{rules: all, queue: wrap}, func(h *harness) {
		h.settle()
		started := queue.asked.Load()
		<-time.After(10 * inbox.DefaultConfig().PollInterval)
		if n := queue.asked.Load() - started; n > 20 {
			h.Errorf("100 rules without jobs queried the store %d times in ten intervals", n)
		}
	})
}

// The matching rules are cached for a bounded number of events. Each delivery goes to the targets of
// the current rules, also with more events and after a change of the rules.
func TestEachOfManyEventsIsForwardedByTheRulesThatMatchNow(t *testing.T) {
	const events = 5000
	run(t, setup{rules: []inbox.Rule{{Name: "odd", Source: "ci", Match: "*1\n*3", URL: shop, Concurrency: 256}}}, func(h *harness) {
		for round := range 2 {
			for i := range events {
				h.acceptFrom("ci", fmt.Sprint(round, "-", i), webhook.EventName(fmt.Sprint("e", i)), "")
			}
			h.settle()
			must.Do(h, h.svc.SetRules([]inbox.Rule{{Name: "odd", Source: "ci", Match: "*5", URL: shop, Concurrency: 256}}, secret))
		}
		first, second := 0, 0
		for _, r := range h.target.got {
			if strings.HasPrefix(r.ID, "ci:0") {
				first++
			} else {
				second++
			}
		}
		if first != events/5 || second != events/10 {
			h.Errorf("forwarded %d, then %d", first, second)
		}
	})
}
