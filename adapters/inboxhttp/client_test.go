package inboxhttp_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/inboxhttp"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/must"
)

// answering serves one answer after another and notes the requests.
func answering(t *testing.T, answers ...http.HandlerFunc) (url string, requests *[]*http.Request) {
	t.Helper()
	requests = &[]*http.Request{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*requests = append(*requests, r)
		answers[min(len(*requests), len(answers))-1](w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

func events(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(text))
	}
}

func TestAClientResumesAfterWhatItHasGot(t *testing.T) {
	long := strings.Repeat("x", 300_000) // more than the buffers hold
	url, requests := answering(t,
		events(": connected\nretry: 1000\nid: 5\n\nevent: delivery\nid: 6\ndata: {\"id\":\"a\",\"body\":\"{\\n\\u00e9}\"}\n\nevent: delivery\nid: 7\ndata: {\"id\":\"b\""),
		events("event: delivery\r\nid: 7\r\ndata: {\"id\":\"b\",\"bodyBase64\":\"/w==\"}\r\n\r\nevent: other\ndata: x\n\nevent: delivery\nid: 8\ndata: {\"id\":\"c\",\"body\":\""+long+"\"}\n\n: alive\nid: 12\n\n"))
	c := &inboxhttp.Client{URL: url + "/", Token: "T", Source: "ci", Events: []string{"push", "issues.*"}}
	var got []string
	connections := 0
	for range 2 {
		err := c.Follow(t.Context(), func() { connections++ }, func(d inboxhttp.Streamed) error {
			got = append(got, d.ID+" "+string(d.Payload()))
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), "ended") {
			t.Errorf("the connection ends with %v", err)
		}
	}
	if want := []string{"a {\né}", "b \xff", "c " + long}; !slices.Equal(got, want) || c.Last != "12" || connections != 2 {
		t.Errorf("got %.80q, last %s, %d connections", got, c.Last, connections)
	}
	first, second := (*requests)[0], (*requests)[1]
	if first.URL.String() != "/api/host/deliveries/stream?event=push&event=issues.%2A&source=ci" || first.Header.Get("Authorization") != "Bearer T" || first.Header["Last-Event-Id"] != nil || second.Header.Get("Last-Event-Id") != "6" {
		t.Errorf("asked %s %v, then %v", first.URL, first.Header, second.Header)
	}
}

// What could not be handed on comes again.
func TestADeliveryThatFailsIsNotPassedOver(t *testing.T) {
	url, _ := answering(t, events("event: delivery\nid: 6\ndata: {\"id\":\"a\",\"body\":\"{}\"}\n\n"))
	c := &inboxhttp.Client{URL: url, Last: "5"}
	full := errors.New("full")
	if err := c.Follow(t.Context(), func() {}, func(inboxhttp.Streamed) error { return full }); !errors.Is(err, full) || c.Last != "5" {
		t.Errorf("%v, last %s", err, c.Last)
	}
}

func TestAnAnswerThatIsNoStreamIsExplained(t *testing.T) {
	status := func(code int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(code)
			_, _ = fmt.Fprint(w, body)
		}
	}
	for said, c := range map[string]struct {
		answer http.HandlerFunc
		final  bool
	}{
		"WEBHOOK_API_TOKEN there":                 {status(401, "application/json", `{"error":"x"}`), true},
		"refuses the request: event is bad\uFFFD": {status(400, "application/json", `{"error":"event is bad\u0007"}`), true},
		"not an Octavo":                           {status(200, "text/html", "<h1>"), true},
		"answered 400":                            {status(400, "application/json", `{"error":"Unknown route: GET /api/host/deliveries/stream"}`), true}, // the API is off
		"answered 404":                            {status(404, "text/html", "<h1>"), true},
		"answered 302":                            {status(302, "text/html", ""), true},
		"not a delivery":                          {events("event: delivery\nid: 1\ndata: [\n\n"), true},
		"answered 503":                            {status(503, "application/json", `{"error":"x"}`), false},
		"answered 429":                            {status(429, "application/json", `{"error":"x"}`), false},
	} {
		url, _ := answering(t, c.answer)
		err := (&inboxhttp.Client{URL: url}).Follow(t.Context(), func() {}, func(inboxhttp.Streamed) error { return nil })
		var refusal *inboxhttp.RefusalError
		if err == nil || !strings.Contains(err.Error(), said) || errors.As(err, &refusal) != c.final {
			t.Errorf("%s: %v", said, err)
		}
	}
}

func TestAClientEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	url, _ := answering(t, func(w http.ResponseWriter, r *http.Request) {
		events(": connected\nid: 5\n\n")(w, r)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	if err := (&inboxhttp.Client{URL: url}).Follow(ctx, cancel, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// streamOf requests a stream in which feed writes, and returns what arrives.
func streamOf(t *testing.T, d *fakeAdmin, query, last string, feed func(context.Context, inbox.Follower) error) *httptest.ResponseRecorder {
	t.Helper()
	d.feed = feed
	h := must.Get(inboxhttp.Handler(d, "the token", time.Now, slog.New(slog.DiscardHandler)))(t)
	r := httptest.NewRequest(http.MethodGet, "/api/host/deliveries/stream"+query, nil)
	r.Header.Set("Authorization", "Bearer the token")
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestTheStreamHasEachDeliveryWithItsBodyOnOneLine(t *testing.T) {
	d := &fakeAdmin{}
	w := streamOf(t, d, "?source=ci&event=push&event=issues.*", "77", func(_ context.Context, to inbox.Follower) error {
		text := inbox.FeedDelivery{Position: 80, Delivery: stored()}
		text.Payload = []byte("{\"a\":\r\n\t\"<é>\u2028\"}")
		raw := inbox.FeedDelivery{Position: 81, Delivery: inbox.Delivery{Source: "ci", ID: "b", Event: "push", ReceivedAt: noon, Header: map[string]string{"X-Github-Event": "push"}, Payload: []byte("{\xff}")}}
		damaged := inbox.FeedDelivery{Position: 82, Delivery: inbox.Delivery{Source: "ci", ID: "c", Event: "push", ReceivedAt: noon}}
		return errors.Join(to.Progress(79), to.Deliver(text), to.Deliver(raw), to.Deliver(damaged), to.Progress(90))
	})
	want := ": connected\nretry: 1000\nid: 79\n\n" +
		"event: delivery\nid: 80\ndata: {\"id\":\"72d3\",\"name\":\"72d3\",\"source\":\"default\",\"event\":\"issues\",\"action\":\"opened\",\"receivedAt\":\"2026-11-20T12:00:00Z\",\"header\":null,\"body\":\"{\\\"a\\\":\\r\\n\\t\\\"<é>\\u2028\\\"}\"}\n\n" +
		"event: delivery\nid: 81\ndata: {\"id\":\"b\",\"name\":\"b\",\"source\":\"ci\",\"event\":\"push\",\"action\":null,\"receivedAt\":\"2026-11-20T12:00:00Z\",\"header\":{\"X-Github-Event\":\"push\"},\"bodyBase64\":\"e/99\"}\n\n" +
		"event: delivery\nid: 82\ndata: {\"id\":\"c\",\"name\":\"c\",\"source\":\"ci\",\"event\":\"push\",\"action\":null,\"receivedAt\":\"2026-11-20T12:00:00Z\",\"header\":null}\n\n" +
		": alive\nid: 90\n\n"
	if got := w.Body.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if d.follow != (inbox.Follow{After: 77, Source: "ci", Match: "push\nissues.*"}) || w.Header().Get("Content-Type") != "text/event-stream" || !w.Flushed {
		t.Errorf("followed %+v, answered %v", d.follow, w.Header())
	}
	streamOf(t, d, "?event=&source=", "", func(_ context.Context, to inbox.Follower) error { return to.Progress(1) })
	if d.follow != (inbox.Follow{After: -1}) {
		t.Errorf("without parameters: %+v", d.follow)
	}
}

func TestAStreamThatIsRefusedSaysWhy(t *testing.T) {
	never := func(context.Context, inbox.Follower) error { t.Error("it is followed"); return nil }
	for query, names := range map[string]string{"?state=dead": "state", "?source=a&source=b": "source", "?a=%zz": "query"} {
		if w := streamOf(t, &fakeAdmin{}, query, "", never); w.Code != 400 || !strings.Contains(w.Body.String(), names) {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
	for _, last := range []string{"x", "-1", "1.5", "99999999999999999999"} {
		if w := streamOf(t, &fakeAdmin{}, "", last, never); w.Code != 400 || !strings.Contains(w.Body.String(), "Last-Event-ID") {
			t.Errorf("after %s: %d %s", last, w.Code, w.Body)
		}
	}
	w := streamOf(t, &fakeAdmin{err: inbox.ErrTooManyFollowers}, "", "", never)
	if w.Code != 429 || w.Header().Get("Retry-After") != "30" || !strings.Contains(w.Body.String(), "streams") {
		t.Errorf("too many: %d %v %s", w.Code, w.Header(), w.Body)
	}
	wantRefusal(t, &fakeAdmin{}, "GET /api/host/deliveries/stream", 401, "token", "Bearer wrong")
}

func TestAStreamEndsWhenTheServerStops(t *testing.T) {
	stopping := make(chan struct{})
	d := &fakeAdmin{feed: func(ctx context.Context, to inbox.Follower) error {
		err := to.Progress(1)
		close(stopping)
		<-ctx.Done()
		return errors.Join(err, ctx.Err())
	}}
	h := must.Get(inboxhttp.Handler(d, "the token", time.Now, slog.New(slog.DiscardHandler)))(t)
	r := httptest.NewRequestWithContext(httpx.WithDraining(t.Context(), stopping), http.MethodGet, "/api/host/deliveries/stream", nil)
	r.Header.Set("Authorization", "Bearer the token")
	h.ServeHTTP(httptest.NewRecorder(), r)
}
