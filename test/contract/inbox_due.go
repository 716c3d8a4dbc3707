package contract

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/must"
)

func inboxDueRules(s *inboxSuite) {
	due := func(n int, want ...string) {
		s.Helper()
		got, _, err := s.DueRules(s.ctx, monday.Add(time.Duration(n)*time.Second))
		if slices.Sort(got); err != nil || !slices.Equal(got, want) {
			s.Errorf("after %d s due are %q, %v; want %q", n, got, err, want)
		}
	}
	due(0)
	s.store(s.delivery("one", 10, pushRule, "b rule"), s.delivery("two", 10, pushRule), s.delivery("later", 30, "c=http://127.0.0.1:9/é"))
	due(9)
	due(10, "b rule", pushRule)
	due(30, "b rule", "c=http://127.0.0.1:9/é", pushRule)

	tasks := s.wantClaim(10, 2, "one", "two")
	due(10, "b rule", pushRule) // leased ones count
	s.recordOutcomes(
		inbox.Outcome{Job: tasks[0].ID, Attempts: 1, State: inbox.Delivered, At: monday},
		inbox.Outcome{Job: tasks[1].ID, Attempts: 1, State: inbox.Open, DueAt: monday.Add(time.Minute), At: monday},
	)
	due(10, "b rule")
	due(60, "b rule", "c=http://127.0.0.1:9/é", pushRule)
}

func inboxNextDue(s *inboxSuite) {
	next := func(n int, want time.Time) {
		s.Helper()
		if _, got, err := s.DueRules(s.ctx, monday.Add(time.Duration(n)*time.Second)); err != nil || !got.Equal(want) {
			s.Errorf("after %d s the next job is due at %v, %v; want %v", n, got, err, want)
		}
	}
	next(0, time.Time{})
	s.store(s.delivery("one", 10, pushRule), s.delivery("two", 20, "b rule"), s.delivery("three", 30, pushRule))
	next(0, monday.Add(10*time.Second))
	next(10, monday.Add(20*time.Second))
	next(20, monday.Add(30*time.Second))
	next(30, time.Time{})
}

func inboxWakes(s *inboxSuite) {
	waiting := func(c inbox.Change) func(context.Context) {
		return func(ctx context.Context) { s.WaitFor(ctx, c, time.Time{}) }
	}
	wakes(s.T, "a job without a lease", waiting(inbox.JobsChanged), func() { s.store(s.delivery("one", 0, pushRule)) })
	var tasks []inbox.Task
	wakes(s.T, "a claim", waiting(inbox.LeasesTaken), func() { tasks = s.wantClaim(0, 1, "one") })
	wakes(s.T, "a job that is put off", waiting(inbox.JobsChanged), func() {
		s.recordOutcomes(inbox.Outcome{Job: tasks[0].ID, Attempts: 1, State: inbox.Open, DueAt: monday.Add(time.Minute), At: monday})
	})
	wakes(s.T, "a redelivery", waiting(inbox.JobsChanged), func() {
		again := inbox.Job{ID: tasks[0].ID + 5, Seq: tasks[0].Seq, Rule: pushRule, DueAt: monday, ChangedAt: monday, Redelivery: true}
		must.Do(s, s.AddRedelivery(s.ctx, tasks[0].Seq, []inbox.Job{again}))
	})
	for _, at := range []time.Time{monday, {}} {
		wakes(s.T, "a pause or its end", waiting(inbox.PausesChanged), func() { must.Do(s, s.PauseRule(s.ctx, pushRule, at)) })
	}
	wakes(s.T, "a time that has come", func(ctx context.Context) { s.WaitFor(ctx, inbox.JobsChanged, time.Now().Add(time.Millisecond)) }, func() {})
}

