package serving_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/meminbox"
	"github.com/octavo-books/octavo/test/must"
)

// words compiles conditions of one word: the name of a field of the payload that must be true.
type words struct{ asked *int }

func (w words) CompileExpression(text string) (inbox.Expression, error) {
	if strings.Contains(text, " ") {
		return nil, errors.New("character 2: a space")
	}
	return word{w, text}, nil
}

type word struct {
	words
	key string
}

func (w word) Matches(f *inbox.Facts) bool {
	*w.asked++
	return string(f.Field(w.key, []inbox.PathStep{{Name: w.key}})) == "true" && f.Event == "push" && f.Source == inbox.DefaultSource && f.ID != ""
}

func TestARuleForwardsOnlyDeliveriesThatMeetItsCondition(t *testing.T) {
	asked := 0
	both := []inbox.Rule{{Name: "r", Match: "push", Where: "ready", URL: shop}, {Name: "all", Match: "*", URL: press}}
	run(t, setup{rules: both, expressions: words{&asked}.CompileExpression}, func(h *harness) {
		h.accept("yes", "push", `{"ready":true}`)
		h.accept("no", "push", `{"ready":false}`)
		h.accept("missing", "push", `{}`)
		h.accept("other", "issues", `{"ready":true}`)
		h.settle()
		if h.count(shop) != 1 || h.count(press) != 4 || asked != 3 {
			h.Errorf("the rule has got %d, the other %d, and the condition was evaluated %d times", h.count(shop), h.count(press), asked)
		}
		for _, admin := range []*inbox.Admin{h.svc.Admin, h.otherProcess()} {
			for id, want := range map[string]int{"yes": 2, "no": 1, "missing": 1, "other": 1} {
				if n, err := admin.Redeliver(h.Context(), "", id); n != want || err != nil {
					h.Errorf("%s is redelivered to %d, %v; want %d", id, n, err, want)
				}
			}
		}
		h.pass(2 * time.Second)
		list, err := h.otherProcess().ListRules(h.Context())
		if err != nil || list[0].Where != "ready" {
			h.Errorf("the list is %+v, %v", list, err)
		}
	})
}

// count is how many requests a target has got.
func (h *harness) count(url string) (n int) {
	h.target.mu.Lock()
	defer h.target.mu.Unlock()
	for _, s := range h.target.got {
		if s.URL == url {
			n++
		}
	}
	return n
}

func TestAMistakeInAConditionLeavesTheRulesAsTheyWere(t *testing.T) {
	asked := 0
	run(t, setup{rules: rules("*=" + shop), expressions: words{&asked}.CompileExpression}, func(h *harness) {
		err := h.svc.SetRules([]inbox.Rule{{Match: "*", Where: "a b", URL: press}}, secret)
		if !errors.Is(err, inbox.ErrRule) || !strings.Contains(err.Error(), "where: character 2: a space") {
			h.Errorf("the error is %v", err)
		}
		h.accept("a", "push", "{}")
		h.settle()
		if h.count(shop) != 1 {
			h.Errorf("sent %v", h.target.sent())
		}
	})
	run(t, setup{}, func(h *harness) {
		must.Refuse(h, h.svc.SetRules([]inbox.Rule{{Match: "*", Where: "a", URL: press}}, secret), inbox.ErrRule, "without a compiler the error is")
	})
}

func TestAFieldThatSeveralConditionsNeedIsLookedUpOnce(t *testing.T) {
	f := inbox.NewFacts(inbox.Delivery{Event: webhook.EventName("push"), Payload: []byte(`{"a":[1,{"b":"x"}]}`)})
	path := []inbox.PathStep{{Name: "a"}, {Index: 1}, {Name: "b"}}
	if got := string(f.Field("a", path)); got != `"x"` {
		t.Errorf("it is %s", got)
	}
	if n := testing.AllocsPerRun(10, func() { f.Field("a", path) }); n != 0 {
		t.Errorf("%v allocations for the second time, want 0", n)
	}
}

// A condition asks for the fields of a form, and for elements of an array, as for those of an
// object.
func TestAConditionReadsFormsArraysAndTexts(t *testing.T) {
	field := func(kind, body string, path ...inbox.PathStep) string {
		d := inbox.Delivery{Header: map[string]string{"Content-Type": kind}, Payload: []byte(body)}
		return string(inbox.NewFacts(d).Field("x", path))
	}
	for want, got := range map[string]string{
		`"+1 234"`:     field("application/x-www-form-urlencoded; charset=utf-8", "From=%2B1+234&To=a", inbox.PathStep{Name: "From"}),
		`"b"`:          field("application/x-www-form-urlencoded", "x=a&x=b", inbox.PathStep{Name: "x"}, inbox.PathStep{Index: 1}),
		``:             field("application/x-www-form-urlencoded", "x=%zz", inbox.PathStep{Name: "x"}),
		`"say \"hi\""`: field("text/plain", `say "hi"`),
		`"a=1\n"`:      field("application/x-ini", "a=1\n"),
		`"{a: b"`:      field("application/yaml", `{a: b`),
		`"hi"`:         field("", `hi`),
		`"sns"`:        field("text/plain; charset=UTF-8", `{"Type":"sns"}`, inbox.PathStep{Name: "Type"}),
		`7`:            field("application/cloudevents+json", `[7]`, inbox.PathStep{Index: 0}),
		`"bounce"`:     field("application/json", `[{"event":"open"},{"event":"bounce"}]`, inbox.PathStep{Index: 1}, inbox.PathStep{Name: "event"}),
		`{"a":"b"}`:    field("application/json", `{"a":"b"}`),
	} {
		if got != want {
			t.Errorf("it reads %s, want %s", got, want)
		}
	}
}

