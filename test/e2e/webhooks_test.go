package e2e_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/poll"
)

// inboxSecret signs the deliveries to the services of these tests, and those to their targets.
const inboxSecret = "what senders and targets know"

// inboxRun is a service with a target that records what it receives.
type inboxRun struct {
	*e2e.Server
	t      *testing.T
	mu     sync.Mutex
	got    []string // "id path attempt redelivery", marked where the body is not what was signed
	status int
}

func (x *inboxRun) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	line := strings.TrimSpace(strings.Join([]string{
		req.Header.Get("X-Host-Delivery"), req.URL.Path, req.Header.Get("X-Host-Attempt"), req.Header.Get("X-Host-Redelivery"),
	}, " "))
	mac := hmac.New(sha256.New, []byte(inboxSecret))
	mac.Write(body)
	if req.Header.Get("X-Host-Signature-256") != "sha256="+hex.EncodeToString(mac.Sum(nil)) {
		line += " with another body"
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.got = append(x.got, line)
	w.WriteHeader(x.status)
}

func (x *inboxRun) answer(status int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.status = status
}

// arrives waits until the target has received a delivery.
func (x *inboxRun) arrives(want string) {
	x.t.Helper()
	x.until("no "+want+" arrived", func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		return slices.Contains(x.got, want)
	})
}

func (x *inboxRun) until(complaint string, holds func() bool) {
	x.t.Helper()
	if !poll.Until(holds) {
		x.t.Fatalf("%s; the target got %q", complaint, x.got)
	}
}

// cli runs `octavo webhooks` while the service runs.
func (x *inboxRun) cli(args ...string) string {
	x.t.Helper()
	out, code := x.Octavo(append([]string{"webhooks"}, args...)...)
	if code != 0 {
		x.t.Fatalf("octavo webhooks %v ended with %d, want 0: %s", args, code, out)
	}
	return out
}

func (x *inboxRun) send(id, event string) {
	x.t.Helper()
	x.sendWanting(id, event, "ok")
}

func (x *inboxRun) sendWanting(id, event, answer string) {
	x.t.Helper()
	if out := x.cli("send", event, "--id", id, "--to", x.URL+"/api/host/webhooks"); out != id+"  200 "+answer+"\n" {
		x.t.Fatalf("sending %s: %s", id, out)
	}
}

// awaitLog waits until every program has logged a text.
func (x *inboxRun) awaitLog(words string) {
	x.t.Helper()
	x.until("not every program has logged: "+words, func() bool { return strings.Count(x.Log(), words) >= len(x.Each()) })
}

func TestTheServiceStoresForwardsAndRedelivers(t *testing.T) {
	t.Parallel()
	x := &inboxRun{t: t, status: http.StatusOK}
	server := newServer(t, x)
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	write := func(text string) { write(t, rules, text) }
	write("- {match: issues.opened, url: '" + server + "/tracker'}\n")
	x.Server = e2e.StartWith(t, []string{"WEBHOOK_SECRET=" + inboxSecret, "WEBHOOK_RULES=" + rules, "WEBHOOK_FORWARD=push=" + server + "/deploy,star=" + server + "/stars?x=1,2", "WEBHOOK_API_TOKEN=token of the operator"}, "webhooks")

	x.send("one", "push")
	x.arrives("one /deploy 1")
	x.send("two", "issues.opened")
	x.arrives("two /tracker 1")
	x.send("starred", "star.created")
	x.arrives("starred /stars 1")
	x.sendWanting("one", "push", "seen before")
	x.send("three", "ping")

	x.cli("redeliver", "one")
	x.arrives("one /deploy 1 1")

	x.answer(http.StatusGone)
	x.send("four", "push")
	x.arrives("four /deploy 1")
	x.until("four is not dead", func() bool { return strings.HasPrefix(x.cli("list", "--state", "dead"), "four  ") })

	write("- {match: ping, url: '" + server + "/pings'}\n")
	x.Signal(syscall.SIGHUP)
	x.awaitLog("forwarding rules read")
	x.answer(http.StatusOK)
	x.send("five", "ping")
	x.arrives("five /pings 1")
	write("- {match: pingg}\n")
	x.Signal(syscall.SIGHUP)
	x.awaitLog("sources and secrets are unchanged")
	write("[]\n") // without SIGHUP the service uses the old rules
	x.send("six", "ping")
	x.arrives("six /pings 1")

	x.api("POST", "/api/host/deliveries/four/redeliver", http.StatusAccepted)
	x.arrives("four /deploy 1 1")
	var page struct{ Deliveries []struct{ ID, State string } }
	if err := json.Unmarshal(x.api("GET", "/api/host/deliveries", http.StatusOK), &page); err != nil || len(page.Deliveries) != 7 || page.Deliveries[6].ID != "one" {
		t.Errorf("listed %+v, %v", page, err)
	}
	if a, err := (e2e.Client{URL: x.URL}).Do("GET", "/api/host/deliveries", nil); err != nil || a.Status != http.StatusUnauthorized {
		t.Errorf("without the token: %d, %v; want %d", a.Status, err, http.StatusUnauthorized)
	}
	if code := x.Stop(); code != 0 {
		t.Errorf("it ended with %d, want 0", code)
	}
	if n := len(slices.DeleteFunc(x.got, func(s string) bool { return s != "one /deploy 1" })); n != 1 {
		t.Errorf("the handler ran %d times for a repetition, want 1", n)
	}
}

