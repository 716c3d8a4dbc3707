package serving_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/serving"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/meminbox"
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
	must.Refuse(t, must.Err(inbox.ParseForward("push")), inbox.ErrRule, "without a target")
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
	must.Do(t, serving.DefaultConfig().Validate())
	err := (serving.Config{PayloadRetention: -1, GracePeriod: -1, ReplayWindow: -1, DeliveryRetention: -2}).Validate()
	if err == nil || strings.Count(err.Error(), "\n") != 9 {
		t.Errorf("got %v", err)
	}
}

// countingQueue counts the queries of the store.
type countingQueue struct {
	inbox.Store
	asked atomic.Int32
}

func (q *countingQueue) ClaimJobs(ctx context.Context, c inbox.Claim) ([]inbox.Task, error) {
	q.asked.Add(1)
	return q.Store.ClaimJobs(ctx, c)
}

func (q *countingQueue) DueRules(ctx context.Context, now time.Time) ([]string, time.Time, error) {
	q.asked.Add(1)
	return q.Store.DueRules(ctx, now)
}

// Otherwise a thousand rules would take a core of the database without a delivery.
func TestRulesWithoutJobsDoNotQueryTheStore(t *testing.T) {
	var all []inbox.Rule
	for i := range 100 {
		all = append(all, inbox.Rule{Name: fmt.Sprint("r", i), Match: "push", URL: shop, Concurrency: 1})
	}
	queue := &countingQueue{}
	wrap := func(store *meminbox.Inbox) inbox.Store { queue.Store = store; return queue }
	run(t, setup{rules: all, store: wrap}, func(h *harness) {
		h.settle()
		started := queue.asked.Load()
		<-time.After(10 * serving.DefaultConfig().PollInterval)
		if n := queue.asked.Load() - started; n > 20 {
			h.Errorf("100 rules without jobs queried the store %d times in ten intervals", n)
		}
	})
}

// The matching rules are cached for a bounded number of events. Each delivery goes to the targets of
// the current rules, also with more events and after a change of the rules.
func TestEachOfManyEventsIsForwardedByTheRulesThatMatchNow(t *testing.T) {
	const events = 5000
	run(t, setup{rules: []inbox.Rule{{Name: "odd", Source: "ci", Match: "*1\n*3", URL: shop, Concurrency: 256}}}, func(h *harness) {
		for round := range 2 {
			for i := range events {
				h.acceptFrom("ci", fmt.Sprint(round, "-", i), webhook.EventName(fmt.Sprint("e", i)), "")
			}
			h.settle()
			must.Do(h, h.svc.SetRules([]inbox.Rule{{Name: "odd", Source: "ci", Match: "*5", URL: shop, Concurrency: 256}}, secret))
		}
		first, second := 0, 0
		for _, r := range h.target.got {
			if strings.HasPrefix(r.ID, "ci:0") {
				first++
			} else {
				second++
			}
		}
		if first != events/5 || second != events/10 {
			h.Errorf("forwarded %d, then %d", first, second)
		}
	})
}

// keys returns the keys of the rules in a text.
func keys(t *testing.T, text string) (list []string) {
	t.Helper()
	rules, err := inbox.ParseForwards(text)
	if err != nil {
		t.Errorf("%q: %v", text, err)
	}
	for _, rule := range rules {
		list = append(list, rule.Key())
	}
	return list
}

func TestOneSettingHoldsAnyNumberOfRules(t *testing.T) {
	const (
		a = "push=http://127.0.0.1:9000/a"
		b = "issues.opened=https://b.example/?token=x=y"
		c = "*=http://[::1]:9000/"
	)
	for _, separator := range []string{" ", "\n", ",", ", ", " , ", ",\n\t", "\r\n", ",,"} {
		for _, around := range []string{"", " ", "\n", ","} {
			text := around + strings.Join([]string{a, b, c}, separator) + around
			if got := keys(t, text); !slices.Equal(got, []string{a, b, c}) {
				t.Errorf("%q holds %q", text, got)
			}
		}
	}
}

func TestACommaInAURLBelongsToTheURL(t *testing.T) {
	for _, url := range []string{
		"http://127.0.0.1/?ids=1,2,3", "http://127.0.0.1/a,b/c?x=1,y=2&z=,", "http://127.0.0.1/?status=open,push=1",
		"http://127.0.0.1/?to=http://x/,a&b=http://y/", "http://127.0.0.1/?next=%2Cpush=http://x/",
	} {
		want := "push=" + strings.TrimRight(url, ",")
		if got := keys(t, "push="+url); !slices.Equal(got, []string{want}) {
			t.Errorf("%q is read as %q", url, got)
		}
		if got := keys(t, "push="+url+",issues=http://127.0.0.1/"); !slices.Equal(got, []string{want, "issues=http://127.0.0.1/"}) {
			t.Errorf("%q and another are read as %q", url, got)
		}
	}
}

func TestAMistakeInASecondRuleIsNotReadAsPartOfTheFirstURL(t *testing.T) {
	mistyped := []string{"push=http://127.0.0.1/", "isues=http://127.0.0.1/"} // could be a future event: the service only warns
	if got := keys(t, strings.Join(mistyped, ",")); !slices.Equal(got, mistyped) {
		t.Errorf("read %q, want %q", got, mistyped)
	}
	for text, want := range map[string]string{
		"push=http://127.0.0.1/,issues=htp://127.0.0.1/": `"htp://127.0.0.1/"`,
		"push=http://127.0.0.1/ issues":                  `"issues"`,
		"push=http://127.0.0.1/\nhttp://127.0.0.1/":      "match=url",
		"push=http://127.0.0.1/,Issues=http://127.0.0.1": `"Issues"`,
		"":    "match=url",
		" , ": "match=url",
	} {
		if _, err := inbox.ParseForwards(text); !errors.Is(err, inbox.ErrRule) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Joined rules are parsed back into the same rules, whatever the separator.
func FuzzForwards(f *testing.F) {
	for _, text := range []string{
		"push=http://a/,issues.opened=https://b/?x=1,y=2 *=http://c/", "push=http://a/?u=,,push=http://b,\n", ",push=http://a,,", "push=http://a/?=,*=http://b",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rules, err := inbox.ParseForwards(text)
		if err != nil {
			return
		}
		var texts []string
		for _, rule := range rules {
			if strings.ContainsAny(rule.URL, " \t\r\n") || strings.HasSuffix(rule.URL, ",") {
				t.Errorf("%q has the URL %q", text, rule.URL)
			}
			texts = append(texts, rule.Key())
		}
		for _, separator := range []string{" ", "\n", ",", ", "} {
			again, err := inbox.ParseForwards(strings.Join(texts, separator))
			if err != nil || !reflect.DeepEqual(again, rules) {
				t.Errorf("%q is parsed as %+v, then as %+v, %v", text, rules, again, err)
			}
		}
	})
}
