package webhook_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/webhook"
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
