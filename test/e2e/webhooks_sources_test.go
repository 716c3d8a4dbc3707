package e2e_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/e2e"
)

// sourceSecret signs what the senders of these tests send, and ruleSecret what is
// forwarded.
const (
	sourceSecret = "a secret of sixteen or more"
	ruleSecret   = "whsec_c2VjcmV0IG9mIHRoZSB0YXJnZXQ=" // of "secret of the target"
)

func hmacOf(key, text string) []byte {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// senders sign a body as each sender's documentation says: the headers are made here
// and not by the program.
var senders = map[string]func(id, body string) map[string]string{
	"github": func(id, body string) map[string]string {
		return map[string]string{"X-GitHub-Event": "issues", "X-GitHub-Delivery": id, "X-Hub-Signature-256": "sha256=" + hex.EncodeToString(hmacOf(sourceSecret, body))}
	},
	"stripe": func(_, body string) map[string]string {
		now := strconv.FormatInt(time.Now().Unix(), 10)
		return map[string]string{"Stripe-Signature": "t=" + now + ",v1=" + hex.EncodeToString(hmacOf(sourceSecret, now+"."+body))}
	},
	"slack": func(_, body string) map[string]string {
		now := strconv.FormatInt(time.Now().Unix(), 10)
		return map[string]string{"X-Slack-Request-Timestamp": now, "X-Slack-Signature": "v0=" + hex.EncodeToString(hmacOf(sourceSecret, "v0:"+now+":"+body))}
	},
	"gitlab": func(id, _ string) map[string]string {
		return map[string]string{"X-Gitlab-Event": "Push Hook", "Idempotency-Key": id, "X-Gitlab-Token": sourceSecret, "Authorization": "Bearer leaked", "Cookie": "a=leaked"}
	},
	"standard": func(id, body string) map[string]string {
		now := strconv.FormatInt(time.Now().Unix(), 10)
		return map[string]string{"webhook-id": id, "webhook-timestamp": now, "webhook-signature": "v1," + base64.StdEncoding.EncodeToString(hmacOf(sourceSecret, id+"."+now+"."+body))}
	},
}

// bodies name event and id for the senders that have them in the body.
func bodyOf(id string) string {
	return fmt.Sprintf(`{"id":%q,"event_id":%q,"type":"invoice.paid","action":"opened"}`, id, id)
}

// sourcesRun is a service with sources and a target that records what it gets.
type sourcesRun struct {
	inboxRun
	file string
	got  map[string]http.Header // by webhook-id and path
	mu   sync.Mutex
}

func (x *sourcesRun) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	id, at := r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp")
	want := "v1," + base64.StdEncoding.EncodeToString(hmacOf("secret of the target", id+"."+at+"."+string(body)))
	x.mu.Lock()
	defer x.mu.Unlock()
	if r.Header.Get("webhook-signature") != want {
		x.t.Errorf("%s of %s has another signature: %v", id, body, r.Header)
	}
	x.got[id+" "+r.URL.Path] = r.Header
}

// arrived waits for a forward.
func (x *sourcesRun) arrived(id string) http.Header {
	x.t.Helper()
	var header http.Header
	x.until("the target did not get "+id, func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		header = x.got[id]
		return header != nil
	})
	return header
}

func (x *sourcesRun) writeSources(names ...string) {
	x.t.Helper()
	var text strings.Builder
	for _, name := range names {
		fmt.Fprintf(&text, "- name: of-%s\n  path: /hooks/%s\n  sender: %s\n  secrets: [%s, the one before it]\n", name, name, name, sourceSecret)
	}
	write(x.t, x.file, text.String())
}

// post sends a delivery to a path and returns the answer.
func (x *sourcesRun) post(path, body string, headers map[string]string) (status int, answer string) {
	x.t.Helper()
	all := []string{"Content-Type", "application/json; charset=utf-8"}
	for name, value := range headers {
		all = append(all, name, value)
	}
	r, answer := exchange(x.t, "POST", x.URL+path, body, all...)
	return r.StatusCode, answer
}

// accepts requires the answer to a signed delivery, and that a tampered one is refused.
func (x *sourcesRun) accepts(sender, id string) {
	x.t.Helper()
	path, body := "/hooks/"+sender, bodyOf(id)
	headers := senders[sender](id, body)
	if status, answer := x.post(path, body, headers); status != http.StatusOK || answer != "ok" {
		x.t.Errorf("%s: %d %s", sender, status, answer)
	}
	if status, _ := x.post(path+"/", body, headers); status != http.StatusOK {
		x.t.Errorf("%s, the same again: %d, want %d", sender, status, http.StatusOK)
	}
	tampered := bodyOf(id + " tampered")
	if sender == "gitlab" { // its token does not depend on the body
		headers["X-Gitlab-Token"] += "x"
	}
	if status, answer := x.post(path, tampered, headers); status != http.StatusBadRequest || !strings.Contains(answer, "Signature does not match") {
		x.t.Errorf("%s, tampered: %d %s", sender, status, answer)
	}
}

