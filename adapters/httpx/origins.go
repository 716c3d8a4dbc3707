package httpx

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// origins holds the origins that browsers may call from.
type origins struct {
	exact    map[string]bool
	loopback bool // every origin of this machine is allowed too
	check    *http.CrossOriginProtection
}

// postedByOthers are forms that the pages of other sites send by design. Their handlers look at nobody's
// cookies before the browser has sent them once more from our own page.
var postedByOthers = []string{"POST /auth/saml/{provider}/acs", "POST /auth/saml/{provider}/slo"}

func newOrigins(allowed []string, loopback bool) (origins, error) {
	o := origins{exact: map[string]bool{}, loopback: loopback, check: http.NewCrossOriginProtection()}
	for _, pattern := range postedByOthers {
		o.check.AddInsecureBypassPattern(pattern)
	}
	for _, origin := range allowed {
		o.exact[origin] = true
		if err := o.check.AddTrustedOrigin(origin); err != nil {
			return origins{}, fmt.Errorf("ALLOWED_ORIGINS: %w", err)
		}
	}
	return o, nil
}

// any reports whether there can be an allowed origin.
func (o origins) any() bool { return o.loopback || len(o.exact) > 0 }

// allow reports whether the request comes from a page of an allowed origin.
func (o origins) allow(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	return len(r.Header["Origin"]) == 1 && (o.exact[origin] || o.loopback && IsLoopbackOrigin(origin))
}

// IsLoopbackOrigin reports whether a browser on this machine loaded the page from this
// machine, on any port.
func IsLoopbackOrigin(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && checkOrigin(origin) == nil && isLoopback(u.Hostname())
}

// checkOrigin accepts an origin only as a browser would send it, byte for byte:
// without a wildcard, a path or the default port, and not "null".
func checkOrigin(s string) error {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.User != nil ||
		u.Scheme+"://"+u.Host != s || strings.ToLower(s) != s || strings.Contains(s, "*") {
		return fmt.Errorf("%q is not an origin like https://app.example.org", s)
	}
	if p := u.Port(); p == "443" && u.Scheme == "https" || p == "80" && u.Scheme == "http" || strings.HasSuffix(s, ":") {
		return fmt.Errorf("%q: browsers omit the default port", s)
	}
	return nil
}

// checkCrossOrigin refuses requests that another site makes a browser send with
// our cookies. A token in a header needs no check, because a browser never adds
// one by itself.
func (m *Middleware) checkCrossOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if HasCookieCredential(r.Context()) && !m.origins.allow(r) && m.origins.check.Check(r) != nil {
			m.refuse(w, r, m.hints.refusal(r))
			return
		}
		next.ServeHTTP(w, r)
	})
}

const (
	corsMethods = "GET, HEAD, POST, PUT, PATCH, DELETE"
	corsHeaders = "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-Id"
	corsExposed = "Content-Disposition, ETag, Idempotent-Replayed, Link, Retry-After, Searched-Instead, X-Request-Id"
	corsMaxAge  = "600"
)

// cors lets the allowed origins read responses, with credentials, and answers
// their preflights. Other origins get the response without CORS headers, so the
// browser withholds it from the page; the log says which setting allows them.
func (m *Middleware) cors(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !under(m.cfg.CORSPaths, r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		allowed := m.origins.any() && m.allowReading(w.Header(), r)
		switch {
		case isPreflight(r):
			m.preflight(w, r, allowed)
			return
		case !allowed && isCrossOriginFetch(r):
			_ = m.hints.refusal(r) // for its line in the log: the request itself may be harmless
		}
		next.ServeHTTP(w, r)
	})
}

// allowReading adds the headers that let the page of an allowed origin read the response.
func (m *Middleware) allowReading(h http.Header, r *http.Request) bool {
	h.Add("Vary", "Origin")
	if !m.origins.allow(r) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	h.Set("Access-Control-Allow-Credentials", "true")
	h.Set("Access-Control-Expose-Headers", corsExposed)
	return true
}

func isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
}

// isCrossOriginFetch reports whether a script of another origin sent the request, as far
// as the browser tells.
func isCrossOriginFetch(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return r.Header.Get("Sec-Fetch-Mode") == "cors" && (site == "cross-site" || site == "same-site")
}

func (m *Middleware) preflight(w http.ResponseWriter, r *http.Request, allowed bool) {
	h := w.Header()
	h.Add("Vary", "Access-Control-Request-Method")
	h.Add("Vary", "Access-Control-Request-Headers")
	if !allowed {
		m.refuse(w, r, m.hints.refusal(r))
		return
	}
	h.Set("Access-Control-Allow-Methods", corsMethods)
	h.Set("Access-Control-Allow-Headers", corsHeaders)
	h.Set("Access-Control-Max-Age", corsMaxAge)
	w.WriteHeader(http.StatusNoContent)
}

// under reports whether path is one of the roots or below one. The root "/"
// matches only itself.
func under(roots []string, path string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		return path == root || root != "/" && strings.HasPrefix(path, root+"/")
	})
}
