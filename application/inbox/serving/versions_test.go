package serving_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/serving"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/meminbox"
	"github.com/octavo-books/octavo/test/must"
)

// again sends a delivery and requires its receipt.
func (h *harness) again(id, body string, want inbox.Receipt) {
	h.Helper()
	e := webhook.Event{ID: id, Name: "push", Payload: []byte(body), Header: map[string]string{}}
	if got, err := h.svc.AcceptDelivery(h.Context(), "ci", e, ""); err != nil || got != want {
		h.Errorf("%s %s: %q, %v; want %q", id, body, got, err, want)
	}
	h.settle()
}

func TestPressingRedeliverSendsADeadDeliveryAgain(t *testing.T) {
	rule := inbox.Rule{Match: "*", URL: "http://a.example/", MaxTries: 1, AnyName: true}
	run(t, setup{rules: []inbox.Rule{rule}, down: []string{"http://a.example/"}}, func(h *harness) {
		h.again("1", "{}", inbox.Stored)
		h.wantState("1", "dead")
		h.target.answer("http://a.example/", status(200))
		h.again("1", "{}", inbox.Redelivered)
		h.wantState("1", "delivered")
		h.again("1", "{}", inbox.SeenBefore)
		h.target.want(h, "ci:1 1", "ci:1 1")
		if !h.target.got[1].Redelivery || h.meter.count("ci redelivered") != 1 || h.meter.count("ci duplicate") != 1 || h.meter.count("ci stored") != 1 {
			h.Errorf("sent %+v, counted %v", h.target.got[1], h.meter.counts)
		}
		if !strings.Contains(h.log.text.String(), `level=INFO msg="a delivery was seen before" source=ci id=1 event=push`) {
			h.Errorf("logged %s", h.log.text.String())
		}
	})
}

func TestPressingRedeliverSendsWhatNoRuleTookByTheRulesOfNow(t *testing.T) {
	run(t, setup{}, func(h *harness) {
		h.again("1", "{}", inbox.Stored)
		h.wantState("1", "unmatched")
		h.again("1", "{}", inbox.SeenBefore)
		if h.meter.count("ci unmatched") != 1 {
			h.Errorf("counted %v", h.meter.counts)
		}
		must.Do(t, h.svc.SetRules([]inbox.Rule{{Match: "*", URL: "http://a.example/"}}, secret))
		h.again("1", "{}", inbox.Redelivered)
		h.wantState("1", "delivered")
		h.target.want(h, "ci:1 1")
	})
}

func TestOnlyTheRulesThatHaveNotAcceptedGetARepeatedDelivery(t *testing.T) {
	rule := func(url string) inbox.Rule { return inbox.Rule{Match: "*", URL: url, MaxTries: 1} }
	run(t, setup{rules: []inbox.Rule{rule("http://a.example/"), rule("http://b.example/")}, down: []string{"http://b.example/"}}, func(h *harness) {
		h.again("1", "{}", inbox.Stored)
		must.Do(t, h.svc.SetRules([]inbox.Rule{rule("http://a.example/"), rule("http://b.example/"), rule("http://c.example/")}, secret))
		h.target.got = nil
		h.again("1", "{}", inbox.Redelivered)
		var urls []string
		for _, r := range h.target.got {
			urls = append(urls, r.URL)
		}
		if slices.Sort(urls); !slices.Equal(urls, []string{"http://b.example/", "http://c.example/"}) {
			h.Errorf("sent to %v", urls)
		}
	})
}

func TestWhatWaitsIsNotSentTwiceWhenItIsRepeated(t *testing.T) {
	run(t, setup{rules: rules("*=http://a.example/"), down: []string{"http://a.example/"}}, func(h *harness) {
		h.again("1", "{}", inbox.Stored)
		h.again("1", "{}", inbox.SeenBefore)
		if d, err := h.svc.FindDelivery(h.Context(), "ci", "1"); err != nil || len(d.Jobs) != 1 {
			h.Errorf("it has %+v, %v", d.Jobs, err)
		}
	})
}

func TestAnotherBodyUnderAKnownIDIsStoredBesideAndForwarded(t *testing.T) {
	config := serving.DefaultConfig()
	config.ReplayWindow = time.Hour
	run(t, setup{rules: rules("*=http://a.example/"), config: config}, func(h *harness) {
		h.again("1", "{}", inbox.Stored)
		h.again("1", `{"n":2}`, inbox.Conflicting)
		h.again("1", `{"n":3}`, inbox.Conflicting)
		h.again("1", `{"n":2}`, inbox.SeenBefore)
		h.again("1", `{}`, inbox.SeenBefore)
		h.target.want(h, "ci:1 1", "ci:1~2 1", "ci:1~3 1")
		d, err := h.svc.FindDelivery(h.Context(), "ci", "1")
		if err != nil || !d.Conflict || string(d.Payload) != `{"n":3}` || d.SenderID() != "1" || !slices.Equal(d.Others, []string{"1~2", "1~1"}) {
			h.Errorf("found %+v, %v", d, err)
		}
		if len(h.log.warnings("another body arrived")) != 2 || h.meter.count("ci conflict") != 2 || h.meter.count("ci duplicate") != 2 {
			h.Errorf("logged %s, counted %v", h.log.text.String(), h.meter.counts)
		}
		if n, err := h.svc.Redeliver(h.Context(), "ci", "1~1"); n != 1 || err != nil {
			h.Errorf("redelivered the first to %d, %v", n, err)
		}
		h.settle()
		if got := h.target.got[3]; got.ID != "ci:1" || string(got.Payload) != "{}" {
			h.Errorf("redelivered %+v", got)
		}
	})
}

