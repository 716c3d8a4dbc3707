package httpx_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/user"
)

// tokens is an Authenticator. The token "good" belongs to user 7, "down" fails as
// a store that is down, all others are invalid.
type tokens struct{ asked int }

func (t *tokens) Authenticate(_ context.Context, token string, from user.ClientInfo) (user.Caller, error) {
	t.asked++
	switch token {
	case "good":
		return user.Caller{ID: 7, Session: 1, From: from}, nil
	case "down":
		return user.Caller{}, errors.New("store is down")
	}
	return user.Caller{}, user.ErrUnauthenticated
}

var lax = httpx.CookieConfig{SameSite: http.SameSiteLaxMode}

func newMiddleware(t *testing.T, cfg httpx.Config, o httpx.Options) *httpx.Middleware {
	t.Helper()
	if cfg.Cookies.SameSite == 0 {
		cfg.Cookies.SameSite = http.SameSiteLaxMode
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	m, err := httpx.NewMiddleware(cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func cookie(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.AddCookie(&http.Cookie{Name: name, Value: value}) }
}

func header(values ...string) func(*http.Request) {
	return func(r *http.Request) { r.Header["Authorization"] = values }
}

// send passes one request through m to h. edit may change the request first.
func send(m *httpx.Middleware, h http.HandlerFunc, edit func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "http://octavo.test/graphql", strings.NewReader("{}"))
	r.RemoteAddr = "192.0.2.1:1234"
	if edit != nil {
		edit(r)
	}
	w := httptest.NewRecorder()
	m.Wrap(h).ServeHTTP(w, r)
	return w
}

func ok(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }

func TestTheCallerComesFromTheHeaderBeforeTheCookie(t *testing.T) {
	both := func(a, b func(*http.Request)) func(*http.Request) { return func(r *http.Request) { a(r); b(r) } }
	for name, c := range map[string]struct {
		edit func(*http.Request)
		id   user.ID
		err  error
	}{
		"nothing":                          {nil, 0, nil},
		"a good header":                    {header("Bearer good"), 7, nil},
		"the scheme in any case":           {header("bEARER  good"), 7, nil},
		"a good cookie":                    {cookie("octavo_access", "good"), 7, nil},
		"only a refresh cookie":            {cookie("octavo_refresh", "r"), 0, nil},
		"a bad cookie":                     {cookie("octavo_access", "bad"), 0, user.ErrUnauthenticated},
		"a bad header and a good cookie":   {both(header("Bearer bad"), cookie("octavo_access", "good")), 0, user.ErrUnauthenticated},
		"a good header and a bad cookie":   {both(header("Bearer good"), cookie("octavo_access", "bad")), 7, nil},
		"another scheme and a cookie":      {both(header("Basic Z29vZA=="), cookie("octavo_access", "good")), 0, user.ErrUnauthenticated},
		"an empty header and a cookie":     {both(header(""), cookie("octavo_access", "good")), 0, user.ErrUnauthenticated},
		"a scheme without a token":         {header("Bearer "), 0, user.ErrUnauthenticated},
		"two tokens in one header":         {header("Bearer good good"), 0, user.ErrUnauthenticated},
		"two headers":                      {header("Bearer good", "Bearer good"), 0, user.ErrUnauthenticated},
		"a cookie with the __Host- prefix": {cookie("__Host-octavo_access", "good"), 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			auth := &tokens{}
			var got user.Caller
			var err error
			send(newMiddleware(t, httpx.Config{}, httpx.Options{Auth: auth}), func(_ http.ResponseWriter, r *http.Request) {
				_, _ = httpx.CallerFrom(r.Context())
				got, err = httpx.CallerFrom(r.Context())
			}, c.edit)
			if got.ID != c.id || !errors.Is(err, c.err) {
				t.Errorf("got caller %d and %v, want %d and %v", got.ID, err, c.id, c.err)
			}
			if got.From.IP != "192.0.2.1" {
				t.Errorf("the caller's address is %q, want \"192.0.2.1\"", got.From.IP)
			}
			if auth.asked > 1 {
				t.Errorf("the token was checked %d times in one request", auth.asked)
			}
		})
	}
}

