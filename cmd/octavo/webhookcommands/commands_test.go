package webhookcommands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/webhookhttp"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
)

func TestEventsPrintsOneNamePerLine(t *testing.T) {
	out, err := newFakeTools().run(t, "", "events")
	if lines := strings.Split(strings.TrimSpace(out), "\n"); err != nil || len(lines) != 234 || lines[0] != "branch_protection_rule" {
		t.Errorf("%d lines, %v", len(lines), err)
	}
	out, err = newFakeTools().run(t, "", "events", "--json")
	var names []string
	if json.Unmarshal([]byte(out), &names) != nil || err != nil || len(names) != 234 {
		t.Errorf("%d names, %v", len(names), err)
	}
	if out, err = newFakeTools().run(t, "", "events", "--sender", "github"); err != nil || !strings.Contains(out, "\nsub_issues.sub_issue_added\n") {
		t.Errorf("of github: %v, %s", err, out)
	}
	for sender, want := range map[string]string{"stripe": "no list of the events of stripe", "gitub": "unknown sender"} {
		if _, err = newFakeTools().run(t, "", "events", "--sender", sender); !errors.Is(err, config.ErrSetting) || !strings.Contains(err.Error(), want) {
			t.Errorf("of %s: %v", sender, err)
		}
	}
}

func TestSignAndVerifyAgree(t *testing.T) {
	w := newFakeTools()
	r, _ := receiver.New("S")
	signature, _ := r.Sign([]byte("{}\n"))
	w.says(t, "{}\n", signature+"\n", "sign", "--secret", "S")
	w.says(t, "{}\n", `{"signature":"`+signature+"\"}\n", "sign", "--secret", "S", "--json")
	w.says(t, "{}\n", "valid\n", "verify", "--secret", "S", signature)
	out, err := w.run(t, "{}", "verify", "--secret", "S", "--json", signature)
	if !errors.Is(err, terminal.ErrSilent) || !strings.HasPrefix(out, `{"valid":false,"wrong":"body","why":"the body was changed: `) {
		t.Errorf("another payload: %q, %v", out, err)
	}
	ours, _ := receiver.New("the settings' secret")
	signature, _ = ours.Sign([]byte("{}"))
	w.says(t, "{}", signature+"\n", "sign")
	if _, err := w.run(t, "", "sign"); err == nil || !strings.Contains(err.Error(), "no payload") {
		t.Errorf("nothing to sign: %v", err)
	}
}

func TestVerifySaysWhichSecretSigned(t *testing.T) {
	w := newFakeTools()
	all := []receiver.Secret{
		{Name: "WEBHOOK_SECRET", Value: "the settings' secret"},
		{Name: "gone", Value: "the first", NotAfter: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)},
		{Name: "old", Value: "the second", NotAfter: time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC)},
	}
	w.secrets = func() ([]receiver.Secret, error) { return all, nil }
	for secret, output := range map[string]struct {
		line, json string
		fails      bool
	}{
		"the settings' secret": {"valid: signed with WEBHOOK_SECRET", `{"valid":true,"secret":"WEBHOOK_SECRET"}`, false},
		"the second":           {"valid: signed with old, which expires at 2300-01-01T00:00:00Z", `{"valid":true,"secret":"old","notAfter":"2300-01-01T00:00:00Z"}`, false},
		"the first":            {"not valid: signed with gone, which expired at 2020-01-01T00:00:00Z", `{"valid":false,"secret":"gone","notAfter":"2020-01-01T00:00:00Z"}`, true},
		"a stranger's": {
			"not valid\nsecret or body: another secret signed it, or the body is not to the byte what was sent",
			`{"valid":false,"wrong":"secret or body","why":"another secret signed it, or the body is not to the byte what was sent"}`, true,
		},
	} {
		r, _ := receiver.New(secret)
		signature, _ := r.Sign([]byte("{}"))
		for want, args := range map[string][]string{output.line: {"verify", signature}, output.json: {"verify", "--json", " " + signature}} {
			if out, err := w.run(t, "{}", args...); out != want+"\n" || errors.Is(err, terminal.ErrSilent) != output.fails || err != nil && !output.fails {
				t.Errorf("signed with %s: %q, %v; want %q", secret, out, err, want)
			}
		}
	}
	if out, err := w.run(t, "{}", "verify", "sha1=00"); !strings.HasPrefix(out, "not valid\nheader: there is no signature of the form sha256=…") || !errors.Is(err, terminal.ErrSilent) {
		t.Errorf("no signature: %q, %v", out, err)
	}
	none := errors.New("no secret is stored")
	w.secrets = func() ([]receiver.Secret, error) { return nil, none }
	if _, err := w.run(t, "{}", "verify", "sha256=00"); !errors.Is(err, none) {
		t.Errorf("without a secret: %v, want %v", err, none)
	}
}

