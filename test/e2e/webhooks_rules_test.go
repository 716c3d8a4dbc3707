package e2e_test

import (
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/servers"
)

// rulesAPI sends a request to the API of rules.
func (x *inboxRun) rulesAPI(method, path string) (status int, body string) {
	x.t.Helper()
	req, err := http.NewRequestWithContext(x.t.Context(), method, x.URL+"/api/host/rules"+path, nil)
	if err != nil {
		x.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer token of the operator")
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		x.t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(text)
}

// sendPayload sends a delivery with a payload of its own.
func (x *inboxRun) sendPayload(id, event, payload string) {
	x.t.Helper()
	file := filepath.Join(x.t.TempDir(), "payload.json")
	write(x.t, file, payload)
	x.cli("send", event, "--id", id, "--payload", file, "--to", x.URL+"/api/host/webhooks")
}

func TestRulesHaveConditionsAndArePausedAndResumed(t *testing.T) {
	t.Parallel()
	x := &inboxRun{t: t, status: http.StatusOK}
	server := newServer(t, x)
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	write(t, rules, "- {name: gate, match: push, where: 'payload.ref == \"main\"', rate: 100/s, url: '"+server+"/gate'}\n")
	x.Server = e2e.StartWith(t, []string{"WEBHOOK_SECRET=" + inboxSecret, "WEBHOOK_RULES=" + rules, "WEBHOOK_FORWARD=ping=" + server + "/nameless", "WEBHOOK_API_TOKEN=token of the operator"}, "webhooks")

	x.sendPayload("other", "push", `{"ref":"other"}`)
	x.sendPayload("main", "push", `{"ref":"main"}`)
	x.arrives("main /gate 1")
	if out, code := x.Octavo("webhooks", "redeliver", "other"); code != 1 || !strings.Contains(out, "No forwarding rule matches") {
		t.Errorf("a delivery that meets no condition is redelivered: %d %s", code, out)
	}

	key := "ping=" + server + "/nameless"
	if status, body := x.rulesAPI(http.MethodPost, "/"+url.PathEscape(key)+"/pause"); status != http.StatusOK || body != `{"name":"`+key+`","paused":true}`+"\n" {
		t.Fatalf("pausing is answered %d %s", status, body)
	}
	if status, body := x.rulesAPI(http.MethodPost, "/nobody/pause"); status != http.StatusNotFound {
		t.Errorf("pausing an unknown rule is answered %d %s, want %d", status, body, http.StatusNotFound)
	}
	x.send("waits", "ping")
	if shown := x.cli("rules"); !strings.Contains(shown, key+"  paused  1 pending, 0 dead") || !strings.Contains(shown, "gate  active  0 pending, 0 dead") {
		t.Errorf("the rules are listed as\n%s", shown)
	}
	x.cli("rules", "resume", key)
	x.arrives("waits /nameless 1")

	x.cli("rules", "pause", "gate")
	x.awaitLog("a forwarding rule is paused")
	x.until("the service does not say that the rule is paused", func() bool {
		_, body := x.rulesAPI(http.MethodGet, "")
		return strings.Contains(body, `"name":"gate","target":"`+server+`/gate"`) && strings.Contains(body, `"rate":"100/s","state":"paused","pausedBy":"operator"`)
	})
	x.sendPayload("later", "push", `{"ref":"main"}`)
	if status, body := x.rulesAPI(http.MethodPost, "/gate/resume"); status != http.StatusOK {
		t.Errorf("resuming is answered %d %s, want %d", status, body, http.StatusOK)
	}
	x.arrives("later /gate 1")
}

func TestOperatorsAreAlertedToADeadDeliveryAndToTheRecovery(t *testing.T) {
	t.Parallel()
	x := &inboxRun{t: t, status: http.StatusGone}
	server := newServer(t, x)
	mailServer := &smtpServer{}
	address := servers.Address(t)
	mailServer.open(t, address)
	x.Server = e2e.StartWith(t, []string{
		"WEBHOOK_SECRET=" + inboxSecret, "WEBHOOK_FORWARD=ping=" + server + "/shop", "ALERT_URL=" + server + "/alerts", "ALERT_MAIL=ops@example.edu",
		"SMTP_URL=smtp://" + address + "?tls=off", "MAIL_FROM=octavo@example.edu",
	}, "webhooks")
	x.send("dead", "ping")
	mailServer.await(t, "ops@example.edu", "[Octavo] Webhook rule ping#1 gave up on a delivery")
	alerted := func(times string) func() bool {
		return func() bool {
			x.mu.Lock()
			defer x.mu.Unlock()
			return slices.ContainsFunc(x.got, func(line string) bool { return strings.HasPrefix(line, "/alerts "+times+" ") })
		}
	}
	x.until("the alert is not posted again", alerted("2"))
	x.answer(http.StatusNoContent)
	x.send("works", "ping")
	mailServer.await(t, "ops@example.edu", "ping#1 works again")
	if mailServer.has([]string{"text/html"}) {
		t.Error("an alert has an empty HTML part")
	}
}

func TestInDevelopmentAlertsAreInTheMailbox(t *testing.T) {
	t.Parallel()
	x := &inboxRun{t: t, status: http.StatusGone}
	x.Server = e2e.StartWith(t, []string{"WEBHOOK_SECRET=" + inboxSecret, "WEBHOOK_FORWARD=ping=" + newServer(t, x) + "/shop", "ALERT_MAIL=ops@example.edu"}, "auth", "webhooks")
	x.send("dead", "ping")
	if m := x.Mail("ops@example.edu", "alert"); m.Subject != "[Octavo] Webhook rule ping#1 gave up on a delivery" {
		t.Errorf("the mail is %+v", m)
	}
}

func TestAMailForAlertsNeedsAMailServer(t *testing.T) {
	t.Parallel()
	out, code := e2e.Octavo(t, []string{"ALERT_MAIL=ops@example.edu"}, "serve", "webhooks")
	if code != 2 || !strings.Contains(out, "ALERT_MAIL") || !strings.Contains(out, "SMTP_URL") || strings.Count(out, "\n") != 1 {
		t.Errorf("the program ended with %d: %s", code, out)
	}
}
