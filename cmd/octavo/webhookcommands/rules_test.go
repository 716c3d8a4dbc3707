package webhookcommands

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

func TestRulesPrintsOneRulePerLine(t *testing.T) {
	w := newFakeTools()
	w.says(t, "", "", "rules")
	w.says(t, "", `{"rules":[]}`+"\n", "rules", "--json")
	w.serveBy(t, pushRule, inbox.Rule{Name: "tracker", Match: "*", URL: "http://127.0.0.1/?key=x", Paused: true})
	w.add(t, "a", "push", inbox.Open, inbox.Dead)
	at := w.clock.Now().UTC()
	report := inbox.AttemptReport{Rule: pushRule.Key(), Attempts: 2, Failures: 1, Last: inbox.AttemptResult{At: at, Error: "connection refused"}, FailingSince: at}
	if err := w.store.RecordAttempts(t.Context(), []inbox.AttemptReport{report}); err != nil {
		t.Fatal(err)
	}
	stamp := at.Format(time.RFC3339)
	w.says(t, "", "push=http://127.0.0.1/  failing since "+stamp+"  1 pending, 1 dead  1 of 2 attempts failed in the last hour  "+stamp+" connection refused\n"+
		"tracker  paused in the file  0 pending, 0 dead  0 of 0 attempts failed in the last hour\n", "rules")
	if out, err := w.run(t, "", "rules", "--json"); err != nil || !strings.Contains(out, `"target":"http://127.0.0.1/"`) || strings.Contains(out, "key=x") {
		t.Errorf("as JSON: %s, %v", out, err)
	}
}

func TestRulesPausesAndResumesARule(t *testing.T) {
	w := newFakeTools()
	w.serveBy(t, pushRule, inbox.Rule{Name: "tracker", Match: "*", URL: "http://127.0.0.1/", Paused: true})
	w.says(t, "", pushRule.Key()+" is paused\n", "rules", "pause", pushRule.Key())
	if out, err := w.run(t, "", "rules"); err != nil || !strings.HasPrefix(out, pushRule.Key()+"  paused  ") {
		t.Errorf("a paused rule: %q, %v", out, err)
	}
	w.says(t, "", `{"name":"push=http://127.0.0.1/","paused":false}`+"\n", "rules", "resume", "--json", pushRule.Key())
	if out, err := w.run(t, "", "rules"); err != nil || !strings.HasPrefix(out, pushRule.Key()+"  active  ") {
		t.Errorf("a resumed rule: %q, %v", out, err)
	}
	for _, c := range []struct {
		args string
		want error
	}{{"rules pause other", inbox.ErrNoRule}, {"rules resume other", inbox.ErrNoRule}, {"rules resume tracker", inbox.ErrPausedInFile}} {
		if out, err := w.run(t, "", strings.Fields(c.args)...); !errors.Is(err, c.want) || out != "" {
			t.Errorf("%s: %q, %v", c.args, out, err)
		}
	}
}
