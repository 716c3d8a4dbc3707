package inbox_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/test/must"
)

func TestARuleIsParsedFromItsShortForm(t *testing.T) {
	rule := must.Get(inbox.ParseForward("issues.opened=https://shop.example/hooks?token=a=b"))(t)
	want := inbox.Rule{Match: "issues.opened", URL: "https://shop.example/hooks?token=a=b", Concurrency: 4, Timeout: 10 * time.Second, MaxTries: 36}
	if !reflect.DeepEqual(rule, want) || rule.Key() != "issues.opened=https://shop.example/hooks?token=a=b" {
		t.Errorf("got %+v", rule)
	}
}

func TestANamedRuleKeepsItsKeyWhenItsURLChanges(t *testing.T) {
	before := must.Get(inbox.Rule{Name: "tracker", Match: "push", URL: "http://127.0.0.1:9000/"}.Complete())(t)
	after := before
	after.Match, after.URL = "*", "https://tracker.example/"
	if before.Key() != "tracker" || after.Key() != before.Key() {
		t.Errorf("its key is %q, then %q", before.Key(), after.Key())
	}
}

func TestAnInvalidRuleIsRefusedWithItsField(t *testing.T) {
	good := inbox.Rule{Match: "push", URL: "http://127.0.0.1:9000/"}
	for name, c := range map[string]struct {
		field  string
		change func(*inbox.Rule)
	}{
		"a name with a sign":    {"name", func(r *inbox.Rule) { r.Name = "push=x" }},
		"a name too long":       {"name", func(r *inbox.Rule) { r.Name = strings.Repeat("n", 65) }},
		"no match":              {"match", func(r *inbox.Rule) { r.Match = "" }},
		"not an event":          {"match", func(r *inbox.Rule) { r.Match = "Push" }},
		"an empty action":       {"match", func(r *inbox.Rule) { r.Match = "merge_group." }},
		"a foreign action":      {"match", func(r *inbox.Rule) { r.Match = "push.opened" }},
		"error":                 {"match", func(r *inbox.Rule) { r.Match = "error" }},
		"no URL":                {"url", func(r *inbox.Rule) { r.URL = "" }},
		"no scheme":             {"url", func(r *inbox.Rule) { r.URL = "127.0.0.1:9000" }},
		"another scheme":        {"url", func(r *inbox.Rule) { r.URL = "file:///etc/passwd" }},
		"no host":               {"url", func(r *inbox.Rule) { r.URL = "http:///x" }},
		"a password":            {"url", func(r *inbox.Rule) { r.URL = "http://a:b@127.0.0.1/" }},
		"a fragment":            {"url", func(r *inbox.Rule) { r.URL = "http://127.0.0.1/#x" }},
		"a private address":     {"url", func(r *inbox.Rule) { r.URL = "http://10.0.0.1/" }},
		"Azure's metadata":      {"url", func(r *inbox.Rule) { r.URL, r.Private = "http://168.63.129.16/", true }},
		"Alibaba's metadata":    {"url", func(r *inbox.Rule) { r.URL, r.Private = "http://[::ffff:100.100.100.200]/", true }},
		"metadata over IPv6":    {"url", func(r *inbox.Rule) { r.URL, r.Private = "http://[fd00:ec2::254]/", true }},
		"a metadata service":    {"url", func(r *inbox.Rule) { r.URL, r.Private = "http://169.254.169.254/", true }},
		"the unspecified host":  {"url", func(r *inbox.Rule) { r.URL = "http://[::]:80/" }},
		"a broken URL":          {"url", func(r *inbox.Rule) { r.URL = "http://[::1" }},
		"a URL not in UTF-8":    {"url", func(r *inbox.Rule) { r.URL = "http://127.0.0.1/\xff" }},
		"a URL too long":        {"url", func(r *inbox.Rule) { r.URL = "http://127.0.0.1/" + strings.Repeat("x", 2048) }},
		"too much concurrency":  {"concurrency", func(r *inbox.Rule) { r.Concurrency = 257 }},
		"a negative number":     {"concurrency", func(r *inbox.Rule) { r.Concurrency = -1 }},
		"a timeout too long":    {"timeout", func(r *inbox.Rule) { r.Timeout = time.Hour }},
		"too many tries":        {"maxTries", func(r *inbox.Rule) { r.MaxTries = 1001 }},
		"a path without steps":  {"orderBy", func(r *inbox.Rule) { r.OrderBy = "$" }},
		"a path with a gap":     {"orderBy", func(r *inbox.Rule) { r.OrderBy = "a..b" }},
		"a path cut off":        {"orderBy", func(r *inbox.Rule) { r.OrderBy = "a." }},
		"an unclosed index":     {"orderBy", func(r *inbox.Rule) { r.OrderBy = "a[0" }},
		"an index below zero":   {"orderBy", func(r *inbox.Rule) { r.OrderBy = "a[-1]" }},
		"a name after an index": {"orderBy", func(r *inbox.Rule) { r.OrderBy = "a[0]b" }},
		"a dot at the end":      {"orderBy", func(r *inbox.Rule) { r.OrderBy = "a[0]." }},
		"a path not in UTF-8":   {"orderBy", func(r *inbox.Rule) { r.OrderBy = "a\xff" }},
		"a path too deep":       {"orderBy", func(r *inbox.Rule) { r.OrderBy = strings.Repeat("a.", 16) + "a" }},
	} {
		rule := good
		c.change(&rule)
		_, err := rule.Complete()
		if f := fault.As(err); !errors.Is(err, inbox.ErrRule) || f.Fields[c.field] == "" || !strings.Contains(f.Msg, c.field) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := inbox.ParseForward("push"); !errors.Is(err, inbox.ErrRule) {
		t.Errorf("without a target: %v, want %v", err, inbox.ErrRule)
	}
}

func TestAPrivateRuleMayUseAPrivateAddress(t *testing.T) {
	if _, err := (inbox.Rule{Match: "*", URL: "http://192.168.0.9:8080/", Private: true}).Complete(); err != nil {
		t.Error(err)
	}
}

func TestASuggestionComesWithAMistypedEvent(t *testing.T) {
	for _, text := range []string{"Issues=http://127.0.0.1/", "issues.opend=http://127.0.0.1/"} {
		_, err := inbox.ParseForward(text)
		if err == nil || !strings.Contains(err.Error(), `did you mean "issues`) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestEveryInvalidSettingIsNamed(t *testing.T) {
	must.Do(t, inbox.DefaultConfig().Validate())
	err := (inbox.Config{PayloadRetention: -1, GracePeriod: -1, ReplayWindow: -1, DeliveryRetention: -2}).Validate()
	if err == nil || strings.Count(err.Error(), "\n") != 9 {
		t.Errorf("got %v", err)
	}
}
