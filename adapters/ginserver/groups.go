package ginserver

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/adapters/httpx"
)

// Group is one component's part of the router.
type Group struct {
	// Mount adds its routes.
	Mount func(*gin.Engine) error
	// Mounted gets the patterns of the routes of all groups, once they are mounted, and may add some that must
	// not be one of them.
	Mounted func(e *gin.Engine, patterns []string) error
	// Wrap answers requests before the router sees them, at the paths that Owns names.
	Wrap func(http.Handler) http.Handler
	Owns func(path string) bool
	// Below is the path below which it answers unknown routes; "" for none.
	Below             string
	NoRoute, NoMethod gin.HandlerFunc
	// Refuse writes errors of the middleware for its paths, in its own format.
	Refuse httpx.ErrorWriter
}

// Groups are all parts of a router.
type Groups []Group

// Router mounts the groups.
func (all Groups) Router() (*gin.Engine, error) {
	engine := NewEngine()
	for _, g := range all {
		if g.Mount == nil {
			continue
		}
		if err := safely(func() error { return g.Mount(engine) }); err != nil {
			return nil, err
		}
	}
	engine.NoRoute(all.dispatch(func(g Group) gin.HandlerFunc { return g.NoRoute }, http.StatusNotFound))
	engine.NoMethod(all.dispatch(func(g Group) gin.HandlerFunc { return g.NoMethod }, http.StatusMethodNotAllowed))
	return engine, nil
}

// Wrap adds to a router, and to the handler that serves it, what groups add after all are mounted.
func (all Groups) Wrap(engine *gin.Engine, handler http.Handler) (http.Handler, error) {
	for _, g := range all {
		if g.Mounted == nil {
			continue
		}
		if err := safely(func() error { return g.Mounted(engine, patterns(engine)) }); err != nil {
			return nil, err
		}
		handler = g.Wrap(handler)
	}
	return handler, nil
}

func patterns(engine *gin.Engine) []string {
	routes := engine.Routes()
	all := make([]string, len(routes))
	for i, r := range routes {
		all[i] = r.Path
	}
	return all
}

// safely returns as an error what the router panics with, as about two routes at one path.
func safely(mount func() error) (err error) {
	defer func() {
		if conflict := recover(); conflict != nil {
			err = fmt.Errorf("a fault in the program: its routes cannot be mounted: %v", conflict)
		}
	}()
	return mount()
}

// dispatch answers a request without a route by the group to which its path belongs.
func (all Groups) dispatch(answer func(Group) gin.HandlerFunc, status int) gin.HandlerFunc {
	return func(c *gin.Context) {
		if g := all.nearest(c.Request.URL.Path); g != nil && answer(*g) != nil {
			answer(*g)(c)
			return
		}
		c.String(status, "%s\n", http.StatusText(status))
	}
}

// nearest returns the group with the longest prefix of the path; nil without one.
func (all Groups) nearest(path string) *Group {
	var found *Group
	for i, g := range all {
		if g.Owns != nil && g.Owns(path) {
			return &all[i]
		}
		if g.Below != "" && Within(path, g.Below) && (found == nil || len(g.Below) > len(found.Below)) {
			found = &all[i]
		}
	}
	return found
}

// Within reports whether a path is a folder or lies below it.
func Within(path, folder string) bool {
	return folder == "/" || path == folder || strings.HasPrefix(path, folder+"/")
}

// Refuse writes an error of the middleware as the group does to which the path belongs.
func (all Groups) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	path := r.URL.Path
	if path == "/" && r.Method == http.MethodPost {
		path = "/graphql" // the other path of the same group
	}
	g := all.nearest(path)
	if g == nil || g.Refuse == nil {
		http.Error(w, httpx.PublicMessage(err), httpx.Status(err))
		return
	}
	g.Refuse(w, r, err)
}