func TestSendDeliversASampleOrAFile(t *testing.T) {
	r, _ := receiver.New("the settings' secret")
	var got []string
	_ = r.OnAny(receiver.Func(func(_ context.Context, e webhook.Event) error {
		got = append(got, fmt.Sprint(e.ID, " ", e.Name, " ", e.Action(), " ", len(e.Payload) > 2))
		return nil
	}))
	server := httptest.NewServer(webhookhttp.Handler(r, webhookhttp.Options{}))
	t.Cleanup(server.Close)
	w := newFakeTools()
	w.url = server.URL + webhookhttp.DefaultPath
	w.says(t, "", "7  200 ok\n", "send", "issues.opened", "--id", "7")
	file := filepath.Join(t.TempDir(), "payload.json")
	must.Do(t, os.WriteFile(file, []byte("{}"), 0o600))
	w.says(t, "", "8  200 ok\n", "send", "brand_new", "--id", "8", "--payload", file)
	w.says(t, "{ }", `{"id":"9","status":200,"answer":"ok"}`+"\n", "send", "push", "--id", "9", "--payload", "-", "--json", "--to", w.url)
	if want := []string{"7 issues opened true", "8 brand_new  false", "9 push  true"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("received %q", got)
	}
	if out, err := w.run(t, "", "send", "push", "--secret", "wrong"); !errors.Is(err, terminal.ErrSilent) || !strings.Contains(out, "400") {
		t.Errorf("a wrong secret: %q, %v", out, err)
	}
	for want, bad := range map[string][]string{
		`did you mean "push"`:             {"send", "pusch"},
		`"push" has no action "begun"`:    {"send", "push.begun"},
		`"frobnication" is not an event`:  {"send", "frobnication"},
		`"nowhere" must begin with http`:  {"send", "push", "--to", "nowhere"},
		`"ftp://x/" must begin with http`: {"send", "push", "--to", "ftp://x/"},
		`the signature is empty`:          {"verify", ""},
	} {
		if _, err := w.run(t, "", bad...); !errors.Is(err, config.ErrSetting) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestListPrintsTheIDFirst(t *testing.T) {
	w := newFakeTools()
	w.add(t, "one", "push", inbox.Delivered)
	w.add(t, "two", "issues", inbox.Dead)
	w.says(t, "", "two  2026-09-07T09:00:02Z  issues  dead  1 dead\none  2026-09-07T09:00:01Z  push  delivered  1 delivered\n", "list")
	w.says(t, "", "two  2026-09-07T09:00:02Z  issues  dead  1 dead\n", "list", "--state", "dead", "--event", "issues", "--from", "2026-09-07T09:00:02Z")
	for _, day := range []string{"2026-09-07", "7 Sep 2026", "7.9.2026"} {
		w.says(t, "", "one  2026-09-07T09:00:01Z  push  delivered  1 delivered\n", "list", "--from", day, "--to", "2026-09-07T09:00:02Z")
	}
	for _, bad := range []string{"07/09/2026", "2026-09-07 09:00", "soon"} {
		if _, err := w.run(t, "", "list", "--from", bad); err == nil || !strings.Contains(err.Error(), "is not a time such as 2026-11-20T12:00:00Z") {
			t.Errorf("--from %q: %v", bad, err)
		}
	}
	out, err := w.run(t, "", "list", "--json", "--limit", "1")
	var page struct {
		Deliveries []struct{ ID string }
		Cursor     string
	}
	if json.Unmarshal([]byte(out), &page) != nil || err != nil || len(page.Deliveries) != 1 || page.Deliveries[0].ID != "two" {
		t.Fatalf("%s, %v", out, err)
	}
	w.says(t, "", "one  2026-09-07T09:00:01Z  push  delivered  1 delivered\n", "list", "--cursor", page.Cursor)
	for _, bad := range [][]string{{"list", "--state", "lost"}, {"list", "--limit", "0"}, {"list", "--cursor", "x"}, {"list", "--event", "*"}, {"list", "--from", "2026-09-07T09:00:00Z", "--to", "2026-09-06T09:00:00Z"}} {
		if _, err := w.run(t, "", bad...); !errors.Is(err, config.ErrSetting) || !strings.Contains(err.Error(), bad[1]) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func TestADeadLetterIsListedWhileAnotherTargetOfItsDeliveryIsStillTried(t *testing.T) {
	w := newFakeTools()
	w.serveBy(t, pushRule)
	w.add(t, "one", "push", inbox.Open, inbox.Dead)
	const line = "one  2026-09-07T09:00:01Z  push  dead  1 dead, 1 pending\n"
	w.says(t, "", line, "list")
	w.says(t, "", line, "list", "--state", "dead")
	w.says(t, "", "", "list", "--state", "pending")
	w.says(t, "", "1 delivery goes out again\n", "redeliver", "--dead")
}

func TestShowPrintsTargetsAndPayload(t *testing.T) {
	w := newFakeTools()
	w.add(t, "one", "push", inbox.Dead)
	w.says(t, "", "one  2026-09-07T09:00:01Z  push  dead  1 dead\n  push=http://127.0.0.1/  dead after 3 attempts: answered 500\n{\"n\":1}\n", "show", "one")
	if out, err := w.run(t, "", "show", "one", "--json"); err != nil || !strings.Contains(out, `"payload":{"n":1}`) {
		t.Errorf("%s, %v", out, err)
	}
	if _, err := w.run(t, "", "show", "none"); !errors.Is(err, inbox.ErrNotFound) {
		t.Errorf("an unknown one: %v, want %v", err, inbox.ErrNotFound)
	}
}

func TestShowPrintsAttemptsWithTheirAnswers(t *testing.T) {
	w := newFakeTools()
	w.add(t, "one", "push", inbox.Dead)
	d, err := w.store.FindDelivery(t.Context(), "", "one")
	if err != nil {
		t.Fatal(err)
	}
	var b inbox.Batch
	for n, a := range []inbox.Attempt{
		{Target: "http://127.0.0.1/", Error: "connection refused", Duration: 1234 * time.Microsecond},
		{Target: "http://127.0.0.2/", Status: 500, Error: "answered 500", Duration: 2500 * time.Millisecond, Answer: "no\nroom\n"},
	} {
		a.Job, a.Number, a.At = d.Jobs[0].ID, n+1, w.clock.Now().Add(time.Duration(n)*time.Second)
		b.Outcomes = append(b.Outcomes, inbox.Outcome{Job: a.Job, Attempts: 9, Attempt: &a})
	}
	if _, err := w.store.CommitBatch(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	w.says(t, "", "one  2026-09-07T09:00:01Z  push  dead  1 dead\n  push=http://127.0.0.1/  dead after 3 attempts: answered 500\n"+
		"  2026-09-07T09:00:01Z  push=http://127.0.0.1/  connection refused in 1.23 ms\n"+
		"  2026-09-07T09:00:02Z  push=http://127.0.0.1/ to http://127.0.0.2/  answered 500 in 2.5 s\n    no\n    room\n{\"n\":1}\n", "show", "one")
}

func TestRedeliverTakesIDsOrARange(t *testing.T) {
	w := newFakeTools()
	w.serveBy(t, pushRule)
	w.add(t, "one", "push", inbox.Dead)
	w.add(t, "two", "push", inbox.Dead)
	w.says(t, "", "one goes to 1 target again\n", "redeliver", "one")
	w.says(t, "", "{\"deliveries\":1,\"noPayload\":0,\"noTarget\":0}\n", "redeliver", "--dead", "--json")
	w.says(t, "", "0 deliveries go out again\n", "redeliver", "--dead")
	w.says(t, "", "1 delivery goes out again\n", "redeliver", "--from", "2026-09-07T09:00:02Z")
	for _, bad := range [][]string{{"redeliver"}, {"redeliver", "one", "--dead"}, {"redeliver", "none"}} {
		if _, err := w.run(t, "", bad...); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}

func TestRedeliverFailsIfNoRuleForwardsTheDeliveryNow(t *testing.T) {
	w := newFakeTools()
	w.add(t, "one", "push", inbox.Dead)
	w.add(t, "two", "ping", inbox.Dead)
	for _, rules := range [][]inbox.Rule{nil, {{Match: "issues", URL: "http://127.0.0.1/"}}} {
		w.serveBy(t, rules...)
		if out, err := w.run(t, "", "redeliver", "one"); out != "" || !errors.Is(err, inbox.ErrNoTarget) || !strings.HasPrefix(err.Error(), "one: ") {
			t.Errorf("by its id: %q, %v", out, err)
		}
		if out, err := w.run(t, "", "redeliver", "--dead"); out != "0 deliveries go out again\n" || err == nil || err.Error() != "no forwarding rule matches 2 deliveries now" {
			t.Errorf("all: %q, %v", out, err)
		}
	}
	w.serveBy(t, pushRule)
	if out, err := w.run(t, "", "redeliver", "two", "one"); out != "one goes to 1 target again\n" || !errors.Is(err, inbox.ErrNoTarget) {
		t.Errorf("two of which one is forwarded: %q, %v", out, err)
	}
	w.says(t, "", "two  2026-09-07T09:00:02Z  ping  dead  1 dead\n", "list", "--state", "dead")
}

func TestTailPrintsNewDeliveries(t *testing.T) {
	w := newFakeTools()
	w.add(t, "before", "push", inbox.Delivered)
	ctx, cancel := context.WithTimeout(t.Context(), poll.Limit)
	defer cancel()
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- w.runTo(ctx, t, writer, "", "tail", "--json") }()
	go func() { // until one is noticed: the tail begins with what comes after its first look
		for i := 0; ctx.Err() == nil; i++ {
			w.add(t, fmt.Sprint("after ", i), "push", inbox.Delivered)
			<-time.After(50 * time.Millisecond)
		}
	}()
	var first struct{ ID string }
	if err := json.NewDecoder(reader).Decode(&first); err != nil || !strings.HasPrefix(first.ID, "after ") {
		t.Errorf("the first is %q, %v", first.ID, err)
	}
	cancel()
	_ = reader.Close()
	if err := <-ended; err != nil && !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

// The body is a form, an array, or has the time: whatever the sender has.
func TestSendMakesASampleOfAnySender(t *testing.T) {
	w := newFakeTools()
	for name, event := range map[string]string{"sms": "sent", "crm": "contact.creation", "tasks": "Issue.create"} {
		source, _, err := Tools(w).Source(name)
		if err != nil {
			t.Fatal(err)
		}
		r := receiver.Must("the source secret", receiver.WithSender(source.Sender))
		ran := 0
		if _, err := r.OnFunc(func(context.Context, webhook.Event) error { ran++; return nil }, webhook.EventName(event)); err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(webhookhttp.Endpoint(r, webhookhttp.Options{}))
		t.Cleanup(server.Close)
		w.url = server.URL + source.Path
		if out, err := w.run(t, "", "send", "--source", name, event); err != nil || !strings.Contains(out, "200 ok") || ran != 1 {
			t.Errorf("%s: %q, %v; it ran %d times", name, out, err, ran)
		}
	}
}

func TestSendAndVerifyActAsTheSenderOfASource(t *testing.T) {
	w := newFakeTools()
	var got []string
	note := receiver.Func(func(_ context.Context, e webhook.Event) error {
		got = append(got, fmt.Sprint(e.ID, " ", e.Name))
		if e.Name == "push" && !strings.Contains(string(e.Payload), `"ref":`) {
			t.Errorf("the sample of a push is %s", e.Payload)
		}
		return nil
	})
	for name, event := range map[string]string{"ci": "issues.opened", "shop": "invoice.paid"} {
		source, _, err := Tools(w).Source(name)
		if err != nil {
			t.Fatal(err)
		}
		r := receiver.Must("the source secret", receiver.WithSender(source.Sender))
		if err := r.OnAny(note); err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(webhookhttp.Endpoint(r, webhookhttp.Options{}))
		t.Cleanup(server.Close)
		w.url = server.URL
		w.says(t, "", name+"-1  200 ok\n", "send", "--source", name, event, "--id", name+"-1")
		if name == "ci" {
			w.says(t, "", "ci-2  200 ok\n", "send", "--source", name, "push", "--id", "ci-2")
		}
		if out, err := w.run(t, "", "send", "--source", name, event, "--secret", "wrong"); !errors.Is(err, terminal.ErrSilent) || !strings.Contains(out, "400") {
			t.Errorf("%s with a wrong secret: %q, %v", name, out, err)
		}
	}
	if len(got) != 3 || !strings.Contains(fmt.Sprint(got), "ci-1 issues") || !strings.Contains(fmt.Sprint(got), "shop-1 invoice.paid") {
		t.Errorf("received %q", got)
	}
	key, _ := webhook.NewKey("the second")
	w.says(t, "{}", "valid: signed with ci#2\n", "verify", "--source", "ci", key.Sign([]byte("{}")).String())
	if out, err := w.run(t, "{}", "verify", "--source", "ci", "sha256=00"); !strings.HasPrefix(out, "not valid\nsecret or body: ") || !errors.Is(err, terminal.ErrSilent) {
		t.Errorf("no signature of ci: %q, %v", out, err)
	}
	for want, args := range map[string][]string{
		"--source lab is not":              {"send", "--source", "lab", "push"},
		"signs more than the payload":      {"verify", "--source", "shop", "t=1,v1=00"},
		"the payload belongs to the event": {"send", "--source", "shop", "charge.failed", "--payload", "-"},
	} {
		if _, err := w.run(t, `{"id":"1","type":"other"}`, args...); !errors.Is(err, config.ErrSetting) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", args, err)
		}
	}
}
