package contract

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/must"
)

// loadRules returns the stored rules.
func (s *inboxSuite) loadRules() []inbox.Rule {
	s.Helper()
	return must.Get(s.LoadRules(s.ctx))(s)
}

func inboxRules(s *inboxSuite) {
	if got := s.loadRules(); len(got) != 0 {
		s.Errorf("at first there are %+v", got)
	}
	named := inbox.Rule{Name: "tracker", Source: "ci", Match: "issues.*\npush", URL: "http://127.0.0.1:9/?token=x", Secret: "s", Where: `payload.draft == false`, OrderBy: "repository.id", Rate: "10/s", Paused: true, Concurrency: 2}
	savedNamed := inbox.Rule{Name: "tracker", Source: "ci", Match: "issues.*\npush", URL: "http://127.0.0.1:9/", Where: `payload.draft == false`, OrderBy: "repository.id", Rate: "10/s", Paused: true}
	nameless := inbox.Rule{Match: "*", URL: "http://127.0.0.1:9/"}
	savedNameless := inbox.Rule{Name: "*=http://127.0.0.1:9/", Match: "*", URL: "http://127.0.0.1:9/"}
	for _, c := range []struct{ saved, want []inbox.Rule }{
		{[]inbox.Rule{named, nameless}, []inbox.Rule{savedNamed, savedNameless}},
		{[]inbox.Rule{nameless, named}, []inbox.Rule{savedNameless, savedNamed}},
		{[]inbox.Rule{nameless}, []inbox.Rule{savedNameless}},
		{nil, nil},
	} {
		must.Do(s, s.SaveRules(s.ctx, c.saved))
		if got := s.loadRules(); !reflect.DeepEqual(got, c.want) {
			s.Errorf("loaded %+v, want %+v", got, c.want)
		}
	}
}

func inboxRuleSavers(s *inboxSuite) {
	must.Together(6, func(n int) {
		rules := make([]inbox.Rule, n+1)
		for i := range rules {
			rules[i] = inbox.Rule{Name: fmt.Sprint("of ", n), Match: "*"}
		}
		if err := s.SaveRules(s.ctx, rules); err != nil {
			s.Error(err)
		}
	})
	got := s.loadRules()
	if len(got) == 0 || slices.ContainsFunc(got, func(r inbox.Rule) bool { return r.Name != fmt.Sprint("of ", len(got)-1) }) {
		s.Errorf("loaded %+v", got)
	}
}

// ruleState returns the state of the push rule, counting attempts of the hour until n
// seconds after monday.
func (s *inboxSuite) ruleState(n int) inbox.RuleState {
	s.Helper()
	states := must.Get(s.ListRuleStates(s.ctx, second(n).Add(-time.Hour)))(s)
	for _, state := range states {
		if state.Rule == pushRule {
			return state
		}
	}
	return inbox.RuleState{}
}

func (s *inboxSuite) report(reports ...inbox.AttemptReport) {
	s.Helper()
	must.Do(s, s.RecordAttempts(s.ctx, reports))
}

// second is n seconds after monday.
func second(n int) time.Time { return monday.Add(time.Duration(n) * time.Second) }

// failed and answered report one attempt of the push rule.
func failed(n int) inbox.AttemptReport {
	return inbox.AttemptReport{Rule: pushRule, Attempts: 1, Failures: 1, Last: inbox.AttemptResult{At: second(n), Status: 500, Error: "answered 500"}, CircuitOpen: true, FailingSince: second(n)}
}

func answered(n int) inbox.AttemptReport {
	return inbox.AttemptReport{Rule: pushRule, Attempts: 1, Last: inbox.AttemptResult{At: second(n), Status: 200}, AnsweredAt: second(n)}
}

func (s *inboxSuite) wantPaused(want ...string) {
	s.Helper()
	if got, err := s.PausedRules(s.ctx); !slices.Equal(got, want) || err != nil {
		s.Errorf("paused are %v, %v; want %v", got, err, want)
	}
}

