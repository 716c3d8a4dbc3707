package inspector_test

import (
	"html"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

func TestDeliveriesAreFoundByIDAndText(t *testing.T) {
	s := openSite(t)
	s.add(inbox.Delivery{ID: "one", Payload: []byte(`{"ref":"refs/heads/main"}`)}, time.Minute)
	s.add(inbox.Delivery{ID: "two", Payload: []byte(`{"ref":"refs/tags/v1"}`)}, time.Minute)
	s.wants(s.get(200, "/webhooks?text=refs/tags"), "/deliveries/two?", `value="refs/tags"`, "but not", "/deliveries/one?", "<svg")
	s.wants(s.get(200, "/webhooks?text=one&state=unmatched"), "/deliveries/one?", "but not", "/deliveries/two?")
	s.wants(s.get(200, "/webhooks?text=three"), "No delivery matches these filters")
	s.wants(s.get(400, "/webhooks?text=a%0Ab"), `role="alert">Text `)
}

func TestAnUnmatchedDeliverySaysWhichRuleWouldTakeIt(t *testing.T) {
	s := openSite(t)
	s.add(inbox.Delivery{ID: "a"}, time.Minute)
	s.wants(s.get(200, "/webhooks/deliveries/a"), ">unmatched<", "There are no forwarding rules")
	s.saveRules([]inbox.Rule{{Name: "deploy", Match: "push"}, {Name: "tracker", Source: "ci", Match: "*"}})
	s.wants(s.get(200, "/webhooks/deliveries/a"), "<details open>", "Which rule would take this?", `deploy</strong> <span class="chip delivered">takes it`, `tracker</strong> <span class="chip replaced">does not`, "it is for the source ci")
}

// The command is pasted into a shell, so nothing of a delivery may end its quotes.
func TestACurlCommandSendsTheDeliveryAndNothingElse(t *testing.T) {
	s := openSite(t)
	hostile := `{"a":"it's $(touch x) \u0060id\u0060"}`
	s.add(inbox.Delivery{ID: "a", Header: map[string]string{"X-Sig": "'; id; '", "Content-Type": "application/json"}, Payload: []byte(hostile)}, time.Minute)
	s.add(inbox.Delivery{ID: "b", Payload: []byte(`{"a":"` + strings.Repeat("x", 5000) + `"}`)}, time.Minute)
	s.add(inbox.Delivery{ID: "c", Payload: []byte("{\"a\":\"\u202e\"}")}, time.Minute)
	s.add(inbox.Delivery{ID: "d~2", Original: "d", Payload: []byte("{}")}, time.Minute)
	if command := s.curlOf("d~2"); !strings.Contains(command, "'X-Host-Delivery: d'") {
		t.Errorf("the second delivery with an id: %s", command)
	}
	command := s.curlOf("a")
	out, err := exec.CommandContext(t.Context(), "sh", "-c", strings.Replace(command, "curl ", `printf '%s\n' `, 1)).Output()
	want := "http://127.0.0.1:9000/\n-H\nContent-Type: application/json\n-H\nX-Sig: '; id; '\n--data-binary\n" + hostile + "\n"
	if err != nil || string(out) != want {
		t.Errorf("%s gives curl\n%s\nwant\n%s, %v", command, out, want, err)
	}
	for _, id := range []string{"b", "c"} {
		if command := s.curlOf(id); !strings.HasSuffix(command, "--data-binary '@delivery-"+id+".json'") {
			t.Errorf("%s: %s", id, command)
		}
	}
}

// curlOf returns the command on the page of a delivery.
func (s *site) curlOf(id string) string {
	s.Helper()
	body := s.get(200, "/webhooks/deliveries/"+url.PathEscape(id))
	_, after, _ := strings.Cut(body, `aria-label="curl command">`)
	command, _, _ := strings.Cut(after, "</pre>")
	return html.UnescapeString(command)
}

func TestASampleIsSentAndShown(t *testing.T) {
	s := openSite(t)
	s.wants(s.get(200, "/webhooks"), `action="/webhooks/sample"`, "<option>ci</option>")
	s.add(inbox.Delivery{ID: "sample-1", Source: "ci"}, time.Minute)
	form := url.Values{"source": {"ci"}, "event": {" push "}}
	answer := s.send("POST", "/webhooks/sample", form)
	if to := answer.Header.Get("Location"); answer.StatusCode != 303 || to != "/webhooks/deliveries/sample-1?source=ci" || len(s.sent) != 1 || s.sent[0] != "ci push" {
		t.Fatalf("answered %d to %q, sent %q", answer.StatusCode, to, s.sent)
	}
	s.wants(s.get(200, answer.Header.Get("Location")), "The sample was sent as its sender would send it")
	s.refusal = inbox.ErrQuery.WithMsg("Only discord can sign.")
	s.wants(s.body(s.send("POST", "/webhooks/sample", form), 400), `role="alert">Only discord can sign.`, `value="push"`)
	fromElsewhere := func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }
	if answer := s.send("POST", "/webhooks/sample", form, fromElsewhere); answer.StatusCode != 403 || len(s.sent) != 2 {
		t.Errorf("from another site: %d, sent %q", answer.StatusCode, s.sent)
	}
}
