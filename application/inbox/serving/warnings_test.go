package serving_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/serving"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/meminbox"
	"github.com/octavo-books/octavo/test/must"
)

func TestARuleThatCanNeverMatchIsNamedAtTheStart(t *testing.T) {
	sources := map[string]inbox.Source{
		"default": {Sender: webhook.GitHub}, "shop": {Sender: webhook.Stripe}, "lab": {Sender: webhook.GitLab}, "octavo": {Sender: webhook.Standard},
	}
	for _, c := range []struct{ source, match, want string }{
		{"default", "issues.opend", `match=issues.opend source=default nearest=issues.opened`},
		{"lab", "push", `match=push source=lab nearest=""`},
		{"shop", "push\ninvoice.paid", "match=push source=shop"},
		{"", "something\norder.placed", "match=something"},
		{"", "Push Hook\nissues.*\ninvoice.paid\nbook.*", ""},
		{"default", "repository_dispatch.deploy-prod\n*", ""},
		{"octavo", "book.posted", ""},
	} {
		run(t, setup{rules: []inbox.Rule{{Source: c.source, Match: c.match, URL: shop, AnyName: true}}}, func(h *harness) {
			h.svc.SetSources(sources)
			h.svc.WarnOfRules()
			warned := h.log.warnings("none of its sources is known to send")
			if c.want == "" && len(warned) > 0 || c.want != "" && (len(warned) != 1 || !strings.Contains(warned[0], c.want)) {
				t.Errorf("%s %q: %v, want %s", c.source, c.match, warned, c.want)
			}
		})
	}
}

func TestARuleThatCannotSignAsASenderIsNamedAtTheStart(t *testing.T) {
	run(t, setup{rules: []inbox.Rule{{Name: "anew", Match: "*", URL: shop, Sign: inbox.SignSender}}}, func(h *harness) {
		h.svc.SetSources(map[string]inbox.Source{"default": {Sender: webhook.Host}, "ci": {Sender: webhook.GitHub}, "chat": {Sender: webhook.Discord}})
		h.svc.WarnOfRules()
		if warned := h.log.warnings("cannot sign as the sender"); len(warned) != 1 || !strings.Contains(warned[0], "rule=anew source=chat") {
			t.Errorf("warned %v", warned)
		}
	})
}

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
	svc := must.Get(serving.New(inbox.Ports{Store: meminbox.New(), Clock: clock{}.Now}, serving.DefaultConfig(), all, secret, slog.New(slog.NewTextHandler(&logged, nil))))(t)
	must.Do(t, svc.SetRules(all, secret))
	lines := strings.Split(strings.TrimSpace(logged.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "level=WARN") || !strings.Contains(lines[0], "match=isues.opened nearest=issues.opened") || !strings.Contains(lines[1], "match=merge_group") {
		t.Errorf("logged %q", lines)
	}
	if strings.Contains(logged.String(), shop) || strings.Contains(logged.String(), press) {
		t.Errorf("the URL of a rule may hold a secret, and was logged: %q", lines)
	}
}

func ownEvents(n int) (all []webhook.Event) {
	for i := range n {
		all = append(all, webhook.Event{
			ID: fmt.Sprint(i + 1), Name: "book.posted", Payload: fmt.Appendf(nil, `{"data":{"bookId":"7","n":%d}}`, i),
			Header: map[string]string{"Content-Type": "application/json"},
		})
	}
	return all
}

func TestOwnEventsAreForwardedInTheirOrderOncePerID(t *testing.T) {
	rule := inbox.Rule{Source: event.Source, Match: "book.*", URL: "http://a.example/", OrderBy: "data.bookId"}
	run(t, setup{rules: []inbox.Rule{rule}}, func(h *harness) {
		var want []string
		for _, e := range ownEvents(300) {
			want = append(want, e.ID)
		}
		for range 2 { // again after a crash
			if n, err := h.svc.AcceptAll(h.Context(), event.Source, ownEvents(300)); n != 300 || err != nil {
				h.Fatalf("accepted %d, %v; want 300", n, err)
			}
		}
		h.pass(time.Minute)
		var got []string
		for _, r := range h.target.got {
			got = append(got, r.ID)
		}
		if !slices.Equal(got, want) || h.meter.counts["octavo stored"] != 300 || h.meter.counts["octavo duplicate"] != 300 {
			h.Errorf("forwarded %v, counted %v", got, h.meter.counts)
		}
		d, err := h.svc.FindDelivery(h.Context(), event.Source, "1")
		if err != nil || d.Event != "book.posted" || d.Header["Content-Type"] != "application/json" {
			h.Errorf("found %+v, %v", d, err)
		}
		if n, err := h.svc.Redeliver(h.Context(), event.Source, "1"); n != 1 || err != nil {
			h.Errorf("redelivered to %d, %v; want 1", n, err)
		}
	})
}

