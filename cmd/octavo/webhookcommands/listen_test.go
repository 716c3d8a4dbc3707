package webhookcommands

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/poll"
)

const listenStream = ": connected\nid: 5\n\n" +
	"event: delivery\nid: 6\ndata: {\"id\":\"a\",\"source\":\"default\",\"event\":\"push\",\"action\":null,\"receivedAt\":\"2026-11-20T12:00:00Z\",\"header\":null,\"body\":\"{\\n}\"}\n\n" +
	"event: delivery\nid: 7\ndata: {\"id\":\"b\",\"source\":\"ci\",\"event\":\"issues\",\"action\":\"opened\",\"receivedAt\":\"2026-11-20T12:00:00Z\",\"header\":{\"X-Github-Event\":\"issues\",\"Content-Type\":\"application/json; x=1\"},\"bodyBase64\":\"e/99\"}\n\n" +
	"event: delivery\nid: 8\ndata: {\"id\":\"c\",\"source\":\"default\",\"event\":\"push\",\"action\":null,\"receivedAt\":\"2026-11-20T12:00:00Z\",\"header\":null}\n\n"

// relayed runs listen with a service that sends listenStream, until the target has got two
// deliveries and a third has been printed. It returns what is printed and what arrived.
func relayed(t *testing.T, flags ...string) (out string, got []*http.Request, bodies []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), poll.Limit)
	defer cancel()
	var mu sync.Mutex
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if got, bodies = append(got, r), append(bodies, string(body)); len(got) == 2 {
			w.WriteHeader(http.StatusTeapot)
		}
		_, _ = io.WriteString(w, "fine\n")
	}))
	t.Cleanup(target.Close)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer the settings' token" {
			t.Errorf("asked with %v", r.Header)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, listenStream)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(service.Close)
	printed := &lines{third: cancel}
	args := append([]string{"listen", "--from", service.URL, "--to", target.URL + "/x"}, flags...)
	if err := newFakeTools().runTo(ctx, t, printed, "", args...); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	return printed.String(), got, bodies
}

// lines calls third after the line about the third delivery. Its buffer is a field, because an
// embedded one would take what is written with io.WriteString.
type lines struct {
	all   bytes.Buffer
	third func()
}

func (l *lines) Write(p []byte) (int, error) {
	n, err := l.all.Write(p)
	if text := l.String(); strings.Contains(text, "damaged") && strings.HasSuffix(text, "\n") {
		l.third()
	}
	return n, err
}

func (l *lines) String() string { return l.all.String() }

func TestListenRelaysAsRulesForwardAndPrintsTheAnswers(t *testing.T) {
	out, got, bodies := relayed(t)
	want := regexp.MustCompile(`^relaying what http://127.0.0.1:\d+ accepts to http://127.0.0.1:\d+/x
2026-11-20T12:00:00Z  a  push  200 fine in [0-9.e+]+ m?s
2026-11-20T12:00:00Z  b  issues.opened  418 fine in [0-9.e+]+ m?s  from ci
2026-11-20T12:00:00Z  c  push  The delivery's payload is damaged and cannot be read. in 0 ms
3 deliveries relayed, 2 of them not accepted
$`)
	if !want.MatchString(out) {
		t.Errorf("it prints:\n%s", out)
	}
	if len(got) != 2 || bodies[0] != "{\n}" || bodies[1] != "{\xff}" {
		t.Fatalf("the target got %q", bodies)
	}
	host, _ := receiver.New("the settings' secret")
	if ok, err := host.Verify([]byte(bodies[0]), got[0].Header.Get("X-Host-Signature-256")); !ok || err != nil || got[0].Header.Get("X-Host-Delivery") != "a" || got[0].Header.Get("X-Host-Event") != "push" {
		t.Errorf("of sender host it got %v", got[0].Header)
	}
	signer, err := webhook.NewStandardSigner("the settings' secret")
	if err != nil {
		t.Fatal(err)
	}
	header := got[1].Header
	at, err := time.Parse(time.RFC3339, time.Now().Format(time.RFC3339))
	if err != nil {
		t.Fatal(err)
	}
	signed := false
	for back := range 60 { // the signature is as old as its timestamp
		timestamp, signature := signer.Sign("ci:b", at.Add(-time.Duration(back)*time.Second), []byte(bodies[1]))
		signed = signed || timestamp == header.Get("Webhook-Timestamp") && signature == header.Get("Webhook-Signature")
	}
	if !signed || header.Get("Webhook-Id") != "ci:b" || header.Get("X-Octavo-Source") != "ci" || header.Get("X-Github-Event") != "issues" || header.Get("Content-Type") != "application/json; x=1" || header.Get("X-Host-Event") != "" {
		t.Errorf("of another sender it got %v", header)
	}
}

func TestListenPrintsJSON(t *testing.T) {
	out, _, _ := relayed(t, "--json", "--secret", "S")
	if !strings.Contains(out, `{"id":"b","source":"ci","event":"issues","action":"opened","receivedAt":"2026-11-20T12:00:00Z","status":418,"error":"answered 418","durationMs":`) ||
		!strings.Contains(out, `,"answer":"fine\n"}`) {
		t.Errorf("it prints:\n%s", out)
	}
}

func TestListenRefusesInvalidAddresses(t *testing.T) {
	const from, to = "--from=http://127.0.0.1:1", "--to=http://127.0.0.1:1/"
	for want, args := range map[string][]string{
		"--from":     {"--from=ftp://x", to},
		"--from \"h": {"--from=http://x/?a=b", to},
		"--to \"":    {from, "--to=x"},
		"--to it":    {from, "--to=http://a:b@x/"},
		"--to 169":   {from, "--to=http://169.254.169.254/"},
		"--secret":   {from, to, "--secret=whpk_x"},
	} {
		if out, err := newFakeTools().run(t, "", append([]string{"listen"}, args...)...); !errors.Is(err, config.ErrSetting) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %q, %v", args, out, err)
		}
	}
}

func TestListenColoursAnswersOnATerminalOnly(t *testing.T) {
	a := inbox.Attempt{Status: 200, Answer: "ok"}
	if got := (&listening{}).answer(a); got != "200 ok" {
		t.Errorf("it prints %q, want \"200 ok\"", got)
	}
	onTerminal := &listening{console: terminal.Console{Style: terminal.Style{Color: true}}}
	if got := onTerminal.answer(a); got != "\x1b[32m200 ok\x1b[0m" {
		t.Errorf("on a terminal it prints %q", got)
	}
	a.Status, a.Error, a.Answer = 0, "connection refused", ""
	if got := onTerminal.answer(a); got != "\x1b[31mconnection refused\x1b[0m" {
		t.Errorf("on a terminal it prints %q", got)
	}
}
