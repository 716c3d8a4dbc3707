package inbox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

func TestEveryAttemptIsShownWithItsAnswer(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop + "?token=hidden")}, func(h *harness) {
		h.target.answer(shop+"?token=hidden", func(s inbox.ForwardRequest) (inbox.ForwardResponse, error) {
			<-time.After(time.Second)
			switch s.Attempt {
			case 1:
				return inbox.ForwardResponse{}, errRefused
			case 2:
				return inbox.ForwardResponse{Status: 503, Answer: []byte("sp\xe4ter\x00\r\n" + strings.Repeat("x", 5000))}, nil
			}
			return inbox.ForwardResponse{Status: 204}, nil
		})
		h.accept("a", "push", "{}")
		begun := clock{}.Now()
		h.pass(time.Minute)
		h.wantState("a", "delivered")
		d, err := h.svc.FindDelivery(h.Context(), "", "a")
		if err != nil || len(d.Attempts) != 3 {
			t.Fatalf("%+v, %v", d.Attempts, err)
		}
		want := []inbox.Attempt{
			{Number: 1, At: begun, Error: "connection refused"},
			{Number: 2, At: d.Attempts[1].At, Status: 503, Error: "answered 503", Answer: "sp\uFFFDter\uFFFD\n" + strings.Repeat("x", inbox.MaxAnswer-12)},
			{Number: 3, At: d.Attempts[2].At, Status: 204},
		}
		for n, a := range d.Attempts {
			want[n].Job, want[n].Rule, want[n].Target, want[n].Duration = d.Jobs[0].ID, d.Jobs[0].Rule, shop, time.Second
			if a.At.Equal(want[n].At) {
				a.At = want[n].At
			}
			if a != want[n] {
				t.Errorf("got  %+v\nwant %+v", a, want[n])
			}
		}
	})
}

func TestADeliveryReturnedUnsentHasNoAttempt(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop)}, func(h *harness) {
		h.target.answer(shop, takes(time.Hour))
		h.accept("a", "push", "{}")
		h.settle()
		h.end()
		if d, err := h.svc.FindDelivery(h.Context(), "", "a"); err != nil || len(d.Attempts) != 0 || d.State() != "pending" {
			t.Errorf("%+v, %v", d, err)
		}
	})
}

func TestATargetIsShownWithoutItsQuery(t *testing.T) {
	for url, want := range map[string]string{
		"http://127.0.0.1:9000/a%2Fb?token=x&y": "http://127.0.0.1:9000/a%2Fb", "https://example.com": "https://example.com",
		"http://x/" + strings.Repeat("y", 1000): "http://x/" + strings.Repeat("y", 491),
	} {
		if got := (inbox.Rule{URL: url}).Target(); got != want {
			t.Errorf("%s is shown as %s", url, got)
		}
	}
}
