package httpx_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
)

func TestCookiesAreNamedAndMarkedForBrowsers(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  httpx.CookieConfig
		name string
		want []string
	}{
		"plain":       {lax, "octavo_access", []string{"HttpOnly", "Path=/", "SameSite=Lax"}},
		"secure":      {httpx.CookieConfig{Secure: true, SameSite: http.SameSiteStrictMode}, "__Host-octavo_access", []string{"Secure", "HttpOnly", "Path=/", "SameSite=Strict"}},
		"of a domain": {httpx.CookieConfig{Secure: true, Domain: "octavo.test", SameSite: http.SameSiteNoneMode}, "octavo_access", []string{"Secure", "Domain=octavo.test", "SameSite=None"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			cookies := httpx.NewCookies(c.cfg)
			cookies.SetTokens(w, httpx.Tokens{Access: "a", AccessFor: 20 * time.Minute, Refresh: "r", RefreshFor: time.Hour})
			lines := w.Header().Values("Set-Cookie")
			if len(lines) != 2 || !strings.HasPrefix(lines[0], c.name+"=a; ") || !strings.Contains(lines[0], "Max-Age=1200") || !strings.Contains(lines[1], "Max-Age=3600") {
				t.Fatalf("set %q", lines)
			}
			for _, want := range c.want {
				if !slices.Contains(strings.Split(lines[0], "; "), want) {
					t.Errorf("%q lacks %s", lines[0], want)
				}
			}
			r := httptest.NewRequest("GET", "/", nil)
			for _, cookie := range w.Result().Cookies() {
				r.AddCookie(cookie)
			}
			if cookies.AccessToken(r) != "a" || cookies.RefreshToken(r) != "r" {
				t.Error("the cookies that were set are not read back")
			}
		})
	}
}

func TestClearedCookiesExpire(t *testing.T) {
	w := httptest.NewRecorder()
	httpx.NewCookies(lax).ClearTokens(w)
	for _, c := range w.Result().Cookies() {
		if c.MaxAge >= 0 || c.Value != "" || c.Path != "/" {
			t.Errorf("left %v", c)
		}
	}
}

func TestAnotherSiteCannotUseOurCookies(t *testing.T) {
	m := newMiddleware(t, httpx.Config{AllowedOrigins: []string{"https://app.test"}}, httpx.Options{Auth: &tokens{}})
	cookie := func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "octavo_access", Value: "good"}) }
	refresh := func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "octavo_refresh", Value: "x"}) }
	bearer := func(r *http.Request) { r.Header.Set("Authorization", "Bearer good"); cookie(r) }
	with := func(credential func(*http.Request), headers ...string) func(*http.Request) {
		return func(r *http.Request) {
			if credential != nil {
				credential(r)
			}
			for i := 0; i < len(headers); i += 2 {
				r.Header.Set(headers[i], headers[i+1])
			}
		}
	}
	for name, c := range map[string]struct {
		edit func(*http.Request)
		want int
	}{
		"cookie, no browser":              {with(cookie), 200},
		"cookie, same origin":             {with(cookie, "Sec-Fetch-Site", "same-origin"), 200},
		"cookie, cross-site":              {with(cookie, "Sec-Fetch-Site", "cross-site"), 403},
		"cookie, same-site subdomain":     {with(cookie, "Sec-Fetch-Site", "same-site", "Origin", "http://evil.octavo.test"), 403},
		"cookie, another origin":          {with(cookie, "Origin", "https://evil.test"), 403},
		"cookie, the null origin":         {with(cookie, "Origin", "null"), 403},
		"cookie, own host":                {with(cookie, "Origin", "http://octavo.test"), 200},
		"cookie, allowed origin":          {with(cookie, "Sec-Fetch-Site", "cross-site", "Origin", "https://app.test"), 200},
		"cookie, allowed origin's prefix": {with(cookie, "Sec-Fetch-Site", "cross-site", "Origin", "https://app.test.evil.test"), 403},
		"cookie, allowed host over http":  {with(cookie, "Sec-Fetch-Site", "cross-site", "Origin", "http://app.test"), 403},
		"refresh cookie, cross-site":      {with(refresh, "Sec-Fetch-Site", "cross-site"), 403},
		"header and cookie, cross-site":   {with(bearer, "Sec-Fetch-Site", "cross-site"), 200},
		"nobody, cross-site":              {with(nil, "Sec-Fetch-Site", "cross-site"), 200},
	} {
		t.Run(name, func(t *testing.T) {
			if got := send(m, ok, c.edit).Code; got != c.want {
				t.Errorf("answered %d, want %d", got, c.want)
			}
		})
	}
}

