package serving_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/must"
)

func TestARuleForwardsWhatItsPatternsAndItsSourceMatch(t *testing.T) {
	for _, c := range []struct {
		source, match string
		want          string // of the deliveries below, by their first letter
	}{
		{"", "*", "push issues Push pay"},
		{"", "push", "push"},
		{"", "issues", "issues"},
		{"", "issues.opened", "issues"},
		{"", "issues.*", "issues"},
		{"", "iss*.o*d", "issues"},
		{"", "*opened", "issues"},
		{"", "issues.*x*", ""},
		{"ci", "*", "push issues"},
		{"ci", "invoice.*", ""},
		{"", "invoice.*", "pay"},
		{"shop", "invoice.payment.failed", "pay"},
		{"", "Push Hook", "Push"},
		{"", "Push*\ninvoice.*", "Push pay"},
		{"", "**", "push issues Push pay"},
	} {
		rule := inbox.Rule{Source: c.source, Match: c.match, URL: shop}
		run(t, setup{rules: []inbox.Rule{rule}}, func(h *harness) {
			h.acceptFrom("ci", "push", "push", "")
			h.acceptFrom("ci", "issues", "issues", "opened")
			h.acceptFrom("lab", "Push", "Push Hook", "")
			h.acceptFrom("shop", "pay", "invoice.payment.failed", "")
			h.settle()
			got := map[string]bool{}
			for _, r := range h.target.got {
				_, id, _ := strings.Cut(r.ID, ":")
				got[id] = true
			}
			for _, id := range []string{"push", "issues", "Push", "pay"} {
				if want := strings.Contains(" "+c.want+" ", " "+id+" "); got[id] != want {
					h.Errorf("%q of %q forwards %s: %t, want %t", c.match, c.source, id, got[id], want)
				}
			}
		})
	}
}

func TestAPatternThatNoDeliveryMatchesIsRefused(t *testing.T) {
	for _, match := range []string{"", "push\n", "a\x00b", ".x", "x.", "é", strings.Repeat("x", 202), strings.Repeat("push\n", 100) + "push"} {
		if _, err := (inbox.Rule{Source: "ci", Match: match, URL: shop}).Complete(); !errors.Is(err, inbox.ErrRule) {
			t.Errorf("%.20q: %v, want %v", match, err, inbox.ErrRule)
		}
	}
	many := inbox.Rule{Match: strings.Repeat(strings.Repeat("x", 100)+"\n", 30) + "push", URL: shop}
	if _, err := many.Complete(); !errors.Is(err, inbox.ErrRule) || !strings.Contains(err.Error(), "needs a name") {
		t.Errorf("a key that is too long for an index: %v", err)
	}
	many.Name = "many"
	if _, err := many.Complete(); err != nil {
		t.Errorf("with a name: %v", err)
	}
	for _, match := range []string{"Push", "push.opened", "error"} {
		if _, err := (inbox.Rule{Match: match, URL: shop}).Complete(); !errors.Is(err, inbox.ErrRule) {
			t.Errorf("%q of any source: %v, want %v", match, err, inbox.ErrRule)
		}
		if _, err := (inbox.Rule{Source: "ci", Match: match, URL: shop}).Complete(); err != nil {
			t.Errorf("%q of another sender: %v", match, err)
		}
	}
}

// maxWait is longer than the service waits between two polls.
const maxWait = 5 * time.Second

func TestAPausedRuleForwardsNothingUntilItIsResumed(t *testing.T) {
	rule := inbox.Rule{Name: "r", Match: "*", URL: shop, Paused: true}
	run(t, setup{rules: []inbox.Rule{rule}}, func(h *harness) {
		h.accept("one", "push", "{}")
		h.pass(maxWait)
		h.target.want(h)
		h.wantState("one", "pending")
		rule.Paused = false
		must.Do(h, h.svc.SetRules([]inbox.Rule{rule}, secret))
		h.pass(maxWait)
		h.target.want(h, "one 1")
	})
}

func TestTheHeadersOfARuleAreSentToItsTarget(t *testing.T) {
	rule := inbox.Rule{Match: "*", URL: shop, Headers: map[string]string{"Authorization": "Bearer x"}}
	run(t, setup{rules: []inbox.Rule{rule}}, func(h *harness) {
		h.accept("one", "push", "{}")
		h.settle()
		if len(h.target.got) != 1 || h.target.got[0].RuleHeader["Authorization"] != "Bearer x" {
			h.Errorf("sent %+v", h.target.got)
		}
	})
	for name, value := range map[string]string{"a b": "x", "": "x", "X": "a\nb", "Host": "x", "content-length": "1", "webhook-id": "x", "X-Host-Event": "x", "Y": "hidden\x00"} {
		rule.Headers = map[string]string{name: value}
		if _, err := rule.Complete(); !errors.Is(err, inbox.ErrRule) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("issues.*", "issues.opened")
	f.Add("a*b*a", "ababa")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if strings.Contains(name, "*") || strings.Contains(pattern, "\n") {
			return
		}
		got := inbox.MatchesPattern(pattern, name)
		if pattern == name && !got || got && !strings.Contains(pattern, "*") && pattern != name {
			t.Errorf("%q and %q: %t", pattern, name, got)
		}
		if got && !inbox.MatchesPattern(pattern+"*", name+"x") {
			t.Errorf("%q matches %q but not with more at the end", pattern, name)
		}
	})
}