func TestATokenIsCheckedOnlyWhenTheCallerIsNeeded(t *testing.T) {
	auth := &tokens{}
	send(newMiddleware(t, httpx.Config{}, httpx.Options{Auth: auth}), ok, func(r *http.Request) { r.Header.Set("Authorization", "Bearer good") })
	if auth.asked != 0 {
		t.Error("the token was checked although no handler needed the caller")
	}
}

func TestForwardedForCountsOnlyFromTrustedProxies(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("fd00::/8")}
	for name, c := range map[string]struct {
		peer, forwarded, want string
	}{
		"a stranger's header":          {"203.0.113.9:1", "1.1.1.1", "203.0.113.9"},
		"one proxy":                    {"192.0.2.1:1", "203.0.113.9", "203.0.113.9"},
		"a forged entry on the left":   {"192.0.2.1:1", "1.1.1.1, 203.0.113.9", "203.0.113.9"},
		"two proxies":                  {"192.0.2.1:1", "1.1.1.1, 203.0.113.9, 10.1.2.3", "203.0.113.9"},
		"garbage":                      {"192.0.2.1:1", "203.0.113.9, <script>", "192.0.2.1"},
		"an empty header":              {"192.0.2.1:1", "", "192.0.2.1"},
		"a port":                       {"192.0.2.1:1", "203.0.113.9:4711", "203.0.113.9"},
		"IPv6 with a port":             {"192.0.2.1:1", "[2001:db8::1]:4711", "2001:db8::1"},
		"IPv6 in brackets with a zone": {"192.0.2.1:1", "[fe80::1%eth0]", "fe80::1"},
		"IPv4 inside IPv6":             {"[::ffff:192.0.2.1]:1", "::ffff:203.0.113.9", "203.0.113.9"},
		"nothing but proxies":          {"192.0.2.1:1", "10.0.0.1, 10.0.0.2", "10.0.0.1"},
		"thousands of hops":            {"192.0.2.1:1", "203.0.113.9" + strings.Repeat(", 10.0.0.1", 5000), "10.0.0.1"},
		"no address at all":            {"@", "1.1.1.1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got string
			send(newMiddleware(t, httpx.Config{TrustedProxies: proxies}, httpx.Options{}), func(_ http.ResponseWriter, r *http.Request) {
				got = httpx.ClientInfo(r.Context()).IP
			}, func(r *http.Request) {
				r.RemoteAddr = c.peer
				r.Header.Set("X-Forwarded-For", c.forwarded)
			})
			if got != c.want {
				t.Errorf("client %q, want %q", got, c.want)
			}
		})
	}
}

func TestUserAgentsAreCutAndCleaned(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"plain":       {"Mozilla/5.0", "Mozilla/5.0"},
		"controls":    {"a\tb\x7fc\u0085", "abc"},
		"bad UTF-8":   {"a\xff\xfeb", "ab"},
		"ten kB":      {strings.Repeat("a", 10_000), strings.Repeat("a", 512)},
		"cut runes":   {strings.Repeat("é", 300), strings.Repeat("é", 256)},
		"three bytes": {strings.Repeat("€", 300), strings.Repeat("€", 170)},
	} {
		t.Run(name, func(t *testing.T) {
			var got string
			send(newMiddleware(t, httpx.Config{}, httpx.Options{}), func(_ http.ResponseWriter, r *http.Request) {
				got = httpx.ClientInfo(r.Context()).UserAgent
			}, func(r *http.Request) { r.Header.Set("User-Agent", c.in) })
			if got != c.want {
				t.Errorf("got %d bytes %.40q, want %.40q", len(got), got, c.want)
			}
		})
	}
}

