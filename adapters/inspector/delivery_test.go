package inspector_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

func TestADeliveryIsShownWithTargetsAttemptsHeadersAndPayload(t *testing.T) {
	s := openSite(t)
	d := s.add(inbox.Delivery{ID: "72d3", Source: "ci", Event: "issues", Action: "opened", Header: map[string]string{"X-Github-Event": "issues"}, Payload: []byte(`{"n":1.0,"list":[true,{}]}`)}, time.Minute, inbox.Open)
	failed := inbox.Outcome{Job: d.Jobs[0].ID, State: inbox.Open, DueAt: noon.Add(time.Minute), Status: 503, Error: "answered 503", At: noon,
		Attempt: &inbox.Attempt{Job: d.Jobs[0].ID, Number: 1, At: noon, Rule: "deploy", Target: "http://target.example/deploy", Status: 503, Error: "answered 503", Duration: 1234567 * time.Microsecond, Answer: "no disk left"}}
	if _, err := s.store.CommitBatch(t.Context(), inbox.Batch{Outcomes: []inbox.Outcome{failed}}); err != nil {
		t.Fatal(err)
	}
	s.wants(s.get(200, "/webhooks/deliveries/72d3?source=ci"), "<h1>issues.opened", ">pending<", "deploy", "answered 503", "due <time datetime=\"2026-11-20T12:01:00Z\">",
		"http://target.example/deploy", "in 1.235s, attempt 1", "no disk left", "X-Github-Event", "26 bytes",
		"{\n  &#34;n&#34;: 1.0,\n  &#34;list&#34;: [\n    true,\n    {}\n  ]\n}")
	s.wants(s.get(200, "/webhooks/deliveries/72d3"), "issues.opened")
	s.wants(s.get(404, "/webhooks/deliveries/72d3?source=default"), "This delivery does not exist")
	s.wants(s.get(404, "/webhooks/deliveries"), "There is nothing at this address")
}

// A rule without a name is known by match=url, and its URL may hold a secret.
func TestTheQueryOfATargetIsNotShown(t *testing.T) {
	s := openSite(t)
	d := inbox.Delivery{ID: "a", Jobs: []inbox.Job{{ID: 1000, Seq: 10, Rule: "push=https://target.example/hook?token=swordfish", DueAt: noon}}}
	s.add(d, time.Minute)
	s.wants(s.get(200, "/webhooks/deliveries/a"), "push=https://target.example/hook?…", "but not", "swordfish")
}

func TestADeliveryIsSentAgain(t *testing.T) {
	s := openSite(t)
	s.add(inbox.Delivery{ID: "a"}, time.Minute, inbox.Dead)
	s.saveRules([]inbox.Rule{{Name: "deploy", Match: "push"}})
	form := url.Values{"source": {"default"}, "id": {"a"}}
	answer := s.send("POST", "/webhooks/redeliver", form)
	if to := answer.Header.Get("Location"); answer.StatusCode != 303 || to != "/webhooks/deliveries/a?source=default" {
		t.Fatalf("answered %d to %q", answer.StatusCode, to)
	}
	s.wants(s.get(200, answer.Header.Get("Location")), "Sent again to 1 target.", "sent again", ">replaced<", ">pending<")
	s.wants(s.get(200, answer.Header.Get("Location")), "but not", "Sent again to")
	if got, err := s.store.FindDelivery(t.Context(), "", "a"); err != nil || len(got.Jobs) != 2 || !got.Jobs[1].Redelivery {
		t.Errorf("its jobs are %+v, %v", got.Jobs, err)
	}
}