func TestEventsUpToTheLimitAreStored(t *testing.T) {
	run(t, setup{rules: rules("*=http://a.example/")}, func(h *harness) {
		events := ownEvents(3)
		events[2].ID = ""
		if n, err := h.svc.AcceptAll(h.Context(), event.Source, events); n != 2 || !errors.Is(err, inbox.ErrNoID) {
			h.Errorf("accepted %d, %v", n, err)
		}
		if n, err := h.svc.AcceptAll(h.Context(), event.Source, nil); n != 0 || err != nil {
			h.Errorf("of none: %d, %v; want 0", n, err)
		}
		h.settle()
		if len(h.target.got) != 2 {
			h.Errorf("forwarded %v", h.target.got)
		}
	})
}

func TestARuleForOctavosOwnEventsSuggestsTheNearestType(t *testing.T) {
	for match, want := range map[string]string{
		"book.postd":   `did you mean "book.posted"?`,
		"user.cretaed": `did you mean "user.created"?`,
		"boook.*":      "webhooks events --source octavo",
		"push":         "webhooks events --source octavo",
	} {
		_, err := inbox.Rule{Source: event.Source, Match: match, URL: "http://127.0.0.1/"}.Complete()
		if !errors.Is(err, inbox.ErrRule) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", match, err)
		}
	}
	for _, r := range []inbox.Rule{{Source: event.Source, Match: "book.*\norder.placed"}, {Source: event.Source, Match: "*"}, {Match: "book.posted"}} {
		r.URL = "http://127.0.0.1/"
		if _, err := r.Complete(); err != nil {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// wantOrphan requires a delivery to be dead because its rule was removed.
func (h *harness) wantOrphan(id string) {
	h.Helper()
	h.wantState(id, "dead")
	if job := h.job(id); !strings.Contains(job.Error, "rule") {
		h.Errorf("its error is %q", job.Error)
	}
}

func (h *harness) setRules(rules ...inbox.Rule) {
	h.Helper()
	must.Do(h, h.svc.SetRules(rules, secret))
}

func TestAJobWhoseRuleIsRemovedDuringAFailingSendBecomesADeadLetter(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop)}, func(h *harness) {
		h.target.answer(shop, func(inbox.ForwardRequest) (inbox.ForwardResponse, error) {
			<-time.After(5 * time.Second)
			return inbox.ForwardResponse{Status: 500}, nil
		})
		h.accept("a", "push", "{}")
		h.settle()
		h.setRules()
		h.pass(4 * time.Second)
		h.wantState("a", "pending") // the send may still succeed
		h.pass(time.Minute)
		h.wantOrphan("a")
		h.target.want(h, "a 1")
	})
}

func TestAJobOfADeadProcessBecomesADeadLetterIfItsRuleWasRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, now := meminbox.New(), time.Now()
		leased := inbox.Job{ID: ids.Next(), Seq: ids.Next(), Rule: "push=" + shop, DueAt: now, LeaseUntil: now.Add(5 * time.Minute), Attempts: 1}
		d := inbox.Delivery{Seq: leased.Seq, ID: "a", Event: "push", ReceivedAt: now, Payload: []byte("{}"), Jobs: []inbox.Job{leased}}
		must.Get(store.CommitBatch(t.Context(), inbox.Batch{Deliveries: []inbox.Delivery{d}}))(t)
		h := start(t, setup{store: func(store *meminbox.Inbox) inbox.Store { return keepingLeases{store} }}, store)
		h.pass(time.Minute)
		h.wantState("a", "pending") // the lease has not expired
		h.pass(15 * time.Minute)
		h.wantOrphan("a")
		h.end()
	})
}

// keepingLeases does not end the leases at start, like a store that replicas share.
type keepingLeases struct{ inbox.Store }

func (keepingLeases) RequeueJobs(context.Context, time.Time) error { return nil }

func TestAJobClaimedWhileItsRuleChangesGoesToTheNewURLAtOnce(t *testing.T) {
	slow := func(store *meminbox.Inbox) inbox.Store { return slowClaims{store} }
	moving, err := inbox.Rule{Name: "moves", Match: "push", URL: shop, OrderBy: "id"}.Complete() // in order: claimed from the store
	must.Do(t, err)
	run(t, setup{rules: []inbox.Rule{moving}, store: slow}, func(h *harness) {
		h.settle() // the first claim finds nothing
		h.accept("a", "push", `{"id":1}`)
		h.pass(1500 * time.Millisecond) // the claim that finds it lasts until 2 s
		moving.URL = press
		h.setRules(moving)
		h.pass(5 * time.Second)
		if len(h.target.got) != 1 || h.target.got[0].URL != press {
			t.Errorf("sent %+v", h.target.got)
		}
	})
}

// slowClaims returns claimed jobs after a second, even when the context has ended.
type slowClaims struct{ inbox.Store }

func (q slowClaims) ClaimJobs(ctx context.Context, c inbox.Claim) ([]inbox.Task, error) {
	tasks, err := q.Store.ClaimJobs(ctx, c)
	<-time.After(time.Second)
	return tasks, err
}
