package contract

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/must"
)

func inboxTroubled(s *inboxSuite) {
	troubled := func() (rules []string) {
		states := must.Get(s.ListTroubledRules(s.ctx))(s)
		for _, state := range states {
			rules = append(rules, state.Rule)
		}
		return rules
	}
	want := func(when string, want ...string) {
		s.Helper()
		if got := troubled(); !reflect.DeepEqual(got, want) {
			s.Errorf("%s the rules in trouble are %v, want %v", when, got, want)
		}
	}
	dead := answered(1)
	dead.Rule, dead.DiedAt = "dead", second(1)
	s.report(answered(0), dead)
	want("after an answer and a death", "dead")
	s.report(failed(2))
	want("after a failure", "dead", pushRule)
	for rule, alerts := range map[string]int{"dead": 0, pushRule: 0} {
		if raised, err := s.RaiseAlerts(s.ctx, rule, alerts, second(3), nil); !raised || err != nil {
			s.Fatal(raised, err)
		}
	}
	s.report(answered(4))
	want("while operators know of the failure", "dead", pushRule)
	for _, rule := range []string{"dead", pushRule} {
		if raised, err := s.RaiseAlerts(s.ctx, rule, 1, second(5), nil); !raised || err != nil {
			s.Fatal(raised, err)
		}
	}
	want("after the recovery")
	if got := s.ruleState(9); got.AlertCount != 2 || !got.AlertedAt.Equal(second(5)) || got.HasFailureAlert() {
		s.Errorf("the state is %+v", got)
	}
}

func inboxAlertsOnce(s *inboxSuite) {
	if raised, err := s.RaiseAlerts(s.ctx, pushRule, 0, second(0), []inbox.Alert{{ID: 1, Channel: "url"}}); raised || err != nil {
		s.Errorf("of an unknown rule: %t, %v", raised, err)
	}
	s.report(failed(0))
	var first atomic.Int64
	var all sync.WaitGroup
	for n := range int64(6) {
		all.Go(func() {
			raised, err := s.RaiseAlerts(s.ctx, pushRule, 0, second(1), []inbox.Alert{{ID: 10 + n, Channel: "url", Kind: inbox.RuleFailing}})
			if err != nil {
				s.Error(err)
			}
			if raised && !first.CompareAndSwap(0, 10+n) {
				s.Error("two processes raised it")
			}
		})
	}
	all.Wait()
	if a, found := s.claimAlert("url", 1); !found || a.ID != first.Load() {
		s.Errorf("the alert is %+v, %t; want that of %d", a, found, first.Load())
	}
	must.Do(s, s.FinishAlert(s.ctx, inbox.Alert{ID: first.Load(), Attempts: 1}, time.Time{}))
	if a, found := s.claimAlert("url", 1000); found {
		s.Errorf("there is another alert: %+v", a)
	}
}

func (s *inboxSuite) claimAlert(channel string, n int) (inbox.Alert, bool) {
	s.Helper()
	a, found := must.Get2(s.ClaimAlert(s.ctx, channel, second(n), second(n+60)))(s)
	return a, found
}

func inboxAlertOrder(s *inboxSuite) {
	s.report(failed(0))
	full := inbox.Alert{ID: 5, Channel: "url", Kind: inbox.RuleFailing, Rule: "push#1", Target: "http://127.0.0.1/", At: second(1), Since: second(0), Last: failed(0).Last}
	if raised, err := s.RaiseAlerts(s.ctx, pushRule, 0, second(1), []inbox.Alert{full, {ID: 6, Channel: "mail"}, {ID: 7, Channel: "url", Kind: inbox.RuleRecovered}}); !raised || err != nil {
		s.Fatal(raised, err)
	}
	if _, found := s.claimAlert("url", 0); found {
		s.Error("an alert is claimed before it is due")
	}
	a, _ := s.claimAlert("url", 1)
	if full.Attempts = 1; !reflect.DeepEqual(a, full) {
		s.Errorf("claimed %+v, want %+v", a, full)
	}
	if _, found := s.claimAlert("url", 2); found {
		s.Error("an alert is claimed while another of its channel is leased")
	}
	if m, found := s.claimAlert("mail", 2); !found || m.ID != 6 {
		s.Errorf("the mail is %+v, %t", m, found)
	}
	must.Do(s, s.FinishAlert(s.ctx, a, second(10)))
	if _, found := s.claimAlert("url", 9); found {
		s.Error("an alert is claimed before its retry is due")
	}
	again, _ := s.claimAlert("url", 10)
	if again.ID != 5 || again.Attempts != 2 {
		s.Errorf("the retry is %+v", again)
	}
	late, found := s.claimAlert("url", 70) // the lease has ended
	if !found || late.Attempts != 3 {
		s.Errorf("after the lease it is %+v, %t", late, found)
	}
	for _, finished := range []inbox.Alert{again, late} {
		must.Do(s, s.FinishAlert(s.ctx, finished, time.Time{}))
	}
	if a, found := s.claimAlert("url", 71); !found || a.ID != 7 || a.Kind != inbox.RuleRecovered {
		s.Errorf("the next one is %+v, %t", a, found)
	}
}

func inboxFindDead(s *inboxSuite) {
	const other = "*=http://127.0.0.1:8/"
	for n, states := range [][2]inbox.JobState{{inbox.Dead, inbox.Delivered}, {inbox.Dead, inbox.Open}, {inbox.Delivered, inbox.Dead}, {inbox.Open, inbox.Dead}} {
		d := s.delivery(string(rune('a'+n)), n, pushRule, other)
		d.Jobs[0].State, d.Jobs[1].State = states[0], states[1]
		s.store(d)
	}
	for rule, want := range map[string]string{pushRule: "b", other: "d"} {
		if d, err := s.FindDead(s.ctx, rule); err != nil || d.ID != want || d.Event != "push" || d.Payload != nil {
			s.Errorf("of %s it finds %+v, %v; want %s", rule, d, err, want)
		}
	}
	must.Refuse(s, must.Err(s.FindDead(s.ctx, "none")), inbox.ErrNotFound, "without a dead delivery")
}

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
