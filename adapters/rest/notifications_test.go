package rest_test

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/rest"
	"github.com/octavo-books/octavo/test/poll"
)

func (r *result) kinds() []string {
	out := []string{}
	for i := range r.list() {
		out = append(out, r.text(i, "kind"))
	}
	return out
}

func TestNotificationsAreListedAndMarkedAsRead(t *testing.T) {
	w := newMarketFixture(t)
	w.bought("ann", "bob")
	r := w.get("/api/getNotifications", w.as("ann")).wantStatus(200, "")
	if got := r.kinds(); len(got) < 2 || got[0] != "book_sold" || got[1] != "book_posted" || r.at(0, "readAt") != nil {
		t.Errorf("the notifications are %s", r)
	}
	unread := w.get("/api/user/getUnreadCount", w.as("ann")).at("unread")
	if unread != float64(len(r.list())) {
		t.Errorf("%v unread", unread)
	}
	w.post("/api/user/markNotificationsRead", w.as("ann"), object{"ids": []string{r.text(0, "id"), "999", "x"}}).wantStatus(200, "")
	after := w.get("/api/getNotifications", w.as("ann"))
	if after.at(0, "readAt") == nil || after.at(1, "readAt") != nil {
		t.Errorf("after marking the first as read, the notifications are %s", after)
	}
	w.post("/api/user/markNotificationsRead", w.as("ann"), object{"ids": []string{}}).wantStatus(200, "")
	if w.get("/api/user/getUnreadCount", w.as("ann")).at("unread") == 0.0 {
		t.Error("an empty list marked all")
	}
	w.post("/api/user/markNotificationsRead", w.as("ann"), nil).wantStatus(200, "")
	if w.get("/api/user/getUnreadCount", w.as("ann")).at("unread") != 0.0 {
		t.Error("not all were marked")
	}
	first := w.get("/api/getNotifications?limit=1", w.as("ann"))
	if older := w.get(next.FindStringSubmatch(first.header.Get("Link"))[1], w.as("ann")); older.text(0, "kind") != "book_posted" {
		t.Errorf("the second page is %s", older)
	}
}

// feed is an open event stream.
type feed struct {
	t      *testing.T
	status int
	lines  chan string // closed when the stream ends
	close  func()
}

// streams is a market behind a server with real connections.
type streams struct {
	*marketFixture
	t      *testing.T
	server *httptest.Server
}

func newStreams(t *testing.T, cfg rest.Config, set ...func(*http.Server)) *streams {
	w := newMarketFixtureWith(t, cfg)
	server := httptest.NewUnstartedServer(w.handler)
	for _, f := range set {
		f(server.Config)
	}
	server.Start()
	t.Cleanup(server.Close)
	return &streams{w, t, server}
}

// open asks for the stream.
func (w *streams) open(method, token, last string) *http.Response {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.server.URL+"/api/user/notifications/stream", nil)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	answer, err := w.server.Client().Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer
}

// listen opens the stream and reads it.
func (w *streams) listen(token, last string) *feed {
	w.t.Helper()
	t, answer := w.t, w.open(http.MethodGet, token, last)
	f := &feed{t: t, status: answer.StatusCode, lines: make(chan string, 100), close: func() { answer.Body.Close() }}
	t.Cleanup(f.close)
	go func() {
		defer close(f.lines)
		for s := bufio.NewScanner(answer.Body); s.Scan(); {
			f.lines <- s.Text()
		}
	}()
	return f
}

// until reads up to a line with this prefix and returns it, or "" if the stream ends
// before.
func (f *feed) until(prefix string) string {
	f.t.Helper()
	limit := time.After(poll.Limit)
	for {
		select {
		case line, open := <-f.lines:
			if !open || strings.HasPrefix(line, prefix) {
				return line
			}
		case <-limit:
			f.t.Fatalf("no line %q", prefix)
		}
	}
}

func quick() rest.Config {
	return rest.Config{Heartbeat: 20 * time.Millisecond, MaxStreams: 2}
}