func TestADeliveryThatCannotBeSentAgainSaysWhy(t *testing.T) {
	s := openSite(t)
	s.add(inbox.Delivery{ID: "a"}, time.Minute)
	form := url.Values{"source": {"default"}, "id": {"a"}}
	s.wants(s.body(s.send("POST", "/webhooks/redeliver", form), 409), `role="alert">No forwarding rule matches this delivery now.`)
	form.Set("id", "b")
	s.wants(s.body(s.send("POST", "/webhooks/redeliver", form), 404), "This delivery does not exist")
	if _, _, err := s.store.PruneDeliveries(t.Context(), inbox.Retention{PayloadsBefore: noon}); err != nil {
		t.Fatal(err)
	}
	s.wants(s.get(200, "/webhooks/deliveries/a"), "The payload has been deleted", "but not", ">Send again<")
	s.get(409, "/webhooks/payload?id=a")
}

func TestAFormOfAnotherSiteChangesNothing(t *testing.T) {
	s := openSite(t)
	s.add(inbox.Delivery{ID: "a"}, time.Minute, inbox.Dead)
	s.saveRules([]inbox.Rule{{Name: "deploy", Match: "push"}})
	good := url.Values{"id": {"a"}}
	for name, answer := range map[string]*http.Response{
		"another site":   s.send("POST", "/webhooks/redeliver", good, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }),
		"another origin": s.send("POST", "/webhooks/redeliver", good, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }),
	} {
		if answer.StatusCode != 403 {
			t.Errorf("%s: answered %d", name, answer.StatusCode)
		}
	}
	if answer := s.send("POST", "/webhooks/redeliver", url.Values{"id": {strings.Repeat("a", 20_000)}}); answer.StatusCode != 413 {
		t.Errorf("a large form: %d", answer.StatusCode)
	}
	if got, _ := s.store.FindDelivery(t.Context(), "", "a"); len(got.Jobs) != 1 {
		t.Errorf("its jobs are %+v", got.Jobs)
	}
	if answer := s.send("GET", "/webhooks/redeliver?id=a", nil); answer.StatusCode != 303 || answer.Header.Get("Location") != "/webhooks" {
		t.Errorf("GET is answered %d to %s", answer.StatusCode, answer.Header.Get("Location"))
	}
}

func TestAnyPayloadMakesASmallPageAndAWholeFile(t *testing.T) {
	s := openSite(t)
	for name, payload := range map[string]string{
		"one long string":  `{"a":"` + strings.Repeat("é", 12<<20) + `"}`,
		"deeply nested":    strings.Repeat(`{"a":[`, 9_000) + strings.Repeat(`]}`, 9_000),
		"many small":       `{"a":[` + strings.Repeat(`[[[[[[[[[[[[1]]]]]]]]]]]],`, 400_000) + `0]}`,
		"spaces":           `{` + strings.Repeat(" ", 20<<20) + `}`,
		"control":          `{"a":"` + strings.Repeat("\u202e", 4<<20) + `"}`,
		"not even JSON":    strings.Repeat(`}]`, 5<<20),
		"and not UTF-8":    strings.Repeat("\xff", 5<<20),
		"an open string":   `{"` + strings.Repeat(`\`, 5<<20),
		"angles to escape": `{"a":"` + strings.Repeat(`<`, 10<<20) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			s.T = t
			s.add(inbox.Delivery{ID: strings.ReplaceAll(name, " ", "-"), Payload: []byte(payload)}, time.Minute)
			path := "?id=" + strings.ReplaceAll(name, " ", "-")
			if body := s.get(200, "/webhooks/delivery"+path); len(body) > 2<<20 || !strings.Contains(body, "/webhooks/payload?id=") {
				t.Errorf("the page has %d bytes", len(body))
			}
			answer := s.send("GET", "/webhooks/payload"+path, nil)
			raw, err := io.ReadAll(answer.Body)
			if err != nil || string(raw) != payload || !strings.HasPrefix(answer.Header.Get("Content-Disposition"), "attachment;") {
				t.Errorf("the file has %d bytes of %d, %s, %v", len(raw), len(payload), answer.Header.Get("Content-Disposition"), err)
			}
		})
	}
}