func inboxPause(s *inboxSuite) {
	s.wantPaused()
	pause := func(rule string, at time.Time) { must.Do(s, s.PauseRule(s.ctx, rule, at)) }
	pause(pushRule, time.Time{})
	s.wantPaused()
	s.report(failed(0))
	pause(pushRule, second(1))
	pause(pushRule, second(2))
	pause("other", second(3))
	s.wantPaused("other", pushRule)
	if got := s.ruleState(9); !got.PausedAt.Equal(second(1)) || !got.FailingSince.Equal(second(0)) {
		s.Errorf("the state of a paused rule is %+v", got)
	}
	pause(pushRule, time.Time{})
	pause(pushRule, time.Time{})
	s.wantPaused("other")
	if got := s.ruleState(9); !got.PausedAt.IsZero() || !got.FailingSince.IsZero() || got.Last.Status != 500 {
		s.Errorf("the state of a resumed rule is %+v", got)
	}
}

func inboxReports(s *inboxSuite) {
	if got := s.ruleState(0); !reflect.DeepEqual(got, inbox.RuleState{}) {
		s.Errorf("at first the state is %+v", got)
	}
	other := answered(1)
	other.Rule = "other"
	s.report(failed(0), other)
	many := answered(4000)
	many.Attempts, many.Failures = 10, 3
	s.report(many)
	s.report(failed(4001))
	s.report(inbox.AttemptReport{Rule: pushRule, DiedAt: second(4002)}) // without an attempt
	want := inbox.RuleState{AttemptReport: inbox.AttemptReport{
		Rule: pushRule, Attempts: 11, Failures: 4, Last: inbox.AttemptResult{At: second(4001), Status: 500, Error: "answered 500"}, CircuitOpen: true,
		AnsweredAt: second(4000), FailingSince: second(4001), DiedAt: second(4002),
	}}
	if got := s.ruleState(4100); !reflect.DeepEqual(got, want) {
		s.Errorf("the state is %+v, want %+v", got, want)
	}
	s.report(answered(3990)) // of a process that reports late
	if got := s.ruleState(4100); got.Attempts != 12 || !got.Last.At.Equal(second(4001)) || got.Last.Status != 500 || !got.CircuitOpen || !got.FailingSince.Equal(second(4001)) {
		s.Errorf("after a late report the state is %+v", got)
	}
	if _, _, err := s.PruneDeliveries(s.ctx, inbox.Retention{Now: second(4001 + 2*3600)}); err != nil {
		s.Fatal(err)
	}
	if got := s.ruleState(4100); !got.Last.At.Equal(second(4001)) {
		s.Errorf("after pruning the state is %+v", got)
	}
}

func inboxFailing(s *inboxSuite) {
	for _, step := range []struct {
		report inbox.AttemptReport
		since  time.Time
	}{
		{failed(10), second(10)},
		{failed(20), second(10)},
		{answered(15), time.Time{}}, // of another process: at least one attempt was answered
		{failed(12), time.Time{}},   // before that answer
		{failed(30), second(30)},
		{answered(30), time.Time{}},
		{failed(40), second(40)},
		{failed(35).Merge(answered(38)).Merge(failed(45)), second(40)},
		{failed(50).Merge(answered(51)).Merge(failed(52)).Merge(failed(53)), second(52)},
		{failed(54).Merge(answered(55)), time.Time{}},
	} {
		step.report.Rule = pushRule
		s.report(step.report)
		if got := s.ruleState(60).FailingSince; !got.Equal(step.since) {
			s.Errorf("after %+v it fails since %s, want %s", step.report, got, step.since)
		}
	}
}

func inboxRuleJobs(s *inboxSuite) {
	s.store(s.delivery("a", 5, pushRule), s.delivery("b", 6, pushRule, "other"), s.delivery("c", 7, pushRule), s.delivery("d", 8, pushRule))
	tasks := s.wantClaim(10, 2, "a", "b")
	s.recordOutcomes(done(tasks[0], inbox.Delivered), done(tasks[1], inbox.Dead))
	if got, want := s.ruleState(9), (inbox.RuleState{AttemptReport: inbox.AttemptReport{Rule: pushRule}, Open: 2, Dead: 1, Oldest: second(7)}); !reflect.DeepEqual(got, want) {
		s.Errorf("the state is %+v, want %+v", got, want)
	}
}