func TestCORSAllowsExactOriginsOnly(t *testing.T) {
	m := newMiddleware(t, httpx.Config{
		AllowedOrigins: []string{"https://app.test", "http://localhost:5173"},
		CORSPaths:      []string{"/", "/graphql", "/api"},
	}, httpx.Options{})
	for origin, allowed := range map[string]bool{
		"https://app.test": true, "http://localhost:5173": true,
		"https://app.test:8443": false, "http://app.test": false, "https://app.test.evil.test": false, "https://evilapp.test": false,
		"https://APP.test": false, "null": false, "": false, "https://app.test/": false, "http://localhost": false,
	} {
		w := send(m, ok, func(r *http.Request) { r.Header.Set("Origin", origin) })
		if got := w.Header().Get("Access-Control-Allow-Origin"); (got == origin && got != "") != allowed {
			t.Errorf("%q got %q", origin, got)
		}
		if (w.Header().Get("Access-Control-Allow-Credentials") != "") != allowed {
			t.Errorf("%q: credentials", origin)
		}
		if !slices.Contains(w.Header().Values("Vary"), "Origin") {
			t.Errorf("%q: the response does not vary by origin", origin)
		}
	}
}

func TestPreflightsAnswerOnlyAllowedOriginsAndPaths(t *testing.T) {
	m := newMiddleware(t, httpx.Config{AllowedOrigins: []string{"https://app.test"}, CORSPaths: []string{"/", "/api"}}, httpx.Options{})
	preflight := func(path, origin string) *httptest.ResponseRecorder {
		return send(m, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }, func(r *http.Request) {
			r.Method, r.URL.Path = http.MethodOptions, path
			r.Header.Set("Origin", origin)
			r.Header.Set("Access-Control-Request-Method", "PATCH")
		})
	}
	w := preflight("/api/books", "https://app.test")
	if w.Code != 204 || !strings.Contains(w.Header().Get("Access-Control-Allow-Methods"), "PATCH") || !strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "Authorization") {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if w := preflight("/api/books", "https://evil.test"); w.Code != 403 || w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	for _, path := range []string{"/webhooks", "/apiary"} {
		if w := preflight(path, "https://app.test"); w.Code != http.StatusTeapot {
			t.Errorf("%s answered a preflight with %d", path, w.Code)
		}
	}
}

func TestInvalidSettingsAreRejected(t *testing.T) {
	for name, cfg := range map[string]httpx.Config{
		"a wildcard":        {AllowedOrigins: []string{"https://*.test"}, Cookies: lax},
		"any origin":        {AllowedOrigins: []string{"*"}, Cookies: lax},
		"the null origin":   {AllowedOrigins: []string{"null"}, Cookies: lax},
		"a path":            {AllowedOrigins: []string{"https://a.test/"}, Cookies: lax},
		"capitals":          {AllowedOrigins: []string{"https://A.test"}, Cookies: lax},
		"a default port":    {AllowedOrigins: []string{"https://a.test:443"}, Cookies: lax},
		"an empty port":     {AllowedOrigins: []string{"https://a.test:"}, Cookies: lax},
		"another scheme":    {AllowedOrigins: []string{"ftp://a.test"}, Cookies: lax},
		"a negative limit":  {RequestsPerSecond: -1, Cookies: lax},
		"no SameSite":       {},
		"None without TLS":  {Cookies: httpx.CookieConfig{SameSite: http.SameSiteNoneMode}},
		"a domain in parts": {Cookies: httpx.CookieConfig{SameSite: http.SameSiteLaxMode, Domain: "a b"}},
	} {
		if _, err := httpx.NewMiddleware(cfg, httpx.Options{}); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func TestSameSiteIsParsedInAnyCase(t *testing.T) {
	for s, want := range map[string]http.SameSite{"lax": http.SameSiteLaxMode, "Strict": http.SameSiteStrictMode, "NONE": http.SameSiteNoneMode} {
		if got, err := httpx.ParseSameSite(s); err != nil || got != want {
			t.Errorf("%s gave %v, %v", s, got, err)
		}
	}
	if _, err := httpx.ParseSameSite("loose"); err == nil {
		t.Error("loose was accepted")
	}
}
