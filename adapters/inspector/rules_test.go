package inspector_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

var ruleField = regexp.MustCompile(`name="rule" value="([^"]+)"`)

// rulesSite has a named rule with a backlog and one whose URL holds a secret.
func rulesSite(t *testing.T) *site {
	s := openSite(t)
	rules := []inbox.Rule{{Name: "deploy", Match: "push\nissues.*", Source: "ci", Where: "payload.ref != '<b>'", URL: "http://127.0.0.1:9/"}, {Match: "*", URL: "https://target.example/hook?token=swordfish"}}
	s.saveRules(rules)
	s.add(inbox.Delivery{ID: "a"}, 10*time.Minute, inbox.Open)
	s.add(inbox.Delivery{ID: "b"}, 5*time.Minute, inbox.Open)
	s.add(inbox.Delivery{ID: "c"}, 5*time.Minute, inbox.Dead)
	report := inbox.AttemptReport{Rule: "deploy", Attempts: 3, Failures: 2, CircuitOpen: true, FailingSince: noon.Add(-time.Minute), Last: inbox.AttemptResult{At: noon, Status: 503, Error: "answered 503 " + markup}}
	if err := s.store.RecordAttempts(t.Context(), []inbox.AttemptReport{report}); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRulesAreListedWithTheirStateAndBacklog(t *testing.T) {
	s := rulesSite(t)
	body := s.get(200, "/webhooks/rules")
	s.wants(body, "<h2>deploy</h2>", ">failing<", "tried less often", "push, issues.* of ci where <code>payload.ref != &#39;&lt;b&gt;&#39;</code>", "2, the oldest since <time datetime=\"2026-11-20T11:50:00Z\">",
		`<a href="/webhooks?source=ci&amp;state=dead">1</a>`, "3 attempts, 67 % failed", "answered 503", "no attempts", "none yet", `aria-label="Pause deploy"`,
		"*=https://target.example/hook?…", "but not", "swordfish", "<script>alert", "Resume")
}

func TestARuleIsPausedAndResumed(t *testing.T) {
	s := rulesSite(t)
	body := s.get(200, "/webhooks/rules")
	form := url.Values{"rule": {ruleField.FindAllStringSubmatch(body, -1)[1][1]}}
	if answer := s.send("POST", "/webhooks/rules/pause", form); answer.StatusCode != 303 || answer.Header.Get("Location") != "/webhooks/rules" {
		t.Fatalf("pausing is answered %d", answer.StatusCode)
	}
	s.wants(s.get(200, "/webhooks/rules"), "The rule is paused", "since <time datetime=\"2026-11-20T12:00:00Z\">", ">paused<", ">Resume</button>")
	if paused, err := s.store.PausedRules(t.Context()); err != nil || len(paused) != 1 || paused[0] != "*=https://target.example/hook?token=swordfish" {
		t.Errorf("paused are %q, %v", paused, err)
	}
	if answer := s.send("POST", "/webhooks/rules/resume", form); answer.StatusCode != 303 {
		t.Fatalf("resuming is answered %d, want 303", answer.StatusCode)
	}
	s.wants(s.get(200, "/webhooks/rules"), "The rule is resumed", "but not", ">paused<", ">Resume</button>")
}

func TestARuleThatIsGoneOrPausedInTheFileSaysSo(t *testing.T) {
	s := rulesSite(t)
	form := url.Values{"rule": {"0123"}}
	s.wants(s.body(s.send("POST", "/webhooks/rules/pause", form), 404), `role="alert">This forwarding rule does not exist.`, "<h2>deploy</h2>")
	s.saveRules([]inbox.Rule{{Name: "deploy", Match: "push", Paused: true}})
	body := s.get(200, "/webhooks/rules")
	s.wants(body, ">paused<", "in the file of rules", "but not", "<button class=\"small\"")
	fromElsewhere := func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }
	if got := s.send("POST", "/webhooks/rules/resume", form, fromElsewhere).StatusCode; got != 403 {
		t.Errorf("from another site it is answered %d, want 403", got)
	}
}

func TestWithoutRulesThePageSaysHowToForward(t *testing.T) {
	s := openSite(t)
	s.wants(s.get(200, "/webhooks/rules"), "There are no rules", "--forward")
}

func TestManyRulesAreShownPageByPageAndAButtonReturnsToItsPage(t *testing.T) {
	s := openSite(t)
	var rules []inbox.Rule
	for n := range 120 {
		rules = append(rules, inbox.Rule{Name: fmt.Sprint("r", n+1), Match: "push", URL: "http://127.0.0.1:9/"})
	}
	s.saveRules(rules)
	s.wants(s.get(200, "/webhooks/rules"), "<h2>r1</h2>", "<h2>r50</h2>", "1 to 50 of 120", `<a rel="next" href="/webhooks/rules?from=50">`, "but not", "<h2>r51</h2>", "Previous rules")
	body := s.get(200, "/webhooks/rules?from=50")
	s.wants(body, "<h2>r51</h2>", "<h2>r100</h2>", "51 to 100 of 120", `<a rel="prev" href="/webhooks/rules">`, `<a rel="next" href="/webhooks/rules?from=100">`, "but not", "<h2>r50</h2>")
	form := url.Values{"rule": {ruleField.FindStringSubmatch(body)[1]}, "from": {"50"}}
	if answer := s.send("POST", "/webhooks/rules/pause", form); answer.StatusCode != 303 || answer.Header.Get("Location") != "/webhooks/rules?from=50" {
		t.Errorf("pausing leads to %q", answer.Header.Get("Location"))
	}
	s.wants(s.get(200, "/webhooks/rules?from=100"), "<h2>r120</h2>", "101 to 120 of 120", "but not", "Next rules")
	for _, query := range []string{"?from=-1", "?from=x", "?from=120", "?from=99999999999999999999"} {
		s.wants(s.get(200, "/webhooks/rules"+query), "<h2>r1</h2>", "1 to 50 of 120")
	}
}
