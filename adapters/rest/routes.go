package rest

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/rest/openapi"
	"github.com/octavo-books/octavo/domain/fault"
)

// routes is a gin.IRouter that puts request validation before every handler and
// also registers the alias of a route.
type routes struct {
	gin.IRouter
	handler *Handler
	added   int
	err     error
}

func (r *routes) GET(pattern string, h ...gin.HandlerFunc) gin.IRoutes {
	return r.add(http.MethodGet, pattern, h)
}

func (r *routes) POST(pattern string, h ...gin.HandlerFunc) gin.IRoutes {
	return r.add(http.MethodPost, pattern, h)
}

func (r *routes) PUT(pattern string, h ...gin.HandlerFunc) gin.IRoutes {
	return r.add(http.MethodPut, pattern, h)
}

func (r *routes) add(method, pattern string, h []gin.HandlerFunc) gin.IRoutes {
	op, ok := r.handler.operations[method+" "+pattern]
	if !ok {
		r.err = fmt.Errorf("the document has no operation %s %s", method, pattern)
		return r
	}
	chain := []gin.HandlerFunc{r.handler.validate(op)}
	for _, next := range h {
		chain = append(chain, withCopiedContext(next))
	}
	r.Handle(method, pattern, chain...)
	if op.Alias != "" {
		r.Handle(method, op.Alias, chain...)
	}
	r.added++
	return r
}

// withCopiedContext gives the handler a copy of gin's context. Generated code passes
// that context on, and database/sql uses it until after the response; by then gin
// would have reused the original for another request.
func withCopiedContext(h gin.HandlerFunc) gin.HandlerFunc {
	return func(c *gin.Context) {
		own := c.Copy()
		own.Writer = c.Writer
		h(own)
	}
}

type operationKey struct{}

// operationOf returns the operation of the request, nil without a matching route.
func operationOf(c *gin.Context) *openapi.Operation {
	v, _ := c.Get(operationKey{})
	op, _ := v.(*openapi.Operation)
	return op
}

// patternOf returns the canonical pattern of the route, also for an alias, or the
// request's path without a matching route.
func patternOf(c *gin.Context) string {
	if op := operationOf(c); op != nil {
		return op.Pattern
	}
	return c.Request.URL.Path
}

var (
	errNoRoute  = newStatusError(http.StatusNotFound, fault.NotFound, "route_not_found", "This path does not exist.")
	errNoMethod = newStatusError(http.StatusMethodNotAllowed, fault.Invalid, "method_not_allowed", "This method is not allowed here.")
)

// NoRoute answers unknown paths under /api.
func (h *Handler) NoRoute(c *gin.Context) { h.abortWithError(c, errNoRoute) }

// NoMethod answers requests with a wrong method. The router has set Allow.
func (h *Handler) NoMethod(c *gin.Context) {
	if op := h.operationAt(c.Request.URL); op != nil {
		setOperation(c, op)
	}
	h.abortWithError(c, errNoMethod)
}

// operationAt returns the operation of any method at a path or alias, nil if there
// is none.
func (h *Handler) operationAt(u *url.URL) *openapi.Operation {
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	for _, op := range h.document.Operations {
		if matchesPattern(op.Pattern, path) || matchesPattern(op.Alias, path) {
			return op
		}
	}
	return nil
}

// setOperation records the operation of the request.
func setOperation(c *gin.Context, op *openapi.Operation) {
	c.Set(operationKey{}, op)
	httpx.SetRoute(c.Request.Context(), op.Pattern)
}

// matchesPattern reports whether path matches pattern.
func matchesPattern(pattern, path string) bool {
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	if pattern == "" || len(want) != len(have) {
		return false
	}
	for i, segment := range want {
		if segment != have[i] && !strings.HasPrefix(segment, ":") {
			return false
		}
	}
	return true
}