func TestTheStreamSendsNotificationsAndResumes(t *testing.T) {
	w := newStreams(t, rest.Default())
	token := w.as("ann")
	w.posted("ann", "name", "Old")
	f := w.listen(token, "")
	f.until(": connected")
	w.posted("ann", "name", "New")
	if id := f.until("id: "); id != "id: "+w.get("/api/getNotifications", token).text(0, "id") {
		t.Errorf("the event has %q", id)
	}
	if data := f.until("data: "); !strings.Contains(data, "“New”") || !strings.Contains(data, `"kind":"book_posted"`) {
		t.Errorf("the event has %q", data)
	}
	again := w.listen(token, "0")
	var received []string
	for len(received) < len(w.get("/api/getNotifications", token).list()) {
		received = append(received, again.until("data: "))
	}
	if i := slices.IndexFunc(received, func(s string) bool { return strings.Contains(s, "“Old”") }); i < 0 || !strings.Contains(received[i+1], "“New”") {
		t.Errorf("resumed with %q", received)
	}
}

func TestAStreamResumedWithAFutureIDSendsTheNextNotification(t *testing.T) {
	w := newStreams(t, rest.Default())
	token := w.as("ann")
	w.posted("ann", "name", "Old")
	f := w.listen(token, "999999999")
	f.until(": connected")
	w.posted("ann", "name", "New")
	if data := f.until("data: "); !strings.Contains(data, "“New”") {
		t.Errorf("the event has %q", data)
	}
}

func TestTheStreamSendsHeartbeatsAndEndsWithItsSession(t *testing.T) {
	w := newStreams(t, quick())
	token := w.as("ann")
	f := w.listen(token, "")
	f.until(": alive")
	f.until(": alive")
	w.post("/api/auth/logout", token, nil).wantStatus(200, "")
	if f.until("never") != "" {
		t.Error("the stream continued after its session had ended")
	}
}

func TestStreamsPerPersonAreLimited(t *testing.T) {
	w := newStreams(t, quick())
	token := w.as("ann")
	one, two := w.listen(token, ""), w.listen(token, "")
	one.until(": connected")
	two.until(": connected")
	if three := w.listen(token, ""); three.status != 429 {
		t.Errorf("a third stream: %d, want 429", three.status)
	}
	if other := w.listen(w.as("bob"), ""); other.status != 200 {
		t.Errorf("somebody else's stream: %d, want 200", other.status)
	}
	one.close()
	if !poll.Until(func() bool { return w.listen(token, "").status == 200 }) {
		t.Fatal("a closed stream still counts for the limit")
	}
}

func TestStreamsEndWhenTheServerStops(t *testing.T) {
	draining := make(chan struct{})
	w := newStreams(t, rest.Default(), func(s *http.Server) {
		s.BaseContext = func(net.Listener) context.Context { return httpx.WithDraining(context.Background(), draining) }
	})
	f := w.listen(w.as("ann"), "")
	f.until(": connected")
	close(draining)
	if f.until("never") != "" {
		t.Error("the stream continued while the server stops")
	}
}

func TestAStreamOfAnExpiredTokenEnds(t *testing.T) {
	w := newStreams(t, quick())
	f := w.listen(w.as("ann"), "")
	f.until(": alive")
	w.Clock.Advance(time.Hour)
	if f.until("never") != "" {
		t.Error("the stream continued after its token had expired")
	}
}

func TestAStreamHasTheHeadersOfOtherResponsesAndHEADEndsAtOnce(t *testing.T) {
	w := newStreams(t, rest.Default())
	token := w.as("ann")
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		response := w.open(method, token, "")
		_ = response.Body.Close()
		for name, wanted := range map[string]string{"Content-Type": "text/event-stream", "X-Content-Type-Options": "nosniff"} {
			if got := response.Header.Get(name); response.StatusCode != 200 || got != wanted {
				t.Errorf("%s: %d with %s %q, want 200 with %q", method, response.StatusCode, name, got, wanted)
			}
		}
		for _, name := range []string{"X-Request-Id", "Date", "Cache-Control"} {
			if response.Header.Get(name) == "" {
				t.Errorf("%s: the response has no %s", method, name)
			}
		}
	}
}

func TestTheStreamOutlivesTheServersTimeouts(t *testing.T) {
	w := newStreams(t, quick(), func(s *http.Server) {
		s.ReadTimeout, s.WriteTimeout = 100*time.Millisecond, 100*time.Millisecond
	})
	f := w.listen(w.as("ann"), "")
	for i := range 20 {
		if f.until(": alive") == "" {
			t.Fatalf("the stream ended after %d beats", i)
		}
	}
}