func TestRedeliveringAllSendsEachOfTheDeliveriesWithOneID(t *testing.T) {
	run(t, setup{rules: rules("*=http://a.example/")}, func(h *harness) {
		h.again("1", "{}", inbox.Stored)
		h.again("1", `{"n":2}`, inbox.Conflicting)
		if done, err := h.svc.RedeliverAll(h.Context(), inbox.Query{}); err != nil || done.Deliveries != 2 {
			h.Errorf("%+v, %v", done, err)
		}
		h.settle()
		ids := map[string]int{}
		for _, line := range h.target.sent() {
			ids[line]++
		}
		if !maps.Equal(ids, map[string]int{"ci:1 1": 2, "ci:1~2 1": 2}) {
			h.Errorf("sent %v", ids)
		}
	})
}

func TestOfConcurrentBodiesUnderOneIDEachIsStoredOnce(t *testing.T) {
	run(t, setup{}, func(h *harness) {
		must.Together(8, func(n int) {
			e := webhook.Event{ID: "1", Name: "push", Payload: []byte(fmt.Sprint(`{"n":`, n/2, `}`)), Header: map[string]string{}}
			if _, err := h.svc.AcceptDelivery(h.Context(), "ci", e, ""); err != nil {
				t.Error(err)
			}
		})
		if page, _, err := h.svc.ListDeliveries(h.Context(), inbox.Query{}); err != nil || len(page) != 4 {
			t.Errorf("%d are stored, %v; want 4", len(page), err)
		}
	})
}

func TestManyRequestsWithOneIDAreAllStoredIfTheSourceRemembersNone(t *testing.T) {
	run(t, setup{}, func(h *harness) {
		h.svc.SetSources(map[string]inbox.Source{"ci": {Sender: webhook.GitHub, Dedupe: inbox.NoDedupe}})
		must.Together(40, func(int) {
			if _, err := h.svc.AcceptDelivery(h.Context(), "ci", webhook.Event{ID: "1", Name: "push", Payload: []byte("{}"), Header: map[string]string{}}, ""); err != nil {
				t.Error(err)
			}
		})
		if page, _, err := h.svc.ListDeliveries(h.Context(), inbox.Query{Limit: 50}); err != nil || len(page) != 40 {
			t.Errorf("%d are stored, %v; want 40", len(page), err)
		}
	})
}

func TestAnIDOfTheSenderThatLooksLikeASecondVersionIsInNobodysWay(t *testing.T) {
	for _, ids := range [][]string{{"1", "1~2"}, {"1~2", "1"}} {
		run(t, setup{rules: rules("*=http://a.example/")}, func(h *harness) {
			for _, id := range ids {
				h.again(id, "{}", inbox.Stored)
			}
			for _, id := range ids {
				h.again(id, `{"n":2}`, inbox.Conflicting)
				h.again(id, `{"n":2}`, inbox.SeenBefore)
			}
		})
	}
	run(t, setup{rules: rules("*=http://a.example/")}, func(h *harness) {
		h.again("1", "{}", inbox.Stored)
		h.again("1", `{"n":2}`, inbox.Conflicting)
		h.again("1~2", `{"n":3}`, inbox.Conflicting)
		h.target.want(h, "ci:1 1", "ci:1~2 1", "ci:1~2~3 1")
	})
}

// ofBody is an id as the receiver makes it for a sender without ids.
const ofBody = "sha256-0123456789abcdef0123456789abcdef"

func TestTheSameBodyWithoutAnIDIsNewAfterFiveMinutesOrAsTheSourceSays(t *testing.T) {
	for name, c := range map[string]struct {
		dedupe time.Duration
		id     string
		after  time.Duration
		want   inbox.Receipt
	}{
		"a retry":                       {0, ofBody, 4 * time.Minute, inbox.SeenBefore},
		"after five minutes":            {0, ofBody, 5 * time.Minute, inbox.Stored},
		"an id of the sender":           {0, "1", 24 * time.Hour, inbox.SeenBefore},
		"never the same":                {inbox.NoDedupe, "1", 0, inbox.Stored},
		"the same for a day":            {24 * time.Hour, ofBody, 23 * time.Hour, inbox.SeenBefore},
		"an id that is forgotten early": {time.Minute, "1", time.Hour, inbox.Stored},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, setup{rules: rules("*=http://a.example/")}, func(h *harness) {
				h.svc.SetSources(map[string]inbox.Source{"ci": {Sender: webhook.GitHub, Dedupe: c.dedupe}})
				h.again(c.id, "{}", inbox.Stored)
				h.pass(c.after)
				h.again(c.id, "{}", c.want)
				d, err := h.svc.FindDelivery(h.Context(), "ci", c.id)
				if err != nil || d.Conflict || d.SenderID() != c.id || (d.ID != c.id) != (c.want == inbox.Stored) {
					t.Errorf("found %+v, %v", d, err)
				}
			})
		})
	}
}

func TestARepeatAfterThePayloadIsGoneIsStoredAnewIfNobodyHasIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, setup{}, meminbox.New())
		h.again("1", "{}", inbox.Stored)
		if _, _, err := h.store.PruneDeliveries(t.Context(), inbox.Retention{PayloadsBefore: time.Now().Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		h.again("1", "{}", inbox.Stored)
		h.end()
	})
}
