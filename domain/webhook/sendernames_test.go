package webhook_test

import (
	"slices"
	"testing"

	"github.com/octavo-books/octavo/domain/webhook"
)

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
