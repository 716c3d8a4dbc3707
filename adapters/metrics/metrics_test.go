package metrics_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/metrics"
)

func scrape(h http.Handler, authorization string) (int, string) {
	r := httptest.NewRequest("GET", "/metrics", nil)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func local(*http.Request) bool  { return true }
func remote(*http.Request) bool { return false }

func TestRequestsAreCountedByRouteAndStatus(t *testing.T) {
	m := metrics.New("1.2.3", slog.New(slog.DiscardHandler))
	m.Observe("POST", "/graphql", 200, 3*time.Millisecond)
	m.Observe("POST", "/graphql", 200, 30*time.Millisecond)
	m.Observe("GET", "", 404, time.Millisecond)
	m.Observe("BREW", "", 405, time.Millisecond)
	m.ObserveOperation("signIn", "INVALID_CREDENTIALS")
	_, text := scrape(m.Handler("", local), "")
	for _, want := range []string{
		`octavo_http_requests_total{method="POST",route="/graphql",status="200"} 2`,
		`octavo_http_requests_total{method="GET",route="none",status="404"} 1`,
		`octavo_http_requests_total{method="other",route="none",status="405"} 1`,
		`octavo_http_request_seconds_bucket{route="/graphql",le="0.005"} 1`,
		`octavo_http_request_seconds_count{route="/graphql"} 2`,
		`octavo_graphql_operations_total{code="INVALID_CREDENTIALS",operation="signIn"} 1`,
		`octavo_build_info{version="1.2.3"} 1`,
		`go_goroutines `,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
}

func TestMetricsRequireTheTokenOrALocalRequest(t *testing.T) {
	m := metrics.New("dev", slog.New(slog.DiscardHandler))
	for name, c := range map[string]struct {
		token  string
		local  func(*http.Request) bool
		header string
		want   int
	}{
		"no token, locally":           {"", local, "", 200},
		"no token, elsewhere":         {"", remote, "", 403},
		"no token, elsewhere, guess":  {"", remote, "Bearer ", 403},
		"a token, none sent":          {"s3cret", local, "", 401},
		"a token, a wrong one sent":   {"s3cret", local, "Bearer s3cre", 401},
		"a token, another scheme":     {"s3cret", local, "Basic s3cret", 401},
		"a token, the right one sent": {"s3cret", remote, "Bearer s3cret", 200},
	} {
		if got, _ := scrape(m.Handler(c.token, c.local), c.header); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
