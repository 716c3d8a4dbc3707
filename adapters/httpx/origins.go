package httpx

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/domain/user"
)

// origins holds the exact origins that browsers may call from.
type origins struct {
	exact map[string]bool
	check *http.CrossOriginProtection
}

func newOrigins(allowed []string) (origins, error) {
	o := origins{exact: map[string]bool{}, check: http.NewCrossOriginProtection()}
	for _, origin := range allowed {
		o.exact[origin] = true
		if err := o.check.AddTrustedOrigin(origin); err != nil {
			return origins{}, fmt.Errorf("ALLOWED_ORIGINS: %w", err)
		}
	}
	return o, nil
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
		if HasCookieCredential(r.Context()) && m.origins.check.Check(r) != nil {
			m.refuse(w, r, user.ErrForbidden.WithMsg("This request came from another site."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

const (
	corsMethods = "GET, HEAD, POST, PUT, PATCH, DELETE"
	corsHeaders = "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-Id"
	corsExposed = "Content-Disposition, ETag, Idempotent-Replayed, Link, Retry-After, X-Request-Id"
	corsMaxAge  = "600"
)

// cors lets the allowed origins read responses, with credentials, and answers
// their preflights. Other origins get the response without CORS headers, so the
// browser withholds it from the page.
func (m *Middleware) cors(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(m.origins.exact) == 0 || !under(m.cfg.CORSPaths, r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		h := w.Header()
		h.Add("Vary", "Origin")
		origin := r.Header.Get("Origin")
		allowed := m.origins.exact[origin] && len(r.Header["Origin"]) == 1
		if allowed {
			h.Set("Access-Control-Allow-Origin", origin)
			h.Set("Access-Control-Allow-Credentials", "true")
			h.Set("Access-Control-Expose-Headers", corsExposed)
		}
		if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
			next.ServeHTTP(w, r)
			return
		}
		preflight(w, allowed)
	})
}

func preflight(w http.ResponseWriter, allowed bool) {
	h := w.Header()
	h.Add("Vary", "Access-Control-Request-Method")
	h.Add("Vary", "Access-Control-Request-Headers")
	if !allowed {
		w.WriteHeader(http.StatusForbidden)
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
