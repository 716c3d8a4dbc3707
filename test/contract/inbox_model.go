package contract

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/meminbox"
	"github.com/octavo-books/octavo/test/must"
)

// InboxModel runs random sequences of calls on a store and on the inbox in memory and
// requires the same answers. It runs few, because a store on a disk is slow.
func InboxModel(t *testing.T, store InboxStore) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	sequences, differ := 0, false
	rapid.Check(t, func(rt *rapid.T) {
		if sequences++; sequences > 25 && !differ { // after a difference, rapid shrinks the sequence
			return
		}
		m := &inboxModel{T: rt, ctx: ctx, now: monday, store: store, model: meminbox.New(), differ: &differ}
		m.empty()
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			m.step()
		}
	})
}

// inboxModel is a store with its model.
type inboxModel struct {
	*rapid.T
	ctx          context.Context //nolint:containedctx // it lives as long as the test
	now          time.Time
	last         int64
	claimed      []inbox.Task
	store, model InboxStore
	differ       *bool // set at the first difference
}

var modelRules = []string{"push=http://127.0.0.1:1/", "*=http://127.0.0.1:2/"}

// empty deletes what an earlier sequence has left.
func (m *inboxModel) empty() {
	later := monday.Add(1000 * time.Hour)
	must.Get(m.store.DeadLetterJobs(m.ctx, nil, "over", later))(m)
	m.prune(inbox.Retention{PayloadsBefore: later, DeliveriesBefore: later, Now: later})
}

// prune prunes both until nothing is left to prune. The stores take different steps.
func (m *inboxModel) prune(p inbox.Retention) {
	for _, store := range []InboxStore{m.store, m.model} {
		step, more, err := store.PruneDeliveries(m.ctx, p)
		for more && err == nil {
			step, more, err = store.PruneDeliveries(m.ctx, step)
		}
		must.Do(m, err)
	}
}

// step runs one random call on both and compares.
func (m *inboxModel) step() {
	m.now = m.now.Add(time.Duration(rapid.IntRange(0, 40).Draw(m.T, "seconds")) * time.Second)
	switch rapid.SampledFrom([]string{"deliver", "deliver", "claim", "claim", "outcome", "redeliver", "dead-letter", "prune"}).Draw(m.T, "step") {
	case "deliver":
		m.deliver()
	case "claim":
		c := inbox.Claim{Rule: rapid.SampledFrom(modelRules).Draw(m.T, "rule"), Now: m.now, LeaseUntil: m.now.Add(lease), Limit: rapid.IntRange(1, 3).Draw(m.T, "limit")}
		got, err := m.store.ClaimJobs(m.ctx, c)
		want, wantErr := m.model.ClaimJobs(m.ctx, c)
		m.same("claim", got, err, want, wantErr)
		m.claimed = append(m.claimed, want...)
	case "outcome":
		m.recordOutcome()
	case "redeliver":
		m.redeliver()
	case "dead-letter":
		rules := modelRules[:rapid.IntRange(0, 2).Draw(m.T, "rules")]
		got, err := m.store.DeadLetterJobs(m.ctx, rules, "gone", m.now)
		want, wantErr := m.model.DeadLetterJobs(m.ctx, rules, "gone", m.now)
		m.same("dead-letter", got, err, want, wantErr)
	case "prune":
		most := rapid.SampledFrom([]int{3, 1000}).Draw(m.T, "most")
		p := inbox.Retention{PayloadsBefore: m.now.Add(-2 * time.Minute), DeliveriesBefore: m.now.Add(-4 * time.Minute), Now: m.now}
		seq, err := m.store.FindExcess(m.ctx, most)
		wantSeq, wantErr := m.model.FindExcess(m.ctx, most)
		m.same("excess", seq, err, wantSeq, wantErr)
		p.UpTo = seq
		m.prune(p)
	}
	m.compare()
}