func startSources(t *testing.T, names ...string) *sourcesRun {
	t.Helper()
	rules := "- {match: '*', url: 'URL/all', secret: " + ruleSecret + "}\n"
	if len(names) > 1 {
		rules += "- {name: builds, source: of-github, match: [push, 'iss*.opened'], url: 'URL/builds', secret: " + ruleSecret + ", headers: {X-Env: 'in ${RULE_ENV}'}}\n" +
			"- {name: later, source: of-stripe, match: 'invoice.*', url: 'URL/later', paused: true}\n"
	}
	folder := t.TempDir()
	x := &sourcesRun{inboxRun: inboxRun{t: t}, file: filepath.Join(folder, "sources.yaml"), got: map[string]http.Header{}}
	x.writeSources(names...)
	file := filepath.Join(folder, "rules.yaml")
	write(t, file, strings.ReplaceAll(rules, "URL", newServer(t, x)))
	x.Server = e2e.StartWith(t, []string{"WEBHOOK_SOURCES=" + x.file, "WEBHOOK_RULES=" + file, "WEBHOOK_API_TOKEN=token of the operator", "RULE_ENV=staging"})
	return x
}

func TestOneProcessReceivesFromManySendersAndForwardsToOneTarget(t *testing.T) {
	t.Parallel()
	x := startSources(t, "github", "stripe", "slack", "gitlab", "standard")
	for sender := range senders {
		x.accepts(sender, "id-of-"+sender)
		header := x.arrived("of-" + sender + ":id-of-" + sender + " /all")
		if got := header.Get("Content-Type"); got != "application/json; charset=utf-8" {
			t.Errorf("%s is forwarded as %s", sender, got)
		}
		for name := range header {
			if strings.HasPrefix(name, "X-Host-Event") {
				t.Errorf("%s is forwarded with %s", sender, name)
			}
		}
		if header.Get("X-Octavo-Source") != "of-"+sender || header.Get("X-Octavo-Event") == "" || header.Get("User-Agent") != "Go-http-client/1.1" {
			t.Errorf("%s is forwarded with %v", sender, header)
		}
		if all := fmt.Sprint(header); strings.Contains(all, sourceSecret) || strings.Contains(all, "leaked") {
			t.Errorf("%s is forwarded with a secret: %s", sender, all)
		}
	}
	if h := x.arrived("of-github:id-of-github /all"); h.Get("X-GitHub-Event") != "issues" || h.Get("X-GitHub-Delivery") != "id-of-github" {
		t.Errorf("github's is forwarded with %v", h)
	}
	if h := x.arrived("of-gitlab:id-of-gitlab /all"); h.Get("X-Gitlab-Event") != "Push Hook" || h.Get("Idempotency-Key") != "id-of-gitlab" {
		t.Errorf("gitlab's is forwarded with %v", h)
	}
	if h := x.arrived("of-github:id-of-github /builds"); h.Get("X-Env") != "in staging" {
		t.Errorf("the rule's header is %q, want \"in staging\"", h.Get("X-Env"))
	}
	for _, id := range []string{"of-gitlab:id-of-gitlab /builds", "of-stripe:id-of-stripe /later"} { // all sent at once with what has arrived
		x.mu.Lock()
		if x.got[id] != nil {
			t.Errorf("%s has arrived", id)
		}
		x.mu.Unlock()
	}
	if out := x.cli("list", "--source", "of-stripe"); !strings.Contains(out, "  pending  1 delivered, 1 pending  ") {
		t.Errorf("with a paused rule: %s", out)
	}
	x.theChallengeOfSlackIsAnswered()
	x.theListHasSources()
	for label, n := range map[string]int{"stored": 1, "duplicate": 1} {
		want := fmt.Sprintf(`octavo_webhook_deliveries_total{outcome=%q,source="of-stripe"} %d`, label, n)
		if !strings.Contains(strings.Join(x.metrics(), ""), want) {
			t.Errorf("the metrics have no %s", want)
		}
	}
}

func (x *sourcesRun) metrics() (all []string) {
	for _, url := range x.Each() {
		all = append(all, scrape(x.t, url))
	}
	return all
}

