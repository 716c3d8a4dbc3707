package webhook_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

func TestTheTableHas56EventsAnd234Names(t *testing.T) {
	names := webhook.EventNames()
	events := 0
	for _, name := range names {
		if !strings.Contains(string(name), ".") {
			events++
		}
		if !name.Known() {
			t.Errorf("%s is in the list but not known", name)
		}
	}
	if len(names) != 234 || events != 56 {
		t.Errorf("%d names, %d events", len(names), events)
	}
	if !slices.IsSorted(names) || len(slices.Compact(names)) != 234 {
		t.Error("not sorted, or a name is listed twice")
	}
}

func TestChangingTheListOfNamesChangesNoOtherCopy(t *testing.T) {
	webhook.EventNames()[0] = "spoiled"
	if webhook.EventNames()[0] == "spoiled" {
		t.Error("a change of the copy changed the table")
	}
}

func TestAnEventInTheTableHasItsListedActionsAndAnyOtherEventHasAll(t *testing.T) {
	for _, c := range []struct {
		event  webhook.EventName
		action string
		want   webhook.EventName
	}{
		{"issues", "opened", "issues.opened"},
		{"repository_vulnerability_alert", "create", "repository_vulnerability_alert.create"},
		{"host_app_authorization", "revoked", "host_app_authorization.revoked"},
		{"issues", "rerequested", ""},
		{"issues", "", ""},
		{"push", "opened", ""},
		{"merge_group", "checks_requested", "merge_group.checks_requested"},
		{"merge_group", "Checks", ""},
		{"merge_group", "", ""},
		{"merge_group", strings.Repeat("a", 101), ""},
		{"Merge Group", "opened", ""},
		{"error", "opened", ""},
		{"issues", "Opened", ""},
	} {
		if got, ok := c.event.With(c.action); got != c.want || ok != (c.want != "") {
			t.Errorf("%s with %q = %q, %v", c.event, c.action, got, ok)
		}
	}
}

func TestOnlyWellFormedNamesAreEvents(t *testing.T) {
	for name, want := range map[webhook.EventName]bool{
		"push":               true,
		"not_in_the_table_7": true,
		"__proto__":          true, // has no special meaning in Go
		"issues.opened":      false,
		"":                   false,
		"*":                  false,
		"error":              false,
		"Push":               false,
		"push ":              false,
		"püsh":               false,
		webhook.EventName(strings.Repeat("a", 100)): true,
		webhook.EventName(strings.Repeat("a", 101)): false,
	} {
		if got := name.IsEvent(); got != want {
			t.Errorf("%q: IsEvent is %v, want %v", name, got, want)
		}
	}
}

func TestANameIsDispatchedIfItIsInTheTableOrItsEventIsNot(t *testing.T) {
	for name, want := range map[webhook.EventName]struct{ wellFormed, emitted bool }{
		"issues":                       {true, true},
		"issues.opened":                {true, true},
		"issues.exploded":              {true, false},
		"push.opened":                  {true, false},
		"merge_group":                  {true, true},
		"merge_group.checks_requested": {true, true},
		"merge_group.":                 {},
		"merge_group.a.b":              {},
		".opened":                      {},
		"error":                        {},
		"error.opened":                 {},
		"*":                            {},
		"*.opened":                     {},
		"Merge-Group":                  {},
		"":                             {},
	} {
		if name.IsWellFormed() != want.wellFormed || name.IsEmitted() != want.emitted {
			t.Errorf("%q: well formed %v, emitted %v", name, name.IsWellFormed(), name.IsEmitted())
		}
	}
}

