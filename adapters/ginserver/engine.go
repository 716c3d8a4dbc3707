// Package ginserver holds the router's settings and the server round it:
// listen, and drain on the way out.
package ginserver

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/adapters/httpx"
)

// NewEngine makes a router without any routes. Its contexts end with their
// requests, a known path with another method is a 405 with Allow, path
// parameters are percent-decoded once, and nothing is ever redirected.
// Serve it through Handler.
func NewEngine() *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.ContextWithFallback = true // else cancellation is lost
	e.HandleMethodNotAllowed = true
	e.RedirectTrailingSlash = false // Handler strips it
	// Match on the path as it was sent, so that %2F is no separator. gin would
	// decode the parameters as a form, where "+" is a space; decodeParams does it.
	e.UseEscapedPath = true
	e.UnescapePathValues = false
	e.ForwardedByClientIP = false // httpx.ClientInfo knows the client
	_ = e.SetTrustedProxies(nil)  // cannot fail: there is nothing to parse
	e.Use(noteRoute, decodeParams, allowHead)
	return e
}

// noteRoute tells the log and the metrics which pattern matched.
func noteRoute(c *gin.Context) { httpx.SetRoute(c.Request.Context(), c.FullPath()) }

func decodeParams(c *gin.Context) {
	for i, p := range c.Params {
		if v, err := url.PathUnescape(p.Value); err == nil {
			c.Params[i].Value = v
		}
	}
}

// allowHead completes the router's Allow: Handler answers HEAD where GET is.
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

// Handler serves next so that a trailing slash is the same route and HEAD is
// answered where GET is.
func Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		slash := len(r.URL.Path) > 1 && strings.HasSuffix(r.URL.Path, "/") && strings.HasSuffix(r.URL.EscapedPath(), "/") // not %2F
		if !slash && r.Method != http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		same := *r
		if r.Method == http.MethodHead {
			same.Method = http.MethodGet // net/http leaves the body out by itself
		}
		if slash {
			u := *r.URL
			u.Path, u.RawPath = strings.TrimSuffix(u.Path, "/"), strings.TrimSuffix(u.RawPath, "/")
			same.URL = &u
		}
		next.ServeHTTP(w, &same)
	})
}