func (x *sourcesRun) theChallengeOfSlackIsAnswered() {
	x.t.Helper()
	const check = `{"type":"url_verification","challenge":"3eZbrw1aB"}`
	if status, answer := x.post("/hooks/slack", check, senders["slack"]("", check)); status != http.StatusOK || answer != "3eZbrw1aB" {
		x.t.Errorf("slack's check of the URL: %d %s", status, answer)
	}
	if out := x.cli("list", "--source", "of-slack"); strings.Count(out, "\n") != 1 {
		x.t.Errorf("after slack's check of the URL there are %s", out)
	}
}

func (x *sourcesRun) theListHasSources() {
	x.t.Helper()
	var page struct {
		Deliveries []struct{ ID, Source, Event string }
	}
	if err := json.Unmarshal(x.api("GET", "/api/host/deliveries?source=of-stripe", http.StatusOK), &page); err != nil || len(page.Deliveries) != 1 {
		x.t.Fatalf("stripe's are %+v, %v", page, err)
	}
	if d := page.Deliveries[0]; d.ID != "id-of-stripe" || d.Source != "of-stripe" || d.Event != "invoice.paid" {
		x.t.Errorf("listed %+v", d)
	}
	if out := x.cli("list", "--source", "of-github"); !strings.HasPrefix(out, "id-of-github  ") || !strings.HasSuffix(out, "  issues.opened  delivered  2 delivered  from of-github\n") {
		x.t.Errorf("listed %s", out)
	}
	if out := x.cli("redeliver", "--source", "of-gitlab", "id-of-gitlab"); out != "id-of-gitlab goes to 1 target again\n" {
		x.t.Errorf("redelivered: %s", out)
	}
	x.api("POST", "/api/host/deliveries/id-of-gitlab/redeliver?source=of-github", http.StatusNotFound)
}

func TestASourceIsAddedAndRemovedWhileTheServiceRuns(t *testing.T) {
	t.Parallel()
	x := startSources(t, "github")
	x.awaitLog(" from of-github") // the banner
	x.accepts("github", "one")
	const body = `{"id":"two","type":"a"}`
	if status, _ := x.post("/hooks/stripe", body, senders["stripe"]("two", body)); status != http.StatusNotFound && status != http.StatusMethodNotAllowed {
		t.Errorf("before there is a source: %d", status)
	}
	x.writeSources("github", "stripe")
	x.Signal(syscall.SIGHUP)
	x.awaitLog("webhook sources read")
	x.accepts("stripe", "two")

	write(t, x.file, "- name: of-github\n  path: /hooks/github\n  sender: gitub\n")
	x.Signal(syscall.SIGHUP)
	x.awaitLog(x.file + `: line 3: source 1 (of-github): \"gitub\" is not a sender`)
	x.accepts("github", "three")
	x.accepts("stripe", "four")

	x.writeSources("stripe")
	reread := strings.Count(x.Log(), "webhook sources read") + len(x.Each())
	x.Signal(syscall.SIGHUP)
	x.until("the sources are not read again", func() bool { return strings.Count(x.Log(), "webhook sources read") == reread })
	if status, answer := x.post("/hooks/github", bodyOf("five"), senders["github"]("five", bodyOf("five"))); status == http.StatusOK {
		t.Errorf("a removed source answers %s", answer)
	}
	for _, text := range x.metrics() {
		if strings.Contains(text, "of-github") || !strings.Contains(text, "of-stripe") {
			t.Error("the metrics have a source that was removed, or lack another one")
		}
	}
	if strings.Contains(x.Log(), sourceSecret) {
		t.Error("a secret is in the log")
	}
}

// Senders check a URL with HEAD or GET before they deliver to it.
func TestTheDefaultSourceAnswersTheSendersCheckOfItsURL(t *testing.T) {
	t.Parallel()
	settings := []string{"WEBHOOK_SENDER=trello", "WEBHOOK_SECRET=" + webhookSecret}
	alone := e2e.StartWith(t, settings, "webhooks")
	beside := e2e.StartWith(t, append(settings, "WEBHOOK_PATH=/hook"), "auth", "webhooks")
	for _, url := range []string{alone.URL + "/api/host/webhooks", beside.URL + "/hook"} {
		for method, want := range map[string]int{http.MethodHead: http.StatusOK, http.MethodGet: http.StatusBadRequest} {
			if answer, _ := exchange(t, method, url, ""); answer.StatusCode != want {
				t.Errorf("%s %s: %d, want %d", method, url, answer.StatusCode, want)
			}
		}
	}
}
