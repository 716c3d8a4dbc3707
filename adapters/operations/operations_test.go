package operations

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func get(h http.Handler) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	return w
}

func fine(context.Context) error   { return nil }
func broken(context.Context) error { return errors.New("dial tcp 10.0.0.1: refused") }

func TestReadinessFailsOnlyForRequiredDependencies(t *testing.T) {
	for name, c := range map[string]struct {
		checks []Check
		status int
		want   string
	}{
		"nothing to check":    {nil, 200, `{"status":"up","checks":{}}`},
		"all up":              {[]Check{{"database", true, fine}, {"queue", false, fine}}, 200, `{"status":"up","checks":{"database":"up","queue":"up"}}`},
		"the broker is down":  {[]Check{{"database", true, fine}, {"queue", false, broken}}, 200, `{"status":"degraded","checks":{"database":"up","queue":"degraded"}}`},
		"the database is too": {[]Check{{"queue", false, broken}, {"database", true, broken}}, 503, `{"status":"down","checks":{"database":"down","queue":"degraded"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			w := get(NewReadiness(slog.New(slog.DiscardHandler), c.checks...))
			if w.Code != c.status || strings.TrimSpace(w.Body.String()) != c.want {
				t.Errorf("answered %d %s, want %d %s", w.Code, w.Body, c.status, c.want)
			}
			if (w.Header().Get("Retry-After") != "") != (c.status == 503) {
				t.Errorf("Retry-After %q", w.Header().Get("Retry-After"))
			}
		})
	}
}

func TestDependenciesAreProbedOnceASecondAndAnOutageIsLoggedOnce(t *testing.T) {
	now := time.Unix(0, 0)
	probes := 0
	var failure error
	var log bytes.Buffer
	r := NewReadiness(slog.New(slog.NewTextHandler(&log, nil)), Check{"database", true, func(context.Context) error {
		probes++
		return failure
	}})
	r.now = func() time.Time { return now }
	for range 5 {
		get(r)
	}
	if probes != 1 {
		t.Errorf("probed %d times within a second, want 1", probes)
	}
	failure = errors.New("the cause")
	for range 3 {
		now = now.Add(time.Second)
		if w := get(r); w.Code != 503 || strings.Contains(w.Body.String(), "cause") {
			t.Errorf("answered %d %s", w.Code, w.Body)
		}
	}
	failure = nil
	now = now.Add(time.Second)
	get(r)
	if strings.Count(log.String(), "is down") != 1 || !strings.Contains(log.String(), "the cause") || strings.Count(log.String(), "is up again") != 1 {
		t.Errorf("logged %s", log.String())
	}
}

func TestADisconnectedClientDoesNotMakeADependencyLookDown(t *testing.T) {
	r := NewReadiness(slog.New(slog.DiscardHandler), Check{"database", true, func(ctx context.Context) error { return ctx.Err() }})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest("GET", "/readyz", nil).WithContext(ctx))
	if w.Code != 200 {
		t.Errorf("answered %d %s, want 200", w.Code, w.Body)
	}
}

func TestLivenessAndKeysAreServed(t *testing.T) {
	if w := get(http.HandlerFunc(Live)); w.Code != 200 {
		t.Errorf("live: %d, want 200", w.Code)
	}
	w := get(KeySet([]byte(`{"keys":[]}`)))
	if !json.Valid(w.Body.Bytes()) || w.Header().Get("Content-Type") != "application/jwk-set+json" || !strings.Contains(w.Header().Get("Cache-Control"), "max-age") {
		t.Errorf("keys: %v %s", w.Header(), w.Body)
	}
}
