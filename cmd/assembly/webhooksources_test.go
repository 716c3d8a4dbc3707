package assembly

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/inboxhttp"
	"github.com/octavo-books/octavo/adapters/sourcefile"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/settings"
	"go.uber.org/fx"
)

func TestAShortSecretOfASourceIsLoggedWithoutItsValue(t *testing.T) {
	var out bytes.Buffer
	w := &webhookSources{log: slog.New(slog.NewTextHandler(&out, nil))}
	w.warnOfShortSecrets(sourcefile.Source{Name: "ci", Secrets: []receiver.Secret{{Name: "ci#1", Value: "a secret of sixteen"}, {Name: "ci#2", Value: "tulip"}}})
	if logged := out.String(); strings.Count(logged, "\n") != 1 || !strings.Contains(logged, "source=ci secret=ci#2") || strings.Contains(logged, "tulip") {
		t.Errorf("logged %s", logged)
	}
}

func TestASourceMayNotTakeAPathOfTheProgram(t *testing.T) {
	w := &webhookSources{routes: gin.RoutesInfo{
		{Method: "GET", Path: "/"}, {Method: "GET", Path: "/books"}, {Method: "GET", Path: "/books/:id"}, {Method: "GET", Path: "/static/*file"},
	}}
	for path, want := range map[string]string{
		"/books": "/books", "/books/7": "/books/:id", "/static/a/b": "/static/*file", "/webhooks": "/webhooks", "/webhooks/x": "/webhooks",
		"/api/host/deliveries": "/api/host", "/books/7/hook": "", "/hooks/ci": "", "/bookshop": "", "/webhooksx": "",
	} {
		if got := w.routeAt(path); got != want {
			t.Errorf("%s belongs to %q, want %q", path, got, want)
		}
	}
}

func TestAnUnknownEventOfGitHubIsLoggedOnceAndAccepted(t *testing.T) {
	var out bytes.Buffer
	accepted := 0
	count := func(context.Context, webhook.Event, string) error { accepted++; return nil }
	log := slog.New(slog.NewTextHandler(&out, nil))
	accept := logUnknownEvents(count, webhook.GitHub, log)
	send := func(event, action string) {
		if err := accept(t.Context(), webhook.Event{Name: webhook.EventName(event)}, action); err != nil {
			t.Error(err)
		}
	}
	for range 3 {
		send("issues", "opened")
		send("push", "")
		send("issues", "opend")
		send("pul_request", "")
	}
	logged := out.String()
	if strings.Count(logged, "\n") != 2 || !strings.Contains(logged, "event=issues.opend nearest=issues.opened") || !strings.Contains(logged, "event=pul_request nearest=pull_request") {
		t.Errorf("logged %s", logged)
	}
	for i := range 200 {
		send(fmt.Sprint("new", i), "")
	}
	if lines := strings.Count(out.String(), "\n"); lines != maxUnknown+1 {
		t.Errorf("logged %d lines, want %d", lines, maxUnknown+1)
	}
	if accepted != 212 {
		t.Errorf("accepted %d, want 212", accepted)
	}
	out.Reset()
	_ = logUnknownEvents(count, webhook.Stripe, log)(t.Context(), webhook.Event{Name: "x"}, "")
	if out.Len() > 0 {
		t.Errorf("of a sender without a list it logged %s", out.String())
	}
}

func TestASampleIsSignedAsItsSenderSigns(t *testing.T) {
	const secret = "whsec_YSBzZWNyZXQgb2Ygc2l4dGVlbiBvciBtb3Jl"
	for sender, event := range map[*webhook.Sender]string{
		webhook.Host: "issues.opened", webhook.GitHub: "issues.opened", webhook.GitLab: "Push Hook", webhook.Stripe: "invoice.paid", webhook.Slack: "message", webhook.Standard: "user.created",
		webhook.Mailgun: "delivered", webhook.Graph: "created",
	} {
		key := must.Get(sender.Key(secret))(t)
		signed, id, err := signSample(sender, secret, "http://127.0.0.1/hook", event)
		if err != nil || id == "" || !key.Verify(signed, time.Now()) {
			t.Errorf("%s %s: %q %s, %v", sender.Name(), event, id, signed.Body, err)
		}
		if strings.HasSuffix(event, ".opened") && !strings.Contains(string(signed.Body), `"action":"opened"`) {
			t.Errorf("%s: the body has no action: %s", sender.Name(), signed.Body)
		}
	}
	must.Refuse(t, must.Err(signSample(webhook.Host, secret, "http://127.0.0.1/hook", "no event")), errSample, "a name that no event has")
}

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