// deliver stores one or two deliveries, some of them duplicates.
func (m *inboxModel) deliver() {
	var b inbox.Batch
	for range rapid.IntRange(1, 2).Draw(m.T, "deliveries") {
		m.last += 10
		d := inbox.Delivery{Seq: m.last, Source: rapid.SampledFrom([]string{inbox.DefaultSource, "ci"}).Draw(m.T, "source"), ID: fmt.Sprint(len(b.Deliveries), rapid.IntRange(0, 20).Draw(m.T, "id")), Event: "push", ReceivedAt: m.now, Payload: []byte("{}")}
		for i, rule := range modelRules {
			job := inbox.Job{ID: m.last + int64(i), Seq: m.last, Rule: rule, DueAt: m.now, ChangedAt: m.now, OrderKey: rapid.SampledFrom([]string{"", "a", "b"}).Draw(m.T, "key")}
			if rapid.Bool().Draw(m.T, "leased") {
				job.Attempts, job.LeaseUntil = 1, m.now.Add(lease)
			}
			d.Jobs = append(d.Jobs, job)
		}
		b.Deliveries = append(b.Deliveries, d)
	}
	got, err := m.store.CommitBatch(m.ctx, b)
	want, wantErr := m.model.CommitBatch(m.ctx, b)
	m.same("deliver", got, err, want, wantErr)
}

// recordOutcome records an outcome of a claimed job, perhaps too late.
func (m *inboxModel) recordOutcome() {
	if len(m.claimed) == 0 {
		return
	}
	t := rapid.SampledFrom(m.claimed).Draw(m.T, "task")
	o := inbox.Outcome{Job: t.ID, Attempts: t.Attempts, State: inbox.JobState(rapid.IntRange(0, 2).Draw(m.T, "state")), Status: 500, Error: "x", At: m.now}
	if o.State == inbox.Open {
		o.DueAt, o.Returned = m.now.Add(time.Minute), rapid.Bool().Draw(m.T, "returned")
	}
	if !o.Returned {
		o.Attempt = attemptOf(t, t.Attempts)
	}
	got, err := m.store.CommitBatch(m.ctx, inbox.Batch{Outcomes: []inbox.Outcome{o}})
	want, wantErr := m.model.CommitBatch(m.ctx, inbox.Batch{Outcomes: []inbox.Outcome{o}})
	m.same("outcome", len(got), err, len(want), wantErr)
}

func (m *inboxModel) redeliver() {
	m.last += 10
	seq := int64(rapid.IntRange(1, int(m.last/10)).Draw(m.T, "delivery")) * 10
	job := inbox.Job{ID: m.last, Seq: seq, Rule: modelRules[0], DueAt: m.now, Redelivery: true, ChangedAt: m.now}
	err := m.store.AddRedelivery(m.ctx, seq, []inbox.Job{job})
	wantErr := m.model.AddRedelivery(m.ctx, seq, []inbox.Job{job})
	m.same("redeliver", nil, err, nil, wantErr)
}

// compare requires both to contain the same.
func (m *inboxModel) compare() {
	q := inbox.Query{Source: rapid.SampledFrom([]string{"", inbox.DefaultSource, "ci"}).Draw(m.T, "of source"), State: rapid.SampledFrom([]string{"", "pending", "delivered", "dead"}).Draw(m.T, "state"), Limit: 100}
	got, _, err := m.store.ListDeliveries(m.ctx, q)
	want, _, wantErr := m.model.ListDeliveries(m.ctx, q)
	m.same("list "+q.State, got, err, want, wantErr)
	q.From, q.To = m.now.Add(-5*time.Minute), m.now.Add(time.Second)
	counts, err := m.store.CountDeliveries(m.ctx, q, 45*time.Second)
	wantCounts, wantErr := m.model.CountDeliveries(m.ctx, q, 45*time.Second)
	m.same("count "+q.State, counts, err, wantCounts, wantErr)
	stats, err := m.store.CountJobs(m.ctx)
	wantStats, wantErr := m.model.CountJobs(m.ctx)
	m.same("stats", stats, err, wantStats, wantErr)
}

// same requires equal answers; times are compared as they print, in UTC.
func (m *inboxModel) same(what string, got any, err error, want any, wantErr error) {
	if (err == nil) != (wantErr == nil) || !reflect.DeepEqual(fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want)) {
		*m.differ = true
		m.Fatalf("%s:\n got %+v, %v\nwant %+v, %v", what, got, err, want, wantErr)
	}
}
