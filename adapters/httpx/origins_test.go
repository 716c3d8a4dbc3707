package httpx_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/httpx"
)

// loopback are origins, and whether development allows them.
var loopback = map[string]bool{
	"http://localhost:5173": true, "http://127.0.0.1:8080": true, "http://[::1]:4200": true, "http://localhost": true, "https://localhost:8443": true,
	"http://localhost.evil.test": false, "http://127.0.0.1.evil.test": false, "http://evil.test": false, "http://192.168.1.7:5173": false,
	"null": false, "": false, "localhost:5173": false, "http://localhost:5173/": false, "http://me@localhost:5173": false, "http://LOCALHOST:5173": false,
	"file://localhost": false, "http://0.0.0.0:5173": false,
}

func TestInDevelopmentEveryPageOfThisMachineMayCall(t *testing.T) {
	for development, name := range map[bool]string{true: "development", false: "production"} {
		m := newMiddleware(t, httpx.Config{LoopbackOrigins: development, CORSPaths: []string{"/", "/graphql", "/api"}}, httpx.Options{Auth: &tokens{}})
		for origin, local := range loopback {
			want := development && local
			for what, w := range map[string]*httptest.ResponseRecorder{
				"preflight": send(m, ok, func(r *http.Request) {
					r.Method = http.MethodOptions
					r.Header.Set("Origin", origin)
					r.Header.Set("Access-Control-Request-Method", "POST")
				}),
				"call": send(m, ok, func(r *http.Request) {
					cookie("octavo_access", "good")(r)
					r.Header.Set("Origin", origin)
					r.Header.Set("Sec-Fetch-Site", "cross-site")
				}),
			} {
				h := w.Header()
				read := h.Get("Access-Control-Allow-Origin") == origin && h.Get("Access-Control-Allow-Credentials") == "true"
				if read != want || (w.Code < 300) != want {
					t.Errorf("%s, %s from %q: %d %v", name, what, origin, w.Code, h)
				}
			}
		}
	}
}

func TestTwoOriginsInOneRequestAreNoOrigin(t *testing.T) {
	m := newMiddleware(t, httpx.Config{LoopbackOrigins: true, CORSPaths: []string{"/graphql"}}, httpx.Options{Auth: &tokens{}})
	w := send(m, ok, func(r *http.Request) {
		cookie("octavo_access", "good")(r)
		r.Header["Origin"] = []string{"http://localhost:5173", "https://evil.test"}
		r.Header.Set("Sec-Fetch-Site", "cross-site")
	})
	if w.Code != 403 || w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

// refusals is a middleware with a log that a test reads.
func refusals(t *testing.T, allowed ...string) (*httpx.Middleware, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	return newMiddleware(t, httpx.Config{AllowedOrigins: allowed, CORSPaths: []string{"/graphql"}}, httpx.Options{
		Auth: &tokens{}, Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}), &log
}

func TestTheErrorOfARefusedOriginNamesTheSettingThatAllowsIt(t *testing.T) {
	for name, edit := range map[string]func(*http.Request){
		"a preflight": func(r *http.Request) {
			r.Method = http.MethodOptions
			r.Header.Set("Access-Control-Request-Method", "POST")
		},
		"a call with cookies": func(r *http.Request) {
			cookie("octavo_refresh", "x")(r)
			r.Header.Set("Sec-Fetch-Site", "cross-site")
		},
	} {
		m, log := refusals(t, "https://app.test")
		for range 2 {
			w := send(m, ok, func(r *http.Request) { edit(r); r.Header.Set("Origin", "https://new.test:8443") })
			if w.Code != 403 || !strings.Contains(w.Body.String(), "ALLOWED_ORIGINS=https://new.test:8443") {
				t.Errorf("%s: %d %s", name, w.Code, w.Body)
			}
		}
		var line struct {
			Origin string
			Set    string `json:"to_allow_it_set"`
		}
		if err := json.Unmarshal(log.Bytes(), &line); err != nil || line.Origin != "https://new.test:8443" || line.Set != "ALLOWED_ORIGINS=https://app.test,https://new.test:8443" {
			t.Errorf("%s: not one line with the setting: %v %s", name, err, log)
		}
		w := send(m, ok, func(r *http.Request) { edit(r); r.Header.Set("Origin", "null") })
		if w.Code != 403 || strings.Contains(w.Body.String(), "ALLOWED_ORIGINS") {
			t.Errorf("%s from the null origin, which no setting allows: %s", name, w.Body)
		}
	}
}

func TestTheLogSaysWhyABrowserHidesAResponseFromAPage(t *testing.T) {
	m, log := refusals(t)
	from := func(site, mode string) {
		w := send(m, ok, func(r *http.Request) {
			r.Header.Set("Origin", "https://new.test")
			r.Header.Set("Sec-Fetch-Site", site)
			r.Header.Set("Sec-Fetch-Mode", mode)
		})
		if w.Code != 200 {
			t.Errorf("%s, %s: %d, want 200", site, mode, w.Code)
		}
	}
	from("same-origin", "cors")
	from("cross-site", "navigate")
	if log.Len() > 0 {
		t.Errorf("no response is hidden, but the log has %s", log)
	}
	from("cross-site", "cors")
	if !strings.Contains(log.String(), "ALLOWED_ORIGINS=https://new.test") {
		t.Errorf("the log has %q", log)
	}
}

func TestInventedOriginsDoNotFillTheLog(t *testing.T) {
	m, log := refusals(t)
	for i := range 1000 {
		send(m, ok, func(r *http.Request) {
			cookie("octavo_access", "good")(r)
			r.Header.Set("Origin", fmt.Sprintf("https://%d.test", i))
		})
	}
	if lines := strings.Count(log.String(), "\n"); lines != 100 {
		t.Errorf("the log has %d lines, want 100", lines)
	}
	if w := send(m, ok, func(r *http.Request) {
		cookie("octavo_access", "good")(r)
		r.Header.Set("Origin", "https://"+strings.Repeat("a", 1000)+".test")
	}); w.Code != 403 || strings.Contains(w.Body.String(), "aaa") {
		t.Errorf("an endless origin: %d %s", w.Code, w.Body)
	}
}

// With cookies that other sites' forms carry along, the answers of identity providers still arrive.
func TestTheFormsOfIdentityProvidersArriveFromTheirPages(t *testing.T) {
	m := newMiddleware(t, httpx.Config{}, httpx.Options{Auth: &tokens{}})
	for path, want := range map[string]int{"/auth/saml/campus/acs": 200, "/auth/saml/campus/slo": 200, "/auth/saml/campus": 403, "/auth/saml/campus/acs/x": 403, "/account": 403} {
		w := send(m, ok, func(r *http.Request) {
			cookie("octavo_access", "good")(r)
			r.Method, r.URL.Path = http.MethodPost, path
			r.Header.Set("Origin", "https://idp.test")
			r.Header.Set("Sec-Fetch-Site", "cross-site")
		})
		if w.Code != want {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}
