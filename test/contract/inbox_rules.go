package contract

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

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
	var all sync.WaitGroup
	for n := range 6 {
		all.Go(func() {
			rules := make([]inbox.Rule, n+1)
			for i := range rules {
				rules[i] = inbox.Rule{Name: fmt.Sprint("of ", n), Match: "*"}
			}
			if err := s.SaveRules(s.ctx, rules); err != nil {
				s.Error(err)
			}
		})
	}
	all.Wait()
	got := s.loadRules()
	if len(got) == 0 || slices.ContainsFunc(got, func(r inbox.Rule) bool { return r.Name != fmt.Sprint("of ", len(got)-1) }) {
		s.Errorf("loaded %+v", got)
	}
}
