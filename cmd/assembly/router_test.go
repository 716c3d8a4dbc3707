package assembly

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/inboxhttp"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/settings"
	"go.uber.org/fx"
)

func TestOnlyStreamsLastLongerThanARequest(t *testing.T) {
	s := settings.Default(t)
	limited := map[string]bool{}
	note := func(c *gin.Context) { _, limited[c.Request.URL.Path] = c.Request.Context().Deadline() }
	e := routeGroup{mount: func(engine *gin.Engine) error { engine.GET("/api/*rest", note); return nil }}
	h := must.Get(newHandler(&s, nil, func(context.Context, httpx.RequestInfo) {}, nil, slog.New(slog.DiscardHandler), []routeGroup{e}))(t)
	for path, want := range map[string]bool{inboxhttp.StreamPath: false, "/api/user/notifications/stream": false, inboxhttp.Path: true, inboxhttp.Path + "/x": true} {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil))
		if got, asked := limited[path]; !asked || got != want {
			t.Errorf("%s: reached %v, with a deadline %v, want %v", path, asked, got, want)
		}
	}
}

// handlerOf is the handler of groups.
func handlerOf(t *testing.T, groups ...routeGroup) (http.Handler, error) {
	s := settings.Default(t)
	return newHandler(&s, nil, func(context.Context, httpx.RequestInfo) {}, nil, slog.New(slog.DiscardHandler), groups)
}

func TestWhateverGoesWrongWhileRoutesAreMountedIsAnError(t *testing.T) {
	nothing := func(*gin.Context) {}
	twice := func(e *gin.Engine) {
		e.POST("/x", nothing)
		e.POST("/x", nothing)
	}
	for name, group := range map[string]routeGroup{
		"an error":              {mount: func(*gin.Engine) error { return errors.New("the cause") }},
		"a panic":               {mount: func(*gin.Engine) error { panic("the cause") }},
		"a route twice":         {mount: func(e *gin.Engine) error { twice(e); return nil }},
		"an error, afterwards":  {mounted: func(*gin.Engine, gin.RoutesInfo) error { return errors.New("the cause") }},
		"a panic, afterwards":   {mounted: func(*gin.Engine, gin.RoutesInfo) error { panic("the cause") }},
		"a conflict afterwards": {mounted: func(e *gin.Engine, _ gin.RoutesInfo) error { twice(e); return nil }},
	} {
		group.wrap = func(next http.Handler) http.Handler { return next }
		if _, err := handlerOf(t, group); err == nil || !strings.Contains(err.Error(), "the cause") && !strings.Contains(err.Error(), "/x") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// routesOf are those of a program that serves everything.
func routesOf(t *testing.T) gin.RoutesInfo {
	t.Helper()
	s := settings.Default(t)
	l := must.Get(listen(t.Context(), &s))(t)
	defer func() { _ = l.Close() }()
	var sources *webhookSources
	life := newLifetime(t.Context())
	app := fx.New(appGraph(life, s, config.All, l, slog.New(slog.DiscardHandler), nil), fx.Populate(&sources))
	must.Do(t, app.Start(t.Context()))
	must.Do(t, app.Stop(context.WithoutCancel(t.Context())))
	return sources.routes
}

func TestDeliveriesAreNotReceivedAtARouteOfTheProgram(t *testing.T) {
	sources := &webhookSources{routes: routesOf(t)}
	if len(sources.routes) < 100 {
		t.Fatalf("there are only %d routes", len(sources.routes))
	}
	for _, route := range sources.routes {
		path := strings.NewReplacer(":", "", "*", "").Replace(route.Path)
		if path != "/webhooks" && sources.routeUnder(path) == "" {
			t.Errorf("WEBHOOK_PATH=%s is accepted, in spite of %s", path, route.Path)
		}
	}
	for path, free := range map[string]bool{
		"/api/host/webhooks": true, "/api/host/webhooks/github": true, "/hooks": true, "/webhooks": true, "/webhooks/x": false, "/api/host/deliveries": false,
		"/api/host/rules/x": false, "/graphql": false, "/healthz": false, "/dev/mail": false, "/.well-known/x": false,
	} {
		if got := sources.routeUnder(path) == ""; got != free {
			t.Errorf("%s: free %v, want %v", path, got, free)
		}
	}
}
