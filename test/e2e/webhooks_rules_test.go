package e2e_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/servers"
)

// rulesAPI sends a request to the API of rules.
func (x *inboxRun) rulesAPI(method, path string) (status int, body string) {
	x.t.Helper()
	r, body := exchange(x.t, method, x.URL+"/api/host/rules"+path, "", "Authorization", "Bearer token of the operator")
	return r.StatusCode, body
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