func inboxReporters(s *inboxSuite) {
	must.Together(8, func(n int) {
		reports := []inbox.AttemptReport{failed(n), answered(n)}
		reports[n%2].Rule = "other"
		for range 5 {
			if err := s.RecordAttempts(s.ctx, reports); err != nil {
				s.Error(err)
			}
		}
	})
	if got := s.ruleState(60); got.Attempts != 40 || got.Failures != 20 {
		s.Errorf("%d attempts and %d failures are counted", got.Attempts, got.Failures)
	}
}

func inboxStatesOfGoneRules(s *inboxSuite) {
	rule := inbox.Rule{Name: "there", Match: "push", URL: "http://127.0.0.1:9/"}
	must.Do(s, s.SaveRules(s.ctx, []inbox.Rule{rule}))
	at := func(n int) time.Time { return monday.Add(time.Duration(n) * time.Second) }
	for name, n := range map[string]int{"there": 0, "gone": 0, "gone lately": 20} {
		must.Do(s, s.RecordAttempts(s.ctx, []inbox.AttemptReport{{Rule: name, Attempts: 1, Last: inbox.AttemptResult{At: at(n)}}}))
	}
	for name, n := range map[string]int{"paused and gone": 0, "gone lately, and paused": 20} {
		must.Do(s, s.PauseRule(s.ctx, name, at(n)))
	}
	s.prune(inbox.Retention{AttemptsBefore: at(10), MaxAttempts: 100, Now: at(20)})
	states := must.Get(s.ListRuleStates(s.ctx, monday))(s)
	var left []string
	for _, state := range states {
		left = append(left, state.Rule)
	}
	if want := []string{"gone lately", "gone lately, and paused", "there"}; !slices.Equal(left, want) {
		s.Errorf("states are left of %q, want %q", left, want)
	}
}

func inboxSources(s *inboxSuite) {
	of := func(source, id string, n int) inbox.Delivery {
		d := s.delivery(id, n, pushRule)
		d.Source, d.Header = source, map[string]string{"X-Github-Event": source}
		return d
	}
	ci, shop := of("ci", "a", 1), of("shop", "a", 2)
	s.store(s.delivery("a", 0, pushRule), ci, shop, of("ci", "b", 3))
	fresh, err := s.CommitBatch(s.ctx, inbox.Batch{Deliveries: []inbox.Delivery{of("ci", "a", 4), of("lab", "a", 5), of("lab", "a", 6)}})
	if err != nil || fresh[0] || fresh[1] == fresh[2] {
		s.Fatalf("fresh is %v, %v", fresh, err)
	}
	for source, seq := range map[string]int64{"ci": ci.Seq, "shop": shop.Seq} {
		if got, err := s.FindDelivery(s.ctx, source, "a"); err != nil || got.Seq != seq || got.Source != source || len(got.Jobs) != 1 {
			s.Errorf("found %+v of %s, %v", got, source, err)
		}
	}
	if got := s.find("a"); got.Source != "lab" {
		s.Errorf("without a source, that of %s is found and not the newest, want lab", got.Source)
	}
	must.Refuse(s, must.Err(s.FindDelivery(s.ctx, "shop", "b")), inbox.ErrNotFound, "an id of another source")
	s.wantList(inbox.Query{Source: "ci"}, "b", "a")
	s.wantList(inbox.Query{Source: "ci", Limit: 1}, "b")
	s.wantList(inbox.Query{Source: "ci", State: "pending", Event: "push", Before: shop.Seq}, "a")
	s.wantList(inbox.Query{Source: inbox.DefaultSource}, "a")
	s.wantList(inbox.Query{Source: inbox.DefaultSource, Event: "push"}, "a")
	s.wantList(inbox.Query{Source: "nobody"})
	for _, t := range s.claim(10, 2) {
		if want := map[string]string{inbox.DefaultSource: "", "ci": "ci"}; t.Header["X-Github-Event"] != want[t.Source] {
			s.Errorf("claimed %+v", t)
		}
	}
}
