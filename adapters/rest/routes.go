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

// routes is a router that puts admission before every handler and serves the
// alias of a route too.
type routes struct {
	gin.IRouter
	edge  *Edge
	added int
	err   error
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
	op, ok := r.edge.operations[method+" "+pattern]
	if !ok {
		r.err = fmt.Errorf("the document does not know %s %s", method, pattern)
		return r
	}
	chain := []gin.HandlerFunc{r.edge.admission(op)}
	for _, next := range h {
		chain = append(chain, lasting(next))
	}
	r.Handle(method, pattern, chain...)
	if op.Alias != "" {
		r.Handle(method, op.Alias, chain...)
	}
	r.added++
	return r
}

// lasting gives a handler a context that is its own for ever. Generated code
// passes gin's on as a context.Context, database/sql looks at it until after the
// answer, and by then gin has given it to another request.
func lasting(h gin.HandlerFunc) gin.HandlerFunc {
	return func(c *gin.Context) {
		own := c.Copy()
		own.Writer = c.Writer
		h(own)
	}
}

type operationKey struct{}

// operationOf is what the request is for; nil where there is no such route.
func operationOf(c *gin.Context) *openapi.Operation {
	v, _ := c.Get(operationKey{})
	op, _ := v.(*openapi.Operation)
	return op
}

// patternOf is the canonical pattern of the route, also on an alias; what was
// asked for where there is none.
func patternOf(c *gin.Context) string {
	if op := operationOf(c); op != nil {
		return op.Pattern
	}
	return c.Request.URL.Path
}

var (
	errNoRoute  = protocolError(http.StatusNotFound, fault.NotFound, "route_not_found", "There is nothing at this address.")
	errNoMethod = protocolError(http.StatusMethodNotAllowed, fault.Invalid, "method_not_allowed", "This address does not take this method.")
)

// NoRoute answers for addresses under /api that do not exist.
func (e *Edge) NoRoute(c *gin.Context) { e.refuse(c, errNoRoute) }

// NoMethod answers for a method that a route does not take; the router has set
// Allow.
func (e *Edge) NoMethod(c *gin.Context) {
	if op := e.operationAt(c.Request.URL); op != nil {
		note(c, op)
	}
	e.refuse(c, errNoMethod)
}

// operationAt finds an operation of any method at an address, which may be an
// alias; nil where there is none.
func (e *Edge) operationAt(u *url.URL) *openapi.Operation {
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	for _, op := range e.document.Operations {
		if fits(op.Pattern, path) || fits(op.Alias, path) {
			return op
		}
	}
	return nil
}

// note remembers which operation the request is for.
func note(c *gin.Context, op *openapi.Operation) {
	c.Set(operationKey{}, op)
	httpx.SetRoute(c.Request.Context(), op.Pattern)
}

// fits reports whether a path is one of the pattern's.
func fits(pattern, path string) bool {
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
