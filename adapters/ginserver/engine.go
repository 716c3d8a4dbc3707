// Package ginserver configures the gin router and runs the HTTP server, which
// finishes open requests before it stops.
package ginserver

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/adapters/httpx"
)

// NewEngine returns a router without routes. Its contexts end with their
// requests, a known path with another method is answered with 405 and Allow, path
// parameters are percent-decoded once, and nothing is redirected. It must be
// served through Handler.
func NewEngine() *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.ContextWithFallback = true // otherwise handlers miss the client's cancellation
	e.HandleMethodNotAllowed = true
	e.RedirectTrailingSlash = false // Handler strips the slash instead
	// Match the escaped path, so that %2F does not separate segments. gin would
	// decode parameters as a form, where "+" is a space; decodeParams does not.
	e.UseEscapedPath = true
	e.UnescapePathValues = false
	e.ForwardedByClientIP = false // httpx.ClientInfo determines the client
	_ = e.SetTrustedProxies(nil)  // cannot fail without an address to parse
	e.Use(recordRoute, decodeParams, allowHead)
	return e
}

// recordRoute passes the matched pattern to logs and metrics.
func recordRoute(c *gin.Context) { httpx.SetRoute(c.Request.Context(), c.FullPath()) }

func decodeParams(c *gin.Context) {
	for i, p := range c.Params {
		if v, err := url.PathUnescape(p.Value); err == nil {
			c.Params[i].Value = v
		}
	}
}

// allowHead adds HEAD to the router's Allow header, because Handler serves HEAD
// wherever there is a GET route.
func allowHead(c *gin.Context) {
	h := c.Writer.Header()
	if h.Get("Allow") == "" {
		return
	}
	allowed := strings.Split(h.Get("Allow"), ", ")
	if at := slices.Index(allowed, http.MethodGet); at >= 0 && !slices.Contains(allowed, http.MethodHead) {
		h.Set("Allow", strings.Join(slices.Insert(allowed, at+1, http.MethodHead), ", "))
	}
}

// Handler wraps the router: it ignores one trailing slash and serves HEAD as GET.
func Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		slash := len(r.URL.Path) > 1 && strings.HasSuffix(r.URL.Path, "/") && strings.HasSuffix(r.URL.EscapedPath(), "/") // not %2F
		if !slash && r.Method != http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		rewritten := *r
		if r.Method == http.MethodHead {
			rewritten.Method = http.MethodGet // net/http omits the body
		}
		if slash {
			u := *r.URL
			u.Path, u.RawPath = strings.TrimSuffix(u.Path, "/"), strings.TrimSuffix(u.RawPath, "/")
			rewritten.URL = &u
		}
		next.ServeHTTP(w, &rewritten)
	})
}
