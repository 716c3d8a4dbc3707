package e2e_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

// shownDelivery is a delivery as the API shows it.
type shownDelivery struct {
	ID, Name, State string
	Conflict        bool
	Others          []string
	Payload         struct{ Type string }
}

func (x *sourcesRun) show(path string) (d shownDelivery) {
	x.t.Helper()
	if err := json.Unmarshal(x.api("GET", "/api/host/deliveries/"+path, http.StatusOK), &d); err != nil {
		x.t.Fatal(err)
	}
	return d
}

// startUnmatched starts a service with a source of GitHub and a rule that takes nothing.
func startUnmatched(t *testing.T) (x *sourcesRun, setRules func(text string)) {
	t.Helper()
	folder := t.TempDir()
	x = &sourcesRun{inboxRun: inboxRun{t: t}, file: filepath.Join(folder, "sources.yaml"), got: map[string]http.Header{}}
	x.writeSources("github")
	target, file := newServer(t, x), filepath.Join(folder, "rules.yaml")
	write := func(text string) { write(t, file, strings.ReplaceAll(text, "URL", target)) }
	write("- {source: of-github, match: release.published, url: 'URL/all', secret: " + ruleSecret + "}\n")
	x.Server = e2e.StartWith(t, []string{"WEBHOOK_SOURCES=" + x.file, "WEBHOOK_RULES=" + file, "WEBHOOK_API_TOKEN=token of the operator"}, "webhooks")
	return x, func(text string) {
		write(text)
		x.Signal(syscall.SIGHUP)
		x.awaitLog("forwarding rules read")
	}
}

func TestPressingRedeliverAtTheSenderSendsWhatNobodyHasAccepted(t *testing.T) {
	t.Parallel()
	x, setRules := startUnmatched(t)
	send := func(body, want string) {
		t.Helper()
		if status, answer := x.post("/hooks/github", body, senders["github"]("one", body)); status != http.StatusOK || answer != want {
			t.Errorf("answered %d %q, want 200 %q", status, answer, want)
		}
	}
	send(bodyOf("one"), "ok")
	send(bodyOf("one"), "seen before")
	if d := x.show("one"); d.State != "unmatched" {
		t.Errorf("no rule took it, but it is %+v", d)
	}
	if out := x.cli("list", "--state", "unmatched"); !strings.HasPrefix(out, "one  ") || !strings.Contains(out, "  unmatched  no target  ") {
		t.Errorf("listed %s", out)
	}
	if !strings.Contains(strings.Join(x.metrics(), ""), `octavo_webhook_unmatched_total{source="of-github"} 1`) {
		t.Error("the metrics do not count it")
	}
	x.awaitLog("source=of-github event=issues.opened id=one delivery=duplicate")

	setRules("- {source: of-github, match: issues.*, url: 'URL/all', secret: " + ruleSecret + "}\n")
	send(bodyOf("one"), "ok")
	if h := x.arrived("of-github:one /all"); h.Get("X-Host-Redelivery") != "1" {
		t.Errorf("it arrived with %v", h)
	}
	x.until("it is not delivered", func() bool { return x.show("one").State == "delivered" })
	send(bodyOf("one"), "seen before")

	send(bodyOf("other"), "ok")
	x.arrived("of-github:one~2 /all")
	if d := x.show("one"); d.ID != "one" || d.Name != "one~2" || !d.Conflict || !slices.Equal(d.Others, []string{"one~1"}) {
		t.Errorf("the newest is %+v", d)
	}
	if d := x.show("one~1"); d.ID != "one" || d.Name != "one~1" || d.Conflict || !slices.Equal(d.Others, []string{"one~2"}) {
		t.Errorf("the first is %+v", d)
	}
	x.awaitLog("another body arrived under an id that was seen before")
}
