package inbox_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/meminbox"
	"github.com/octavo-books/octavo/test/must"
)

func TestRulesForEventsOutsideTheTableWork(t *testing.T) {
	run(t, setup{rules: rules("merge_group="+shop, "merge_group.checks_requested="+press, "merge_group.destroyed=http://127.0.0.1:1/")}, func(h *harness) {
		h.accept("a", "merge_group", `{"action":"checks_requested"}`)
		h.settle()
		h.target.want(h, "a 1", "a 1")
		h.accept("b", "merge_group", `{"action":"Checks Requested"}`) // not a valid action name
		h.settle()
		h.target.want(h, "a 1", "a 1", "b 1")
	})
}

func TestARuleForAnEventOutsideTheTableIsLoggedOnce(t *testing.T) {
	var logged bytes.Buffer
	all := rules("isues.opened="+shop, "merge_group="+press, "issues="+shop, "*="+shop)
	svc := must.Get(inbox.New(inbox.Ports{Deliveries: meminbox.New(), Clock: clock{}}, inbox.DefaultConfig(), all, secret, slog.New(slog.NewTextHandler(&logged, nil))))(t)
	must.Do(t, svc.SetRules(all, secret))
	lines := strings.Split(strings.TrimSpace(logged.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "level=WARN") || !strings.Contains(lines[0], "match=isues.opened nearest=issues.opened") || !strings.Contains(lines[1], "match=merge_group") {
		t.Errorf("logged %q", lines)
	}
	if strings.Contains(logged.String(), shop) || strings.Contains(logged.String(), press) {
		t.Errorf("the URL of a rule may hold a secret, and was logged: %q", lines)
	}
}
