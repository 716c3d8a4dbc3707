package sources

import (
	"strings"

	"github.com/octavo-books/octavo/adapters/inboxhttp"
	"github.com/octavo-books/octavo/adapters/inspector"
)

// ownPaths are reserved for Octavo, even if the settings or the components leave them out.
var ownPaths = []string{"/webhooks", "/api/host", "/graphql", "/healthz", "/readyz", "/metrics", "/dev", "/.well-known"}

// routeAt returns the route of Octavo's own that a path belongs to, "" if there is none.
func (w *Sources) routeAt(path string) string {
	for _, own := range ownPaths {
		if within(path, own) {
			return own
		}
	}
	for _, route := range w.routes {
		if matchesRoute(route, path) {
			return route
		}
	}
	return ""
}

// routeUnder is routeAt for WEBHOOK_PATH, which by default is below /api/host and may be the
// path of the pages, whose forms are elsewhere.
func (w *Sources) routeUnder(path string) string {
	if path == inspector.Base {
		return ""
	}
	if !within(path, "/api/host") {
		return w.routeAt(path)
	}
	for _, own := range []string{inboxhttp.Path, inboxhttp.RulesPath} {
		if within(path, own) {
			return own
		}
	}
	return ""
}

func within(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

// matchesRoute reports whether a path belongs to a route such as /books/:id or /files/*name.
func matchesRoute(route, path string) bool {
	parts := strings.Split(path, "/")
	for i, segment := range strings.Split(route, "/") {
		switch {
		case strings.HasPrefix(segment, "*"):
			return true
		case i == len(parts), !strings.HasPrefix(segment, ":") && segment != parts[i]:
			return false
		}
	}
	return len(parts) == strings.Count(route, "/")+1
}
