package inbox_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook"
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
	run(t, setup{rules: both, expressions: words{&asked}}, func(h *harness) {
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
	run(t, setup{rules: rules("*=" + shop), expressions: words{&asked}}, func(h *harness) {
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
		if err := h.svc.SetRules([]inbox.Rule{{Match: "*", Where: "a", URL: press}}, secret); !errors.Is(err, inbox.ErrRule) {
			h.Errorf("without a compiler the error is %v, want %v", err, inbox.ErrRule)
		}
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
