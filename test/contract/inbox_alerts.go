package contract

import (
	"errors"
	"reflect"
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
	if _, err := s.FindDead(s.ctx, "none"); !errors.Is(err, inbox.ErrNotFound) {
		s.Errorf("without a dead delivery: %v, want %v", err, inbox.ErrNotFound)
	}
}