func TestEveryAnswerHasARequestID(t *testing.T) {
	m := newMiddleware(t, httpx.Config{}, httpx.Options{})
	for name, c := range map[string]struct {
		sent string
		kept bool
	}{
		"none": {"", false}, "sane": {"abc-1.2_3", true}, "too long": {strings.Repeat("a", 65), false},
		"spaces": {"a b", false}, "line break": {"a\r\nSet-Cookie: x", false}, "markup": {"<b>", false},
	} {
		t.Run(name, func(t *testing.T) {
			var inside string
			w := send(m, func(_ http.ResponseWriter, r *http.Request) { inside = httpx.RequestID(r.Context()) },
				func(r *http.Request) { r.Header.Set("X-Request-Id", c.sent) })
			got := w.Header().Get("X-Request-Id")
			if got == "" || got != inside || (got == c.sent) != c.kept {
				t.Errorf("sent %q, answered %q, inside %q", c.sent, got, inside)
			}
		})
	}
}

func TestThePathIsLoggedOnlyWhenNoRouteServedIt(t *testing.T) {
	var out bytes.Buffer
	m := newMiddleware(t, httpx.Config{}, httpx.Options{Log: slog.New(slog.NewTextHandler(&out, nil))})
	send(m, func(_ http.ResponseWriter, r *http.Request) { httpx.SetRoute(r.Context(), "/confirm/:token") },
		func(r *http.Request) { r.URL.Path, r.URL.RawQuery = "/confirm/s3cret", "token=s3cret" })
	if strings.Contains(out.String(), "s3cret") || !strings.Contains(out.String(), "/confirm/:token") {
		t.Errorf("logged %s", out.String())
	}
	out.Reset()
	send(m, ok, func(r *http.Request) { r.URL.Path, r.URL.RawQuery = "/nowhere", "token=s3cret" })
	if strings.Contains(out.String(), "s3cret") || !strings.Contains(out.String(), "/nowhere") {
		t.Errorf("logged %s", out.String())
	}
}

func TestLogLinesOfARequestHaveItsID(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(httpx.LogHandler{Handler: slog.NewTextHandler(&out, nil)}).With("part", "test").WithGroup("")
	send(newMiddleware(t, httpx.Config{}, httpx.Options{Log: log}), func(_ http.ResponseWriter, r *http.Request) {
		log.InfoContext(r.Context(), "inside")
	}, func(r *http.Request) { r.Header.Set("X-Request-Id", "the-id") })
	for line := range strings.Lines(out.String()) {
		if strings.Count(line, "request_id=the-id") != 1 {
			t.Errorf("line %q", line)
		}
	}
	if strings.Count(out.String(), "\n") != 2 {
		t.Errorf("got %q", out.String())
	}
}

func TestAPanicIsAnsweredWithoutItsCause(t *testing.T) {
	var out bytes.Buffer
	var observed httpx.RequestInfo
	m := newMiddleware(t, httpx.Config{}, httpx.Options{
		Log:     slog.New(slog.NewTextHandler(&out, nil)),
		Observe: func(_ context.Context, info httpx.RequestInfo) { observed = info },
	})
	w := send(m, func(http.ResponseWriter, *http.Request) { panic("the cause") }, nil)
	if w.Code != 500 || strings.Contains(w.Body.String(), "cause") {
		t.Errorf("answered %d %q", w.Code, w.Body)
	}
	if observed.Status != 500 || !strings.Contains(out.String(), "the cause") {
		t.Errorf("observed %d, logged %q", observed.Status, out.String())
	}
}

func TestAPanicDuringAResponseCutsTheConnection(t *testing.T) {
	m := newMiddleware(t, httpx.Config{}, httpx.Options{})
	for name, h := range map[string]http.HandlerFunc{
		"after the first bytes": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{"); panic("late") },
		"on purpose":            func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(m.Wrap(h))
			defer srv.Close()
			srv.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
			res, err := srv.Client().Get(srv.URL)
			if err == nil {
				_, err = io.ReadAll(res.Body)
				_ = res.Body.Close()
			}
			if err == nil {
				t.Error("the client accepts half a response")
			}
		})
	}
}

func TestARequestIsCancelledAtItsTimeoutButAStreamIsNot(t *testing.T) {
	m := newMiddleware(t, httpx.Config{Timeout: time.Millisecond, StreamPaths: []string{"/stream"}}, httpx.Options{})
	send(m, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, nil)
	send(m, func(_ http.ResponseWriter, r *http.Request) {
		if _, bound := r.Context().Deadline(); bound {
			t.Error("a stream has a deadline")
		}
	}, func(r *http.Request) { r.URL.Path = "/stream" })
}