func TestACountRefusesARangeWithoutBoundsAndTooManySteps(t *testing.T) {
	store := meminbox.New()
	admin := inbox.NewAdmin(inbox.Ports{Store: store})
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	hour := inbox.Query{From: noon, To: noon.Add(time.Hour)}
	if counts, err := admin.CountDeliveries(t.Context(), hour, 18*time.Second); err != nil || len(counts) != inbox.MaxCounts {
		t.Errorf("%d counts, %v; want %d", len(counts), err, inbox.MaxCounts)
	}
	for name, c := range map[string]struct {
		q    inbox.Query
		step time.Duration
	}{
		"no end":            {inbox.Query{From: noon}, time.Hour},
		"no beginning":      {inbox.Query{To: noon}, time.Hour},
		"a reversed range":  {inbox.Query{From: noon.Add(time.Hour), To: noon}, time.Hour},
		"too many steps":    {hour, 17 * time.Second},
		"no step":           {hour, 0},
		"an unknown state":  {inbox.Query{From: noon, To: noon.Add(time.Hour), State: "lost"}, time.Hour},
		"half of a second":  {inbox.Query{From: noon, To: noon.Add(time.Second)}, time.Second / 2},
		"an event's action": {inbox.Query{From: noon, To: noon.Add(time.Hour), Event: "issues.opened"}, time.Hour},
	} {
		must.Refuse(t, must.Err(admin.CountDeliveries(t.Context(), c.q, c.step)), inbox.ErrQuery, name)
	}
}

// searched returns the ids that a search finds, over all pages, and their number.
func (h *harness) searched(q inbox.Query) (ids []string, pages int) {
	h.Helper()
	for more := true; more; pages++ {
		page, next := must.Get2(h.svc.ListDeliveries(h.Context(), q))(h)
		for _, d := range page {
			ids = append(ids, d.ID)
			if d.Payload != nil {
				h.Errorf("%s is listed with its payload", d.ID)
			}
		}
		q.Before, more = next, next != 0
	}
	return ids, pages
}

func TestDeliveriesAreFoundByIDAndByTextOfThePayload(t *testing.T) {
	run(t, setup{}, func(h *harness) {
		h.accept("72d3", "push", `{"ref":"refs/heads/main"}`)
		h.accept("abcd", "issues", `{"title":"72d3 is broken"}`)
		h.accept("72d3-2", "push", `{"ref":"refs/tags/v1"}`)
		for text, want := range map[string][]string{
			"72d3": {"72d3", "72d3-2", "abcd"}, "refs/": {"72d3-2", "72d3"}, "v1": {"72d3-2"}, "abcd": {"abcd"}, "none": nil,
		} {
			if got, _ := h.searched(inbox.Query{Text: text}); !slices.Equal(got, want) {
				h.Errorf("%s finds %v, want %v", text, got, want)
			}
		}
		if got, _ := h.searched(inbox.Query{Text: "72d3", Event: "issues"}); !slices.Equal(got, []string{"abcd"}) {
			h.Errorf("among issues it finds %v", got)
		}
		for _, bad := range []string{"a\nb", strings.Repeat("x", 201)} {
			if _, _, err := h.svc.ListDeliveries(h.Context(), inbox.Query{Text: bad}); !errors.Is(err, inbox.ErrQuery) {
				h.Errorf("%.10q: %v, want %v", bad, err, inbox.ErrQuery)
			}
		}
	})
}

func TestASearchExaminesABoundedNumberOfDeliveries(t *testing.T) {
	run(t, setup{}, func(h *harness) {
		for i := range 4100 {
			h.accept(fmt.Sprint("d", i), "push", fmt.Sprintf(`{"n":"x%dx"}`, i))
		}
		if got, pages := h.searched(inbox.Query{Text: "x7x"}); !slices.Equal(got, []string{"d7"}) || pages != 3 {
			h.Errorf("it finds %v in %d pages", got, pages)
		}
	})
}

type never struct{}

func (never) Matches(*inbox.Facts) bool { return false }

func (never) CompileExpression(string) (inbox.Expression, error) { return never{}, nil }

func TestEveryRuleSaysWhetherItWouldTakeADelivery(t *testing.T) {
	all := []inbox.Rule{
		{Name: "takes", Match: "push", URL: shop}, {Name: "other", Source: "ci", Match: "*", URL: shop}, {Name: "pattern", Match: "issues\nissues.*", URL: shop},
		{Name: "condition", Match: "*", Where: "payload.a", URL: shop}, {Name: "paused", Match: "*", Paused: true, URL: shop},
		{Name: "halted", Match: "*", URL: shop},
	}
	run(t, setup{rules: all, expressions: never{}.CompileExpression}, func(h *harness) {
		h.accept("a", "push", `{}`)
		h.pass(time.Second)
		must.Do(h, h.svc.PauseRule(h.Context(), "halted"))
		d := must.Get(h.svc.FindDelivery(context.Background(), "", "a"))(t)
		verdicts, err := h.svc.ExplainRules(h.Context(), d)
		want := []inbox.Verdict{
			{Rule: "takes", Takes: true}, {Rule: "other", Why: "it is for the source ci"}, {Rule: "pattern", Why: "no pattern of issues, issues.* matches the event"},
			{Rule: "condition", Why: "its condition does not hold: payload.a"}, {Rule: "paused", Takes: true, Why: "it is paused in the file of rules, so the delivery would wait"},
			{Rule: "halted", Takes: true, Why: "it is paused, so the delivery would wait"},
		}
		if err != nil || !slices.Equal(verdicts, want) {
			h.Errorf("%+v, %v", verdicts, err)
		}
	})
}