// The command uses the rules of the service, which are in the service's flags.
func TestADeadLetterIsRedeliveredByTheRulesOfTheServiceOrStaysOne(t *testing.T) {
	t.Parallel()
	x := &inboxRun{t: t, status: http.StatusGone}
	server := newServer(t, x)
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	write := func(text string) { write(t, rules, text) }
	write("- {match: push, url: '" + server + "/old'}\n")
	env := []string{"WEBHOOK_SECRET=" + inboxSecret, "WEBHOOK_API_TOKEN=token of the operator"}
	x.Server = e2e.StartWith(t, env, "webhooks", "--webhook-rules", rules)
	x.send("one", "push")
	dead := func() bool { return strings.HasPrefix(x.cli("list", "--state", "dead"), "one  ") }
	x.until("one is not dead", dead)

	write("- {match: ping, url: '" + server + "/pings'}\n")
	x.Signal(syscall.SIGHUP)
	x.awaitLog("forwarding rules read")
	for _, args := range [][]string{{"one"}, {"--dead"}} {
		out, code := x.Octavo(append([]string{"webhooks", "redeliver"}, args...)...)
		if code != 1 || !strings.Contains(strings.ToLower(out), "no forwarding rule matches") {
			t.Errorf("redelivering %v ended with %d: %s", args, code, out)
		}
	}
	x.api("POST", "/api/host/deliveries/one/redeliver", http.StatusConflict)
	if !dead() {
		t.Error("it has left the dead letters")
	}

	write("- {match: push, url: '" + server + "/new'}\n")
	x.Signal(syscall.SIGHUP)
	x.until("the rules are not read", func() bool { return strings.Count(x.Log(), "forwarding rules read") == 2*len(x.Each()) })
	x.answer(http.StatusOK)
	x.cli("redeliver", "--dead")
	x.arrives("one /new 1 1")
	x.until("one is dead", func() bool { return strings.Contains(x.cli("show", "one"), "/new  delivered") })
}

func (x *inboxRun) api(method, path string, status int) []byte {
	x.t.Helper()
	return e2e.Client{URL: x.URL, Token: "token of the operator"}.Must(x.t, status, method, path, nil).Body
}

func TestWithoutATokenThereIsNoDeliveriesAPI(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "webhooks")
	if a, err := (e2e.Client{URL: s.URL}).Do("GET", "/api/host/deliveries", nil); err != nil || a.Status != http.StatusBadRequest {
		t.Errorf("answered %d %s, %v; want %d", a.Status, a.Body, err, http.StatusBadRequest)
	}
}

// newServer serves on the loopback address and returns its URL.
func newServer(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}