func TestStreamsCanFlushThroughTheMiddleware(t *testing.T) {
	m := newMiddleware(t, httpx.Config{}, httpx.Options{})
	w := send(m, func(w http.ResponseWriter, _ *http.Request) {
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		w.(http.Flusher).Flush()
	}, nil)
	if !w.Flushed {
		t.Error("nothing was flushed")
	}
}

func TestSecureServersSendHSTS(t *testing.T) {
	secure := newMiddleware(t, httpx.Config{Cookies: httpx.CookieConfig{Secure: true, SameSite: http.SameSiteLaxMode}}, httpx.Options{})
	if got := send(secure, ok, nil).Header().Get("Strict-Transport-Security"); got == "" {
		t.Error("no HSTS")
	}
	w := send(newMiddleware(t, httpx.Config{}, httpx.Options{}), ok, nil)
	if w.Header().Get("Strict-Transport-Security") != "" || w.Header().Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers %v", w.Header())
	}
}

func TestHSTSCoversSubdomainsOnlyIfTheOperatorSaysSo(t *testing.T) {
	cookies := httpx.CookieConfig{Secure: true, SameSite: http.SameSiteLaxMode}
	for subdomains, want := range map[bool]string{false: "max-age=31536000", true: "max-age=31536000; includeSubDomains"} {
		w := send(newMiddleware(t, httpx.Config{Cookies: cookies, HSTSSubdomains: subdomains}, httpx.Options{}), ok, nil)
		if got := w.Header().Get("Strict-Transport-Security"); got != want {
			t.Errorf("subdomains %t: %q", subdomains, got)
		}
	}
}

func TestOtherSitesKeepNoHoldOfAWindowUnlessTheySignIn(t *testing.T) {
	m := newMiddleware(t, httpx.Config{PopupPaths: []string{"/login"}}, httpx.Options{})
	for path, want := range map[string]string{"/": "same-origin", "/book/1": "same-origin", "/login": "", "/login/code": ""} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		w := httptest.NewRecorder()
		m.Wrap(http.HandlerFunc(ok)).ServeHTTP(w, r)
		if got := w.Header().Get("Cross-Origin-Opener-Policy"); got != want {
			t.Errorf("%s: %q, not %q", path, got, want)
		}
		if !strings.Contains(w.Header().Get("Permissions-Policy"), "geolocation=()") {
			t.Errorf("%s: %v", path, w.Header())
		}
	}
}

func TestStreamsCanObserveAShutdown(t *testing.T) {
	if httpx.Draining(t.Context()) != nil {
		t.Error("draining outside a server")
	}
	ch := make(chan struct{})
	ctx := httpx.WithDraining(t.Context(), ch)
	close(ch)
	<-httpx.Draining(ctx)
}

func TestABrowserLosesAnInvalidAccessToken(t *testing.T) {
	for name, c := range map[string]struct {
		edit  func(*http.Request)
		taken bool
	}{
		"a dead cookie":                   {cookie("octavo_access", "dead"), true},
		"a live cookie":                   {cookie("octavo_access", "good"), false},
		"a cookie that cannot be checked": {cookie("octavo_access", "down"), false},
		"a dead header":                   {header("Bearer dead"), false},
		"a refresh cookie alone":          {cookie("octavo_refresh", "r"), false},
	} {
		w := send(newMiddleware(t, httpx.Config{}, httpx.Options{Auth: &tokens{}}), func(_ http.ResponseWriter, r *http.Request) {
			_, _ = httpx.CallerFrom(r.Context())
		}, c.edit)
		cookies := w.Result().Cookies()
		if c.taken != (len(cookies) == 1 && cookies[0].Name == "octavo_access" && cookies[0].MaxAge < 0) || !c.taken && len(cookies) > 0 {
			t.Errorf("%s: %v", name, cookies)
		}
	}
}
