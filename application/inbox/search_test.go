package inbox_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/must"
)

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
	}
	run(t, setup{rules: all, expressions: never{}}, func(h *harness) {
		h.accept("a", "push", `{}`)
		h.pass(time.Second)
		d := must.Get(h.svc.FindDelivery(context.Background(), "", "a"))(t)
		verdicts, err := h.svc.ExplainRules(h.Context(), d)
		want := []inbox.Verdict{
			{"takes", true, ""}, {"other", false, "it is for the source ci"}, {"pattern", false, "no pattern of issues, issues.* matches the event"},
			{"condition", false, "its condition does not hold: payload.a"}, {"paused", true, "it is paused in the file of rules, so the delivery would wait"},
		}
		if err != nil || !slices.Equal(verdicts, want) {
			h.Errorf("%+v, %v", verdicts, err)
		}
	})
}
