package inboxhttp_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/inboxhttp"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/must"
)

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