func inboxCounts(s *inboxSuite) {
	empty := inbox.Query{From: monday, To: monday.Add(50 * time.Second)}
	if got := s.counts(empty); !slices.Equal(got, [][4]int{{}, {}}) {
		s.Errorf("an empty store has %v", got)
	}
	s.storeStates()
	whole := inbox.Query{From: monday, To: monday.Add(70 * time.Second)}
	for _, c := range []struct {
		narrow func(q *inbox.Query)
		want   [][4]int
	}{
		{func(*inbox.Query) {}, [][4]int{{0, 1, 2}, {1, 0, 0, 1}, {1, 1, 0}}},
		{func(q *inbox.Query) { q.Before, q.Limit = 15, 1 }, [][4]int{{0, 1, 2}, {1, 0, 0, 1}, {1, 1, 0}}},
		{func(q *inbox.Query) { q.From, q.To = monday.Add(time.Second), monday.Add(60*time.Second) }, [][4]int{{0, 0, 2}, {2, 0, 0, 1}, {}}},
		{func(q *inbox.Query) { q.From = monday.Add(-25 * time.Second) }, [][4]int{{}, {0, 1, 2}, {1, 0, 0, 1}, {1, 1, 0}}},
		{func(q *inbox.Query) { q.State = "dead" }, [][4]int{{0, 0, 2}, {}, {}}},
		{func(q *inbox.Query) { q.State = "pending" }, [][4]int{{}, {1, 0, 0}, {1, 0, 0}}},
		{func(q *inbox.Query) { q.State = "delivered" }, [][4]int{{0, 1, 0}, {}, {0, 1, 0}}},
		{func(q *inbox.Query) { q.State = "unmatched" }, [][4]int{{}, {0, 0, 0, 1}, {}}},
		{func(q *inbox.Query) { q.Event = "issues" }, [][4]int{{0, 0, 1}, {}, {}}},
		{func(q *inbox.Query) { q.Event, q.State = "issues", "pending" }, [][4]int{{}, {}, {}}},
		{func(q *inbox.Query) { q.Source = "ci" }, [][4]int{{}, {}, {1, 0, 0}}},
		{func(q *inbox.Query) { q.Source, q.Event = inbox.DefaultSource, "push" }, [][4]int{{0, 1, 1}, {1, 0, 0, 1}, {0, 1, 0}}},
		{func(q *inbox.Query) { q.Source = "nobody" }, [][4]int{{}, {}, {}}},
	} {
		q := whole
		c.narrow(&q)
		if got := s.counts(q); !slices.Equal(got, c.want) {
			s.Errorf("%+v counts %v, want %v", q, got, c.want)
		}
	}
}

// countStep is the length of the steps of time in which deliveries are counted.
const countStep = 25 * time.Second

// counts returns the pending, delivered and dead deliveries of each step.
func (s *inboxSuite) counts(q inbox.Query) (got [][4]int) {
	s.Helper()
	all := must.Get(s.CountDeliveries(s.ctx, q, countStep))(s)
	for n, c := range all {
		if want := q.From.Add(time.Duration(n) * countStep); !c.At.Equal(want) {
			s.Errorf("step %d begins at %s, want %s", n, c.At, want)
		}
		got = append(got, [4]int{c.Pending, c.Delivered, c.Dead, c.Unmatched})
	}
	return got
}

// storeStates stores deliveries 0, 10, 20 … seconds after monday, whose jobs are in all states.
func (s *inboxSuite) storeStates() {
	s.Helper()
	states := [][]inbox.JobState{
		{inbox.Delivered}, {inbox.Delivered, inbox.Dead}, {inbox.Dead, inbox.Open}, nil, {inbox.Replaced, inbox.Open}, {inbox.Open, inbox.Open}, {inbox.Delivered},
	}
	for i, of := range states {
		d := s.delivery(string(rune('a'+i)), 10*i, slices.Repeat([]string{pushRule}, len(of))...)
		for n, state := range of {
			d.Jobs[n].State = state
		}
		switch i {
		case 1:
			d.Event = "issues"
		case 5:
			d.Source, d.Header = "ci", map[string]string{}
		}
		s.store(d)
	}
}

func inboxSenders(s *inboxSuite) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	stored := map[string]int{}
	for sender := range 8 {
		var batch inbox.Batch
		for i := range 10 { // each in another order
			d := s.delivery(fmt.Sprint((i*7+sender)%10), 0, pushRule)
			batch.Deliveries = append(batch.Deliveries, d)
		}
		wg.Go(func() {
			fresh, err := s.CommitBatch(s.ctx, batch)
			if err != nil {
				s.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			for i, ok := range fresh {
				if ok {
					stored[batch.Deliveries[i].ID]++
				}
			}
		})
	}
	wg.Wait()
	for id, n := range stored {
		if n != 1 {
			s.Errorf("%s was stored %d times, want 1", id, n)
		}
	}
	if len(stored) != 10 || len(s.claim(1, 100)) != 10 {
		s.Errorf("%d ids are stored", len(stored))
	}
}