func TestAMistypedNameHasANearestKnownName(t *testing.T) {
	for name, want := range map[webhook.EventName]webhook.EventName{
		"isues":             "issues",
		"pull-request":      "pull_request",
		"issues.open":       "issues.opened",
		"Push":              "push",
		"pull_requestclose": "pull_request.closed",
		"qqqqqqqqqqqqqqqqq": "",
		webhook.EventName(strings.Repeat("push", 1000)): "",
	} {
		if got := webhook.Nearest(name); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestAnEventReturnsTheActionOfItsPayload(t *testing.T) {
	if got := (webhook.Event{Payload: []byte(`{"action":"opened"}`)}).Action(); got != "opened" {
		t.Errorf("got %q, want \"opened\"", got)
	}
	if got := (webhook.Event{Payload: []byte(`{"action":"opened"`)}).Action(); got != "" {
		t.Errorf("got %q from a broken payload", got)
	}
}

// Whatever the action in a payload, the dispatched name is well formed, can be
// registered, and is in the table if its event is.
func FuzzNameWithAction(f *testing.F) {
	f.Add("issues", "opened")
	f.Add("issues", "exploded")
	f.Add("merge_group", "checks_requested")
	f.Add("merge_group", "a.b")
	f.Add("error", "*")
	f.Add("*", "\x00")
	f.Fuzz(func(t *testing.T, event, action string) {
		name, ok := webhook.EventName(event).With(action)
		joined := webhook.EventName(event + "." + action)
		if !ok {
			if name != "" || joined.IsEmitted() {
				t.Fatalf("%q is emitted, but With gives %q", joined, name)
			}
			return
		}
		listed := webhook.EventName(event).Known()
		if name != joined || !name.IsWellFormed() || !name.IsEmitted() || listed && !name.Known() || strings.Count(string(name), ".") != 1 || len(name) > 201 {
			t.Fatalf("%q with %q is emitted as %q", event, action, name)
		}
		webhook.Nearest(name)
	})
}

func TestTheTableOfGitHubSuggestsNamesAndRefusesNone(t *testing.T) {
	all := webhook.GitHub.EventNames()
	if len(all) < 300 || !slices.IsSorted(all) || len(slices.Compact(all)) != len(webhook.GitHub.EventNames()) {
		t.Errorf("there are %d names", len(all))
	}
	for name, c := range map[webhook.EventName]struct {
		known   bool
		nearest webhook.EventName
	}{
		"push": {true, "push"}, "issues.opened": {true, "issues.opened"}, "sub_issues.sub_issue_added": {true, "sub_issues.sub_issue_added"},
		"repository_dispatch.deploy": {true, webhook.GitHub.Nearest("repository_dispatch.deploy")}, "workflow_run.deploy": {false, ""}, "yank.x": {false, ""},
		"pul_request": {false, "pull_request"}, "issues.opend": {false, "issues.opened"}, "quite_something_else": {false, ""},
	} {
		if known, nearest := webhook.GitHub.Knows(name), webhook.GitHub.Nearest(name); known != c.known || nearest != c.nearest {
			t.Errorf("%s: %v, nearest %q", name, known, nearest)
		}
		if !webhook.GitHub.IsEvent(name) {
			t.Errorf("%s is refused", name)
		}
	}
	if !slices.Equal(webhook.Host.EventNames(), webhook.EventNames()) || webhook.Host.Knows("sub_issues") {
		t.Error("the table of host is another")
	}
	if webhook.Stripe.EventNames() != nil || !webhook.Stripe.Knows("anything") || webhook.Stripe.Nearest("push") != "" {
		t.Error("stripe has a table")
	}
}

func TestAPatternThatNoEventOfTheSenderMatchesIsRecognised(t *testing.T) {
	custom := must.Get(webhook.CustomSender{SignatureHeader: "X-Sig", Scheme: "token"}.NewSender())(t)
	matches := func(pattern, name string) bool { ok, err := path.Match(pattern, name); return ok && err == nil }
	for sender, patterns := range map[*webhook.Sender]map[string]bool{
		webhook.GitHub:  {"push": true, "issues.opened": true, "repository_dispatch.deploy-prod": true, "*": true, "issues.*": true, "issue.*": false, "issues.opend": false, "invoice.paid": false},
		webhook.GitLab:  {"Push Hook": true, "*": true, "push": false},
		webhook.Stripe:  {"invoice.paid": true, "invoice.*": true, "push": false},
		webhook.Shopify: {"orders/create": true, "orders.create": false},
		webhook.Slack:   {"message": true, "anything at all": true},
		webhook.Host:    {"push": true, "anything": true, "Push Hook": false},
		custom:          {"webhook": true, "*": true, "push": false},
	} {
		for pattern, want := range patterns {
			if got := sender.MaySend(pattern, matches); got != want {
				t.Errorf("%s %s: %t, want %t", sender.Name(), pattern, got, want)
			}
		}
	}
	if !custom.HashesBody() || webhook.GitHub.HashesBody() {
		t.Error("only a custom sender without an id makes ids of bodies")
	}
}
