package contract

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/memstore/meminbox"
)

// InboxModel runs any sequence of calls on a store and on the one in memory, and
// requires both to answer alike. A store on a disk is slow: it gets few sequences.
func InboxModel(t *testing.T, store InboxStore) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	sequences, differ := 0, false
	rapid.Check(t, func(rt *rapid.T) {
		if sequences++; sequences > 25 && !differ { // else the shortest sequence is looked for
			return
		}
		m := &inboxModel{T: rt, ctx: ctx, now: monday, store: store, model: meminbox.New(), differ: &differ}
		m.empty()
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			m.step()
		}
	})
}

// inboxModel is a store beside its model.
type inboxModel struct {
	*rapid.T
	ctx          context.Context //nolint:containedctx // that of one test
	now          time.Time
	last         int64
	claimed      []inbox.Task
	store, model InboxStore
	differ       *bool // set once they have answered differently
}

var modelRules = []string{"push=http://127.0.0.1:1/", "*=http://127.0.0.1:2/"}

// empty drops what an earlier sequence has left.
func (m *inboxModel) empty() {
	later := monday.Add(1000 * time.Hour)
	if _, err := m.store.Bury(m.ctx, nil, "over", later); err != nil {
		m.Fatal(err)
	}
	for more := true; more; {
		var err error
		if more, err = m.store.Prune(m.ctx, inbox.Retention{Bodies: later, IDs: later, Now: later}); err != nil {
			m.Fatal(err)
		}
	}
}

// step does one thing on both and compares.
func (m *inboxModel) step() {
	m.now = m.now.Add(time.Duration(rapid.IntRange(0, 40).Draw(m.T, "seconds")) * time.Second)
	switch rapid.SampledFrom([]string{"deliver", "deliver", "claim", "claim", "settle", "redeliver", "bury", "prune"}).Draw(m.T, "what") {
	case "deliver":
		m.deliver()
	case "claim":
		c := inbox.Claim{Rule: rapid.SampledFrom(modelRules).Draw(m.T, "rule"), Now: m.now, LeaseUntil: m.now.Add(lease), Limit: rapid.IntRange(1, 3).Draw(m.T, "limit")}
		got, err := m.store.Claim(m.ctx, c)
		want, wantErr := m.model.Claim(m.ctx, c)
		m.same("claim", got, err, want, wantErr)
		m.claimed = append(m.claimed, want...)
	case "settle":
		m.settleOne()
	case "redeliver":
		m.redeliver()
	case "bury":
		rules := modelRules[:rapid.IntRange(0, 2).Draw(m.T, "rules")]
		got, err := m.store.Bury(m.ctx, rules, "gone", m.now)
		want, wantErr := m.model.Bury(m.ctx, rules, "gone", m.now)
		m.same("bury", got, err, want, wantErr)
	case "prune":
		p := inbox.Retention{Bodies: m.now.Add(-2 * time.Minute), IDs: m.now.Add(-4 * time.Minute), Most: 1000, Now: m.now}
		got, err := m.store.Prune(m.ctx, p)
		want, wantErr := m.model.Prune(m.ctx, p)
		m.same("prune", got, err, want, wantErr)
	}
	m.compare()
}

// deliver commits one or two deliveries, some of them repeats.
func (m *inboxModel) deliver() {
	var b inbox.Batch
	for range rapid.IntRange(1, 2).Draw(m.T, "deliveries") {
		m.last += 10
		d := inbox.Delivery{Seq: m.last, ID: fmt.Sprint(len(b.Deliveries), rapid.IntRange(0, 20).Draw(m.T, "id")), Event: "push", ReceivedAt: m.now, Payload: []byte("{}")}
		for i, rule := range modelRules {
			job := inbox.Job{ID: m.last + int64(i), Seq: m.last, Rule: rule, DueAt: m.now, ChangedAt: m.now, OrderKey: rapid.SampledFrom([]string{"", "a", "b"}).Draw(m.T, "key")}
			if rapid.Bool().Draw(m.T, "held") {
				job.Attempts, job.LeaseUntil = 1, m.now.Add(lease)
			}
			d.Jobs = append(d.Jobs, job)
		}
		b.Deliveries = append(b.Deliveries, d)
	}
	got, err := m.store.Commit(m.ctx, b)
	want, wantErr := m.model.Commit(m.ctx, b)
	m.same("deliver", got, err, want, wantErr)
}

// settleOne records an outcome of some job that was claimed, perhaps too late.
func (m *inboxModel) settleOne() {
	if len(m.claimed) == 0 {
		return
	}
	t := rapid.SampledFrom(m.claimed).Draw(m.T, "task")
	o := inbox.Outcome{Job: t.ID, Attempts: t.Attempts, State: inbox.JobState(rapid.IntRange(0, 2).Draw(m.T, "state")), Status: 500, Error: "x", At: m.now}
	if o.State == inbox.Open {
		o.DueAt, o.Untried = m.now.Add(time.Minute), rapid.Bool().Draw(m.T, "untried")
	}
	got, err := m.store.Commit(m.ctx, inbox.Batch{Outcomes: []inbox.Outcome{o}})
	want, wantErr := m.model.Commit(m.ctx, inbox.Batch{Outcomes: []inbox.Outcome{o}})
	m.same("settle", len(got), err, len(want), wantErr)
}

func (m *inboxModel) redeliver() {
	m.last += 10
	seq := int64(rapid.IntRange(1, int(m.last/10)).Draw(m.T, "delivery")) * 10
	job := inbox.Job{ID: m.last, Seq: seq, Rule: modelRules[0], DueAt: m.now, Redelivery: true, ChangedAt: m.now}
	err := m.store.Redeliver(m.ctx, seq, []inbox.Job{job})
	wantErr := m.model.Redeliver(m.ctx, seq, []inbox.Job{job})
	m.same("redeliver", nil, err, nil, wantErr)
}

// compare requires both to hold the same.
func (m *inboxModel) compare() {
	q := inbox.Query{State: rapid.SampledFrom([]string{"", "pending", "delivered", "dead"}).Draw(m.T, "state"), Limit: 100}
	got, _, err := m.store.List(m.ctx, q)
	want, _, wantErr := m.model.List(m.ctx, q)
	m.same("list "+q.State, got, err, want, wantErr)
	stats, err := m.store.Stats(m.ctx)
	wantStats, wantErr := m.model.Stats(m.ctx)
	m.same("stats", stats, err, wantStats, wantErr)
}

// same requires equal answers; times are compared as they print, in UTC.
func (m *inboxModel) same(what string, got any, err error, want any, wantErr error) {
	if (err == nil) != (wantErr == nil) || !reflect.DeepEqual(fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want)) {
		*m.differ = true
		m.Fatalf("%s:\n got %+v, %v\nwant %+v, %v", what, got, err, want, wantErr)
	}
}
