package inboxhttp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/inboxhttp"
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
