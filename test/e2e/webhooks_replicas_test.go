package e2e_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/poll"
)

// stream follows the deliveries that a service accepts and notes their ids.
type stream struct {
	mu  sync.Mutex
	ids []string
}

func (s *stream) got() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ids)
}

// followDeliveries returns once the service streams.
func followDeliveries(t *testing.T, url string) *stream {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/host/deliveries/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer token of the operator")
	answer, err := http.DefaultClient.Do(req)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("the stream is answered %v, %v", answer, err)
	}
	s, begun := &stream{}, make(chan struct{})
	ended := make(chan struct{})
	t.Cleanup(func() { _ = answer.Body.Close(); <-ended })
	go func() {
		defer close(ended)
		lines := bufio.NewScanner(answer.Body)
		for first := true; lines.Scan(); first = false {
			if first {
				close(begun)
			}
			var d struct{ ID string }
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && json.Unmarshal([]byte(data), &d) == nil && d.ID != "" {
				s.mu.Lock()
				s.ids = append(s.ids, d.ID)
				s.mu.Unlock()
			}
		}
	}()
	<-begun
	return s
}

// A rule is paused at one of two replicas and resumed at the other. The streams of both have
// what either accepts.
func TestTwoReplicasPauseResumeAndStreamAsOne(t *testing.T) {
	t.Parallel()
	url := onPostgres(t)[0]
	x := &inboxRun{t: t, status: http.StatusOK}
	env := []string{url, "WEBHOOK_SECRET=" + inboxSecret, "WEBHOOK_API_TOKEN=token of the operator", "WEBHOOK_FORWARD=ping=" + newServer(t, x) + "/shop"}
	first, second := e2e.StartWith(t, env, "webhooks"), e2e.StartWith(t, env, "webhooks")
	streams := []*stream{followDeliveries(t, first.URL), followDeliveries(t, second.URL)}
	x.Server = first
	var key string
	x.until("the rules are not listed", func() bool {
		_, body := x.rulesAPI(http.MethodGet, "")
		_, rest, found := strings.Cut(body, `{"name":"`)
		key, _, _ = strings.Cut(rest, `"`)
		return found
	})
	escaped := strings.NewReplacer("/", "%2F", ":", "%3A", "=", "%3D").Replace(key)
	if status, body := x.rulesAPI(http.MethodPost, "/"+escaped+"/pause"); status != http.StatusOK {
		t.Fatalf("pausing is answered %d %s, want %d", status, body, http.StatusOK)
	}
	x.Server = second
	x.awaitLog("a forwarding rule is paused")
	x.send("at the second", "ping")
	x.Server = first
	x.send("at the first", "ping")
	if shown := x.cli("rules"); !strings.Contains(shown, "paused  2 pending, 0 dead") || len(x.got) != 0 {
		t.Errorf("while it is paused, the target got %q, and the rules are\n%s", x.got, shown)
	}
	x.Server = second
	if status, body := x.rulesAPI(http.MethodPost, "/"+escaped+"/resume"); status != http.StatusOK {
		t.Fatalf("resuming is answered %d %s, want %d", status, body, http.StatusOK)
	}
	x.arrives("at the first /shop 1")
	x.arrives("at the second /shop 1")
	x.Server = first
	x.awaitLog("a forwarding rule is resumed")
	x.send("at last", "ping")
	x.arrives("at last /shop 1")
	want := []string{"at the second", "at the first", "at last"}
	for n, s := range streams {
		x.until("a stream has not ended with the last delivery", func() bool { return slices.Contains(s.got(), "at last") })
		if got := s.got(); !slices.Equal(got, want) {
			t.Errorf("the stream of replica %d has %q, want %q", n+1, got, want)
		}
	}
}

// A replica is killed when it has just acknowledged a delivery, so that it may not have notified the
// other any more. The other forwards it nevertheless.
func TestWhatAKilledReplicaHasAcknowledgedIsForwardedByTheOther(t *testing.T) {
	t.Parallel()
	url := onPostgres(t)[0]
	x := &inboxRun{t: t, status: http.StatusOK}
	env := []string{url, "WEBHOOK_SECRET=" + inboxSecret, "WEBHOOK_FORWARD=push=" + newServer(t, x) + "/shop"}
	first := e2e.StartWith(t, env, "webhooks")
	e2e.StartWith(t, env, "webhooks")
	x.Server = first
	for n := range 2 {
		id := fmt.Sprint("before death ", n)
		sendUntilAccepted(t, first.URL, id)
		first.Kill()
		x.until("the other replica does not forward what the killed one has acknowledged", func() bool {
			x.mu.Lock()
			defer x.mu.Unlock()
			return slices.ContainsFunc(x.got, func(line string) bool { return strings.HasPrefix(line, id+" /shop ") })
		})
		first.Restart()
	}
}

// alertReceiver refuses alerts until it is opened.
type alertReceiver struct {
	mu    sync.Mutex
	open  bool
	asked int
	taken []string // types
}

func (o *alertReceiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var alert struct{ Type string }
	err := json.NewDecoder(r.Body).Decode(&alert)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked++
	if err != nil || !o.open {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	o.taken = append(o.taken, alert.Type)
}

func (o *alertReceiver) await(t *testing.T, complaint string, holds func() bool) {
	t.Helper()
	if !poll.Until(func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return holds()
	}) {
		t.Fatal(complaint)
	}
}

func TestAnAlertOfAKilledProcessIsSentOnceByTheNext(t *testing.T) {
	t.Parallel()
	x, receiver := &inboxRun{t: t, status: http.StatusGone}, &alertReceiver{}
	x.Server = e2e.StartWith(t, []string{"WEBHOOK_SECRET=" + inboxSecret, "WEBHOOK_FORWARD=ping=" + newServer(t, x) + "/shop", "ALERT_URL=" + newServer(t, receiver) + "/"}, "webhooks")
	x.send("dead", "ping")
	receiver.await(t, "the alert is not sent at first", func() bool { return receiver.asked > 0 })
	x.Kill()
	receiver.await(t, "", func() bool { receiver.open = true; return true })
	x.Restart()
	receiver.await(t, "the alert is not sent after the restart", func() bool { return len(receiver.taken) > 0 })
	x.answer(http.StatusNoContent)
	x.send("works", "ping")
	receiver.await(t, "the recovery is not reported", func() bool { return slices.Contains(receiver.taken, "rule.recovered") })
	if want := []string{"rule.dead", "rule.recovered"}; !slices.Equal(receiver.taken, want) {
		t.Errorf("the alerts are %q, want %q", receiver.taken, want)
	}
}
