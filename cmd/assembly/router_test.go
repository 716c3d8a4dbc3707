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
	"github.com/octavo-books/octavo/adapters/ginserver"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/inboxhttp"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/sources"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/settings"
	"go.uber.org/fx"
)

func TestOnlyStreamsLastLongerThanARequest(t *testing.T) {
	s := settings.Default(t)
	limited := map[string]bool{}
	note := func(c *gin.Context) { _, limited[c.Request.URL.Path] = c.Request.Context().Deadline() }
	e := ginserver.Group{Mount: func(engine *gin.Engine) error { engine.GET("/api/*rest", note); return nil }}
	h := must.Get(newHandler(&s, nil, func(context.Context, httpx.RequestInfo) {}, nil, slog.New(slog.DiscardHandler), []ginserver.Group{e}))(t)
	for path, want := range map[string]bool{inboxhttp.StreamPath: false, "/api/user/notifications/stream": false, inboxhttp.Path: true, inboxhttp.Path + "/x": true} {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil))
		if got, asked := limited[path]; !asked || got != want {
			t.Errorf("%s: reached %v, with a deadline %v, want %v", path, asked, got, want)
		}
	}
}

// handlerOf is the handler of groups.
func handlerOf(t *testing.T, groups ...ginserver.Group) (http.Handler, error) {
	s := settings.Default(t)
	return newHandler(&s, nil, func(context.Context, httpx.RequestInfo) {}, nil, slog.New(slog.DiscardHandler), groups)
}

func TestWhateverGoesWrongWhileRoutesAreMountedIsAnError(t *testing.T) {
	nothing := func(*gin.Context) {}
	twice := func(e *gin.Engine) {
		e.POST("/x", nothing)
		e.POST("/x", nothing)
	}
	for name, group := range map[string]ginserver.Group{
		"an error":              {Mount: func(*gin.Engine) error { return errors.New("the cause") }},
		"a panic":               {Mount: func(*gin.Engine) error { panic("the cause") }},
		"a route twice":         {Mount: func(e *gin.Engine) error { twice(e); return nil }},
		"an error, afterwards":  {Mounted: func(*gin.Engine, []string) error { return errors.New("the cause") }},
		"a panic, afterwards":   {Mounted: func(*gin.Engine, []string) error { panic("the cause") }},
		"a conflict afterwards": {Mounted: func(e *gin.Engine, _ []string) error { twice(e); return nil }},
	} {
		group.Wrap = func(next http.Handler) http.Handler { return next }
		if _, err := handlerOf(t, group); err == nil || !strings.Contains(err.Error(), "the cause") && !strings.Contains(err.Error(), "/x") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// patternsOf are the routes of a program that serves everything.
func patternsOf(t *testing.T, s config.Settings) (patterns []string) {
	t.Helper()
	l := must.Get(s.Listen(t.Context()))(t)
	defer func() { _ = l.Close() }()
	var routes []ginserver.Group
	note := fx.Invoke(fx.Annotate(func(all []ginserver.Group) { routes = all }, fx.ParamTags(`group:"routes"`)))
	app := fx.New(appGraph(newLifetime(t.Context()), s, config.All, l, slog.New(slog.DiscardHandler), nil), note)
	must.Do(t, app.Start(t.Context()))
	must.Do(t, app.Stop(context.WithoutCancel(t.Context())))
	for _, r := range must.Get(ginserver.Groups(routes).Router())(t).Routes() {
		patterns = append(patterns, r.Path)
	}
	return patterns
}

func TestDeliveriesAreNotReceivedAtARouteOfTheProgram(t *testing.T) {
	s := settings.Default(t)
	patterns := patternsOf(t, s)
	if len(patterns) < 100 {
		t.Fatalf("there are only %d routes", len(patterns))
	}
	reserve := func(path string) error {
		s.Webhooks.Path = path
		all := must.Get(sources.New(&s, nil, metrics.NewInboxMeter(metrics.New("", nil)), slog.New(slog.DiscardHandler)))(t)
		return all.Reserve(patterns)
	}
	for _, route := range patterns {
		if path := strings.NewReplacer(":", "", "*", "").Replace(route); path != "/webhooks" && reserve(path) == nil {
			t.Errorf("WEBHOOK_PATH=%s is accepted, in spite of %s", path, route)
		}
	}
	for path, free := range map[string]bool{
		"/api/host/webhooks": true, "/api/host/webhooks/github": true, "/hooks": true, "/webhooks": true, "/webhooks/x": false, "/api/host/deliveries": false,
		"/api/host/rules/x": false, "/graphql": false, "/healthz": false, "/dev/mail": false, "/.well-known/x": false,
	} {
		if got := reserve(path) == nil; got != free {
			t.Errorf("%s: free %v, want %v", path, got, free)
		}
	}
}
