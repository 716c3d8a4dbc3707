package e2e_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/poll"
)

// local is the target on a developer's machine. It records the ids in the order of arrival.
type local struct {
	t   *testing.T
	mu  sync.Mutex
	got []string
}

func listenBody(id string) string { return "{\"id\":\"" + id + "\",\r\n\t\"é\": [1.0, \"<&>\"] }" }

func signatureOf(body string) string {
	mac := hmac.New(sha256.New, []byte(inboxSecret))
	mac.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func (l *local) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	id := r.Header.Get("X-Host-Delivery")
	if err != nil || string(body) != listenBody(id) || r.Header.Get("X-Host-Signature-256") != signatureOf(string(body)) || r.Header.Get("X-Host-Event") != "push" || r.URL.Path != "/x" {
		l.t.Errorf("%s arrived as %s %q %v, %v", id, r.URL, body, r.Header, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.got = append(l.got, id)
}

func (l *local) arrived() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.got)
}

// sendUntilAccepted resends a delivery until the service, which may be down, accepts it.
func sendUntilAccepted(t *testing.T, url, id string) {
	t.Helper()
	body := listenBody(id)
	poll.For(t, "the service accepts "+id, func() bool {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/api/host/webhooks", strings.NewReader(body))
		if err != nil {
			return false
		}
		for name, value := range map[string]string{"Content-Type": "application/json", "X-Host-Event": "push", "X-Host-Delivery": id, "X-Host-Signature-256": signatureOf(body)} {
			req.Header.Set(name, value)
		}
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		_ = answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
}

func TestListenRelaysEachDeliveryOnceAndInOrderWhileTheServiceCrashes(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) { listenThroughCrashes(t) })
	t.Run("postgres", func(t *testing.T) {
		url := onPostgres(t)[0]
		listenThroughCrashes(t, url)
	})
}

func listenThroughCrashes(t *testing.T, env ...string) {
	l := &local{t: t}
	s := e2e.StartWith(t, append(env, "WEBHOOK_SECRET="+inboxSecret, "WEBHOOK_API_TOKEN=the token of the API"), "webhooks")
	listen := s.Begin("webhooks", "listen", "--from", s.URL, "--to", newServer(t, l)+"/x")
	await := func(complaint string, holds func() bool) {
		t.Helper()
		if !poll.Until(holds) {
			t.Fatalf("%s; listen prints:\n%s", complaint, listen.Output())
		}
	}
	await("it does not listen", func() bool { return strings.Contains(listen.Output(), "relaying what") })
	const crashes, each = 3, 40
	var want []string
	for round := range crashes {
		halfway := make(chan struct{})
		sent := make(chan []string)
		go func() {
			var ids []string
			for n := range each {
				ids = append(ids, fmt.Sprint(round, "-", n))
				sendUntilAccepted(t, s.URL, ids[n])
				if n == each/2 {
					close(halfway)
				}
			}
			sent <- ids
		}()
		<-halfway
		s.Kill()
		s.Restart()
		want = append(want, <-sent...)
	}
	await("not every delivery arrived", func() bool {
		return len(l.arrived()) >= len(want) && strings.Contains(listen.Output(), fmt.Sprintf("%d-%d  push  200 in ", crashes-1, each-1))
	})
	listen.Signal(os.Interrupt)
	if code := listen.Wait(); code != 0 {
		t.Errorf("listen ends with %d, want 0:\n%s", code, listen.Output())
	}
	if got := l.arrived(); !slices.Equal(got, want) {
		t.Errorf("%d arrived, want %d, each once and in order:\n%q", len(got), len(want), got)
	}
	summary := fmt.Sprintf("%d deliveries relayed, 0 of them not accepted\n", len(want))
	if out := listen.Output(); !strings.HasSuffix(out, summary) || !strings.Contains(out, "2-39  push  200 in ") || !strings.Contains(out, "no connection to "+s.URL) {
		t.Errorf("listen prints:\n%s", out)
	}
}

// Without a program at the port, listen prints the error and continues.
func TestListenGoesOnWhenNothingAnswersAtThePort(t *testing.T) {
	t.Parallel()
	s := e2e.StartWith(t, []string{"WEBHOOK_SECRET=" + inboxSecret, "WEBHOOK_API_TOKEN=the token of the API"}, "webhooks")
	listen := s.Begin("webhooks", "listen", "--json", "--from", s.URL, "--to", "http://127.0.0.1:1/x", "--match", "push", "--source", "default")
	awaitOutput := func(what string, times int) {
		t.Helper()
		if !poll.Until(func() bool { return strings.Count(listen.Output(), what) >= times }) {
			t.Fatalf("it does not say %s:\n%s", what, listen.Output())
		}
	}
	awaitOutput("relaying what", 1)
	sendUntilAccepted(t, s.URL, "a")
	awaitOutput("connection refused", 1)
	sendUntilAccepted(t, s.URL, "b")
	awaitOutput(`"status":null,"error":"`, 2)
	s.Signal(os.Interrupt)
	awaitOutput("no connection to", 1)
	listen.Signal(os.Interrupt)
	if code := listen.Wait(); code != 0 || !strings.HasSuffix(listen.Output(), "2 deliveries relayed, 2 of them not accepted\n") {
		t.Errorf("it ends with %d:\n%s", code, listen.Output())
	}
}
