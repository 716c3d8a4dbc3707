package httpkit

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/domain/user"
)

// origins are the exact origins that browsers may call us from.
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

// checkOrigin accepts what a browser would send as Origin, to the letter: no
// wildcard, no path, no default port, no "null".
func checkOrigin(s string) error {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.User != nil ||
		u.Scheme+"://"+u.Host != s || strings.ToLower(s) != s || strings.Contains(s, "*") {
		return fmt.Errorf("%q is not an origin like https://app.example.org", s)
	}
	if p := u.Port(); p == "443" && u.Scheme == "https" || p == "80" && u.Scheme == "http" || strings.HasSuffix(s, ":") {
		return fmt.Errorf("%q: browsers leave the default port out", s)
	}
	return nil
}

// crossOrigin refuses what another site makes a browser send with our cookies.
// A request with a token in its header was made on purpose.
func (k *Kit) crossOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _ := r.Context().Value(credentialKey{}).(*credential)
		if c != nil && c.byCookie && k.origins.check.Check(r) != nil {
			k.stop(w, r, user.ErrForbidden.WithMsg("This request came from another site."))
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

// cors lets the allowed origins read our answers, with credentials, and answers
// their preflights. An origin that is not allowed gets the answer without any
// of it, which a browser then withholds from the page.
func (k *Kit) cors(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(k.origins.exact) == 0 || !under(k.cfg.CORSPaths, r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		h := w.Header()
		h.Add("Vary", "Origin")
		origin := r.Header.Get("Origin")
		allowed := k.origins.exact[origin] && len(r.Header["Origin"]) == 1
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

// under reports whether path is one of the roots or below one; "/" stands for
// itself alone.
func under(roots []string, path string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		return path == root || root != "/" && strings.HasPrefix(path, root+"/")
	})
}
