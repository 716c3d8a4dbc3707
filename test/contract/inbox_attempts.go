package contract

import (
	"fmt"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/must"
)

// attemptOf is the attempt of a claimed job, n seconds after monday.
func attemptOf(t inbox.Task, n int) *inbox.Attempt {
	return &inbox.Attempt{
		Job: t.ID, Number: t.Attempts, At: monday.Add(time.Duration(n) * time.Second), Rule: t.Rule, Target: "http://127.0.0.1:9/",
		Status: 503, Error: "answered 503", Duration: 1500 * time.Microsecond, Answer: "{\n\t\"später\": 1}",
	}
}

// retried is the outcome of that attempt.
func retried(a *inbox.Attempt) inbox.Outcome {
	return inbox.Outcome{Job: a.Job, Attempts: a.Number, State: inbox.Open, DueAt: a.At.Add(time.Second), Status: a.Status, Error: a.Error, At: a.At, Attempt: a}
}

// wantAttempts requires the attempts of a delivery.
func (s *inboxSuite) wantAttempts(id string, want ...*inbox.Attempt) {
	s.Helper()
	same := func(a inbox.Attempt, b *inbox.Attempt) bool {
		timesEqual := a.At.Equal(b.At)
		a.At = b.At
		return timesEqual && a == *b
	}
	if got := s.find(id).Attempts; !slices.EqualFunc(got, want, same) {
		s.Errorf("%s has the attempts %+v, want %d", id, got, len(want))
	}
}

func inboxAttempts(s *inboxSuite) {
	const other = "*=http://127.0.0.1:8/"
	s.store(s.delivery("a", 0, pushRule, other), s.delivery("b", 0, pushRule))
	s.wantAttempts("a")
	tasks := s.wantClaim(0, 10, "a", "b")
	first, ofB := attemptOf(tasks[0], 1), attemptOf(tasks[1], 1)
	s.recordOutcomes(retried(ofB), retried(first))
	second := attemptOf(s.wantClaim(2, 1, "a")[0], 3)
	second.Status, second.Error, second.Answer = 200, "", ""
	o := retried(second)
	o.State, o.DueAt = inbox.Delivered, time.Time{}
	s.recordOutcomes(o)
	s.wantAttempts("a", first, second)
	s.wantAttempts("b", ofB)
}

func inboxAttemptStale(s *inboxSuite) {
	s.store(s.delivery("a", 0, pushRule))
	slow, quick := attemptOf(s.wantClaim(0, 1, "a")[0], 1), attemptOf(s.wantClaim(60, 1, "a")[0], 61)
	s.recordOutcomes(retried(slow))
	s.recordOutcomes(retried(quick))
	s.recordOutcomes(retried(quick)) // as after a commit whose answer was lost
	s.wantAttempts("a", slow, quick)
	if got := s.find("a").Jobs[0]; got.Attempts != 2 || !got.ChangedAt.Equal(quick.At) {
		s.Errorf("the outcome of the earlier attempt made it %+v", got)
	}
	returned := retried(attemptOf(s.wantClaim(62, 1, "a")[0], 62))
	returned.Returned, returned.Attempt = true, nil
	s.recordOutcomes(returned)
	s.wantAttempts("a", slow, quick)
}

func inboxAttemptsBounded(s *inboxSuite) {
	d := s.delivery("a", 0, pushRule)
	s.store(d, s.delivery("b", 0, pushRule))
	job, ofB := d.Jobs[0], attemptOf(s.wantClaim(0, 2, "a", "b")[1], 0)
	s.recordOutcomes(retried(ofB))
	var all []*inbox.Attempt
	for n := 1; n <= inbox.MaxJobAttempts+5; n++ {
		job.Attempts = n
		all = append(all, attemptOf(inbox.Task{Job: job}, n))
		s.recordOutcomes(retried(all[n-1]))
	}
	s.wantAttempts("a", all[5:]...)
	s.wantAttempts("b", ofB)
}

func inboxAttemptsOfRedeliveries(s *inboxSuite) {
	d := s.delivery("a", 0)
	s.store(d, s.delivery("b", 0, pushRule))
	ofB := attemptOf(s.wantClaim(0, 1, "b")[0], 0)
	s.recordOutcomes(retried(ofB))
	var all []*inbox.Attempt
	for n := range inbox.MaxDeliveryAttempts + 3 {
		job := inbox.Job{ID: 10_000 + int64(n), Seq: d.Seq, Rule: pushRule, DueAt: monday, Redelivery: true, ChangedAt: monday, Attempts: 1}
		must.Do(s, s.AddRedelivery(s.ctx, d.Seq, []inbox.Job{job}))
		all = append(all, attemptOf(inbox.Task{Job: job}, n))
		o := retried(all[n])
		o.State = inbox.Delivered
		s.recordOutcomes(o)
	}
	s.wantAttempts("a", all[3:]...)
	s.wantAttempts("b", ofB)
}

func inboxAttemptsPruned(s *inboxSuite) {
	var all []*inbox.Attempt
	deliveries := []inbox.Delivery{}
	for n := range 5 {
		deliveries = append(deliveries, s.delivery(fmt.Sprint(n), n, pushRule))
	}
	s.store(deliveries...)
	for n, t := range s.claim(10, 5) {
		all = append(all, attemptOf(t, 10+n))
		s.recordOutcomes(retried(all[n]))
	}
	unknown := *all[0]
	unknown.Job = 4711
	s.recordOutcomes(retried(&unknown))
	keep := inbox.Retention{MaxAttempts: 100}
	s.prune(keep)
	s.wantAttempts("0", all[0])
	keep.AttemptsBefore = all[1].At
	s.prune(keep)
	s.wantAttempts("0")
	s.wantAttempts("1", all[1])
	keep.MaxAttempts = 3
	s.prune(keep)
	s.wantAttempts("1")
	s.wantAttempts("2", all[2])

	o := retried(all[4])
	o.State, o.Attempt = inbox.Delivered, nil
	s.recordOutcomes(o)
	keep.DeliveriesBefore = monday.Add(time.Hour)
	s.prune(keep)
	s.wantAttempts("3", all[3]) // still open
	again := deliveries[4]
	again.Jobs = append(again.Jobs, inbox.Job{ID: unknown.Job, Seq: again.Seq, Rule: pushRule, DueAt: monday})
	s.store(again)
	s.wantAttempts("4")
}
