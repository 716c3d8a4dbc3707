package conformance

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/adapters/webhookhttp"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/test/must"
)

// mounted starts a server for a handler that mounts others.
func mounted(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// at returns a change of the request's path.
func at(path string) func(*http.Request) { return func(req *http.Request) { req.URL.Path = path } }

// panicOf returns the text of the panic of make, "" if it does not panic.
func panicOf(makeHandler func()) (message string) {
	defer func() { message, _ = recover().(string) }()
	makeHandler()
	return ""
}

var mounting = cases{
	"the root can be the path": func(t *testing.T) {
		r := newReceiver(t)
		url := serve(t, r, webhookhttp.Options{Path: "/"}).URL
		want(t, post(t, r, url, "{}", at("/")), 200, "ok")
		want(t, post(t, r, url, "{}", at("")), 200, "ok")
		wantRefusal(t, post(t, r, url, "{}", nil), 400, "Unknown route: POST /api/host/webhooks")
	},
	"behind StripPrefix the remaining path counts": func(t *testing.T) {
		r, mux := newReceiver(t), http.NewServeMux()
		mux.Handle("/hooks/", http.StripPrefix("/hooks", webhookhttp.Handler(r, webhookhttp.Options{Path: "/ci"})))
		want(t, post(t, r, mounted(t, mux), "{}", at("/hooks/ci")), 200, "ok")
	},
	"an invalid path panics when the handler is made": func(t *testing.T) {
		r := newReceiver(t)
		for path, why := range map[string]string{
			"hooks":                  "must begin with a slash",
			"POST /hooks":            "must begin with a slash",
			"https://x.example/ci":   "must begin with a slash",
			"/hooks?from=sender":     "is not a plain path",
			"/hooks#top":             "is not a plain path",
			"/h%6Foks":               "is not a plain path",
			"//x.example/hooks":      "is not a plain path",
			"/hooks/{source}":        "mount Endpoint there",
			"/hooks/:source":         "mount Endpoint there",
			"/hooks/*rest":           "mount Endpoint there",
			"/a path with a \x00 in": "is not a plain path",
		} {
			opts := webhookhttp.Options{Path: path}
			for name, message := range map[string]string{
				"Handler":    panicOf(func() { webhookhttp.Handler(r, opts) }),
				"Middleware": panicOf(func() { webhookhttp.Middleware(r, opts) }),
			} {
				if !strings.Contains(message, "Options.Path") || !strings.Contains(message, why) {
					t.Errorf("%s of %q panics with %q, want %q", name, path, message, why)
				}
			}
		}
	},
	"invalid options panic when the handler is made": func(t *testing.T) {
		r := newReceiver(t)
		for name, makeHandler := range map[string]func(){
			"Handler without a receiver":    func() { webhookhttp.Handler(nil, webhookhttp.Options{}) },
			"Middleware without a receiver": func() { webhookhttp.Middleware(nil, webhookhttp.Options{}) },
			"a negative timeout":            func() { webhookhttp.Handler(r, webhookhttp.Options{Timeout: -1}) },
			"a negative limit":              func() { webhookhttp.Endpoint(r, webhookhttp.Options{MaxBody: -1}) },
			"Endpoint with a path":          func() { webhookhttp.Endpoint(r, webhookhttp.Options{Path: "/hooks"}) },
		} {
			if message := panicOf(makeHandler); !strings.HasPrefix(message, "webhookhttp: ") {
				t.Errorf("%s panics with %q", name, message)
			}
		}
	},
	"an endpoint receives at any path of a router": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.On(j.handler("ran"), "push"))
		routers := routersOf(r)
		for name, h := range routers {
			url := mounted(t, h)
			want(t, post(t, r, url, "{}", at("/hooks/ci")), 200, "ok")
			if answer, _ := send(t, post(t, r, url, "{}", at("/elsewhere"))); answer.StatusCode != 404 {
				t.Errorf("%s: another path is answered %d, want 404", name, answer.StatusCode)
			}
			wantRefusal(t, post(t, r, url, `{"n":1}`, func(req *http.Request) {
				req.URL.Path = "/hooks/ci"
				req.Header.Set("X-Host-Signature-256", "sha256=00")
			}), 400, "Signature does not match")
		}
		j.expect(t, "ran", len(routers))
	},
	"an endpoint passes other methods to OnUnhandledRequest": func(t *testing.T) {
		r := newReceiver(t)
		get := func(req *http.Request) { req.Method, req.URL.Path = http.MethodGet, "/hooks" }
		url := mounted(t, webhookhttp.Endpoint(r, webhookhttp.Options{Logger: silent}))
		wantRefusal(t, post(t, r, url, "", get), 400, "Unknown route: GET /hooks")
		teapot := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
		url = mounted(t, webhookhttp.Endpoint(r, webhookhttp.Options{Logger: silent, OnUnhandledRequest: teapot}))
		want(t, post(t, r, url, "", get), 418, "")
	},
}

// routersOf mounts an endpoint at /hooks/ci in each of the usual ways.
func routersOf(r *receiver.Receiver) map[string]http.Handler {
	endpoint := webhookhttp.Endpoint(r, webhookhttp.Options{Logger: silent})
	exact, pattern, stripped := http.NewServeMux(), http.NewServeMux(), http.NewServeMux()
	exact.Handle("POST /hooks/ci", endpoint)
	pattern.Handle("POST /hooks/{source}", endpoint)
	stripped.Handle("/hooks/", http.StripPrefix("/hooks", endpoint))
	gin.SetMode(gin.TestMode)
	engine := gin.New()
	engine.POST("/hooks/:source", gin.WrapH(endpoint))
	return map[string]http.Handler{"an exact pattern": exact, "a wildcard": pattern, "StripPrefix": stripped, "gin": engine}
}
