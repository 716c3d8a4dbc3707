package contract

import (
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/must"
)

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
