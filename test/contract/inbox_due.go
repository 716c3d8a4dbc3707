package contract

import (
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

func inboxDueRules(s *inboxSuite) {
	due := func(n int, want ...string) {
		s.Helper()
		got, err := s.DueRules(s.ctx, monday.Add(time.Duration(n)*time.Second))
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
