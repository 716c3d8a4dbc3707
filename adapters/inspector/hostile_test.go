package inspector_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook"
)

const (
	markup  = `"'><script>alert(1)</script><img src=x onerror=alert(1)></pre></title></svg>{{.}}`
	reverse = "\u202egnp.exe"
)

func TestHostileTextIsShownAsText(t *testing.T) {
	s := openSite(t)
	d := s.add(inbox.Delivery{
		ID: markup, Source: "ci", Event: webhook.EventName(markup), Action: reverse + markup,
		Header: map[string]string{"X-" + markup: reverse + markup}, Payload: []byte(`{"a":"` + strings.ReplaceAll(markup, `"`, `\"`) + reverse + `"}`),
		Jobs: []inbox.Job{{ID: 1000, Seq: 10, Rule: markup, State: inbox.Dead, Error: markup + reverse, DueAt: noon}},
	}, time.Minute)
	failed := inbox.Outcome{Job: 1001, Attempts: 0, State: inbox.Dead, Status: 500, Error: markup, At: noon, Attempt: &inbox.Attempt{
		Job: 1001, Number: 1, At: noon, Target: markup + reverse, Status: 500, Error: markup + reverse, Answer: markup + reverse,
	}}
	if _, err := s.store.CommitBatch(t.Context(), inbox.Batch{
		Deliveries: []inbox.Delivery{{Seq: s.Next(), ID: "b", Source: "ci", Event: "push", ReceivedAt: noon, Payload: []byte("{}"), Jobs: []inbox.Job{{ID: 1001, Seq: s.last, Rule: markup, DueAt: noon}}}},
		Outcomes:   []inbox.Outcome{failed},
	}); err != nil {
		t.Fatal(err)
	}
	one := "/webhooks/delivery?" + url.Values{"id": {d.ID}, "source": {"ci"}}.Encode()
	hostile := url.Values{"state": {markup}, "source": {markup}, "event": {markup}, "from": {markup}, "range": {markup}, "cursor": {markup}}
	for path, status := range map[string]int{"/webhooks": 200, one: 200, "/webhooks/deliveries/b": 200, "/webhooks?" + hostile.Encode(): 400, "/webhooks/" + url.PathEscape(markup): 404} {
		answer := s.send("GET", path, nil)
		body := s.body(answer, status)
		if path == "/webhooks/deliveries/b" {
			s.wants(body, "&lt;script&gt;alert(1)", "but not", "accepted")
		}
		for _, bad := range []string{"<script>alert", "<img src=x", "onerror=alert(1)>", "\u202e"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s has %q:\n%s", path, bad, body)
			}
		}
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
			"Cache-Control":           "no-store", "X-Content-Type-Options": "nosniff", "Content-Type": "text/html; charset=utf-8",
		} {
			if got := answer.Header.Get(name); got != want {
				t.Errorf("%s has %s: %s", path, name, got)
			}
		}
	}
	raw := s.send("GET", strings.Replace(one, "/delivery?", "/payload?", 1), nil)
	if file := raw.Header.Get("Content-Disposition"); strings.ContainsAny(strings.TrimPrefix(file, "attachment; filename="), "<>/\\' ") || raw.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("the file is %s", file)
	}
}

// No page has a style or script of its own, which the policy would forbid.
func TestPagesHaveNothingInline(t *testing.T) {
	s := openSite(t)
	s.add(inbox.Delivery{ID: "a"}, time.Minute, inbox.Dead)
	for _, path := range []string{"/webhooks", "/webhooks/deliveries/a"} {
		s.wants(s.get(200, path), "inspector.css?v=", "but not", "style=", "<style", "onclick", "javascript:", "<script>")
	}
	for _, file := range []string{"inspector.css", "live.js", "icon.svg"} {
		if answer := s.send("GET", "/webhooks/static/"+file, nil); answer.StatusCode != 200 || answer.Header.Get("Content-Type") == "" || answer.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %d %v", file, answer.StatusCode, answer.Header)
		}
	}
	if answer := s.send("GET", "/webhooks/static/", nil); answer.StatusCode != 404 {
		t.Errorf("the folder: %d", answer.StatusCode)
	}
}

func TestTheLinkOfEveryDeliveryLeadsToIt(t *testing.T) {
	odd := []string{".", "..", "../..", "a/b", "a%2Fb", "%2e%2e", "a b", "a+b", "a?b#c", "é", "-", "~", `a\b`, "delivery", `"`, "&amp;"}
	rapid.Check(t, func(rt *rapid.T) {
		id := rapid.OneOf(rapid.SampledFrom(odd), rapid.StringMatching(`[!-~][ -~]{0,40}[!-~]`)).Draw(rt, "id")
		s := openSite(t)
		s.add(inbox.Delivery{ID: id, Source: "ci"}, time.Minute)
		s.add(inbox.Delivery{ID: id, Event: "ping"}, time.Hour)
		links := linksOf(s.get(200, "/webhooks?source=ci"))
		if len(links) != 1 {
			rt.Fatalf("%q has the links %q", id, links)
		}
		if body := s.get(200, links[0]); !strings.Contains(body, "<h1>push") || idOf(body) != id {
			rt.Fatalf("%q leads to %q", links[0], idOf(body))
		}
	})
}
