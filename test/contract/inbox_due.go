package contract

import (
	"context"
	"slices"
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