func inboxClaimers(s *inboxSuite) {
	var all []inbox.Delivery
	for i := range 100 {
		all = append(all, s.delivery(fmt.Sprint(i), 0, pushRule))
	}
	s.store(all...)
	var wg sync.WaitGroup
	var mu sync.Mutex
	claimed := map[string]int{}
	for range 8 {
		wg.Go(func() {
			for {
				tasks, err := s.ClaimJobs(s.ctx, inbox.Claim{Rule: pushRule, Now: monday, LeaseUntil: monday.Add(lease), Limit: 7})
				if err != nil {
					s.Error(err)
					return
				}
				mu.Lock()
				for _, t := range tasks {
					claimed[t.DeliveryID]++
				}
				enough := len(claimed) == 100
				mu.Unlock()
				if enough || len(tasks) == 0 && s.ctx.Err() != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	for id, n := range claimed {
		if n != 1 {
			s.Errorf("%s was claimed %d times, want 1", id, n)
		}
	}
}

// readFeed reads what follows a position, two deliveries at a time, and returns their ids
// and the last position.
func (s *inboxSuite) readFeed(after int64) (ids []string, last int64) {
	s.Helper()
	end := must.Get(s.FeedEnd(s.ctx))(s)
	for {
		page := must.Get(s.ReadFeed(s.ctx, after, end, 2))(s)
		if len(page) == 0 {
			return ids, after
		}
		for _, d := range page {
			if d.Position <= after || d.Payload != nil || d.Jobs != nil {
				s.Fatalf("after %d comes %+v", after, d)
			}
			ids, after = append(ids, d.ID), d.Position
		}
	}
}

func (s *inboxSuite) wantFeed(after int64, want ...string) int64 {
	s.Helper()
	ids, last := s.readFeed(after)
	if !slices.Equal(ids, want) {
		s.Errorf("the feed has %v after %d, want %v", ids, after, want)
	}
	return last
}

func inboxFeed(s *inboxSuite) {
	s.wantFeed(0)
	one, two, three := s.delivery("z", 0), s.delivery("y", 1, pushRule), s.delivery("x", 2)
	late := s.delivery("late", 3)
	late.Source, late.Header, late.Action = "ci", map[string]string{"A": "b"}, "opened"
	s.store(three, one, two)
	at := s.wantFeed(0, "z", "y", "x")
	again := s.delivery("y", 5)
	last := s.delivery("last", 6)
	must.Get(s.CommitBatch(s.ctx, inbox.Batch{Deliveries: []inbox.Delivery{again, last}}))(s)
	s.store(late) // with a lower Seq than one that is stored
	s.wantFeed(at, "last", "late")
	s.wantFeed(0, "z", "y", "x", "last", "late")
	end, err := s.FeedEnd(s.ctx)
	page, readErr := s.ReadFeed(s.ctx, end-1, end, 10)
	if err != nil || readErr != nil || len(page) != 1 || page[0].Seq != late.Seq || page[0].Source != "ci" || page[0].Header["A"] != "b" || page[0].Action != "opened" ||
		page[0].Event != "push" || !page[0].ReceivedAt.Equal(late.ReceivedAt) {
		s.Errorf("it ends with %+v, %v, %v", page, err, readErr)
	}
	if body, err := s.ReadPayload(s.ctx, late.Seq); err != nil || string(body) != string(late.Payload) {
		s.Errorf("its payload is %q, %v", body, err)
	}
	s.prune(inbox.Retention{PayloadsBefore: monday.Add(lease), DeliveriesBefore: monday})
	s.wantFeed(0, "y") // its job is open
	if body, err := s.ReadPayload(s.ctx, late.Seq); err != nil || body != nil {
		s.Errorf("the pruned payload is %q, %v", body, err)
	}
	s.store(s.delivery("next", 100))
	s.wantFeed(end, "next")
}

func inboxFeedConcurrent(s *inboxSuite) {
	const senders, each = 6, 40
	deliveries := make([][]inbox.Delivery, senders)
	for n := range senders * each {
		deliveries[n%senders] = append(deliveries[n%senders], s.delivery(fmt.Sprint(n), n, pushRule))
	}
	var sending sync.WaitGroup
	for _, all := range deliveries {
		sending.Go(func() {
			for _, d := range all {
				if _, err := s.CommitBatch(s.ctx, inbox.Batch{Deliveries: []inbox.Delivery{d}}); err != nil {
					s.Error(err)
					return
				}
			}
		})
	}
	var got []string
	last := int64(0)
	for len(got) < senders*each && s.ctx.Err() == nil && !s.Failed() {
		var more []string
		more, last = s.readFeed(last)
		got = append(got, more...)
	}
	sending.Wait()
	slices.Sort(got)
	if len(slices.Compact(got)) != senders*each {
		s.Errorf("%d deliveries were read", len(got))
	}
}
