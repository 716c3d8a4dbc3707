package assembly

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/ginserver"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/inboxhttp"
	"github.com/octavo-books/octavo/adapters/rest"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// routeGroup is one component's part of the router.
type routeGroup struct {
	// mount adds its routes.
	mount func(*gin.Engine) error
	// mounted gets the routes of all groups, once they are mounted, and may add some that must
	// not be one of them.
	mounted func(*gin.Engine, gin.RoutesInfo) error
	// wrap answers requests before the router sees them, at the paths that owns names.
	wrap func(http.Handler) http.Handler
	owns func(path string) bool
	// below is the path below which it answers unknown routes; "" for none.
	below             string
	noRoute, noMethod gin.HandlerFunc
	// refuse writes errors of the middleware for its paths, in its own format.
	refuse httpx.ErrorWriter
}

// asRoutes adds the routeGroup that a constructor makes to the others.
func asRoutes(constructor any) fx.Option {
	return fx.Provide(fx.Annotate(constructor, fx.ResultTags(`group:"routes"`)))
}

// requestDeadline ends a request, even if its client would wait longer.
const requestDeadline = 30 * time.Second

// slowPaths returns the paths of the market to which that does not apply.
func slowPaths() []string { return slices.Concat(rest.StreamPaths(), web.SlowPaths()) }

func server(parts config.Components) fx.Option {
	options := []fx.Option{
		fx.Provide(
			fx.Annotate(newHandler, fx.ParamTags(``, ``, ``, ``, ``, `group:"routes"`)),
			func(h http.Handler, s *config.Settings, log *slog.Logger) *ginserver.Server {
				return ginserver.NewServer(h, min(s.Server.DrainTimeout, stopTimeout-2*closeTime), log)
			},
		),
		fx.Invoke(func(lc fx.Lifecycle, server *ginserver.Server, l net.Listener) {
			lc.Append(fx.StartStopHook(func() { server.Start(l) }, server.Stop))
		}),
	}
	if !parts.Identity() { // there are no accounts
		options = append(options, fx.Provide(func() httpx.Authenticator { return nil }))
	}
	return fx.Options(options...)
}

// newHandler wraps the router of all groups in the middleware that they share.
func newHandler(s *config.Settings, auth httpx.Authenticator, observe func(context.Context, httpx.RequestInfo), t *telemetry.Tracing, log *slog.Logger, groups []routeGroup) (http.Handler, error) {
	proxies, err := s.Proxies()
	if err != nil {
		return nil, err
	}
	engine := ginserver.NewEngine()
	for _, e := range groups {
		if e.mount == nil {
			continue
		}
		if err := mountSafely(func() error { return e.mount(engine) }); err != nil {
			return nil, err
		}
	}
	engine.NoRoute(dispatch(groups, func(e routeGroup) gin.HandlerFunc { return e.noRoute }, http.StatusNotFound))
	engine.NoMethod(dispatch(groups, func(e routeGroup) gin.HandlerFunc { return e.noMethod }, http.StatusMethodNotAllowed))
	middleware, err := httpx.NewMiddleware(httpx.Config{
		TrustedProxies:    proxies,
		AllowedOrigins:    s.Server.AllowedOrigins,
		LoopbackOrigins:   !s.Production(),
		CORSPaths:         []string{"/graphql", "/", "/api"},
		Cookies:           cookies(s),
		RequestsPerSecond: float64(s.Server.RequestsPerSecond),
		UnlimitedPaths:    probes,
		Timeout:           requestDeadline,
		StreamPaths:       append(slowPaths(), inboxhttp.StreamPath),
		PopupPaths:        signInPaths,
		HSTSSubdomains:    s.Server.HSTSSubdomains,
	}, httpx.Options{Auth: auth, Log: log, WriteError: refuseAs(groups), Observe: observe})
	if err != nil {
		return nil, err
	}
	// The receivers of webhooks wrap it: their answers are tiny, and they write them in
	// steps.
	handler, err := httpx.Compress(ginserver.Handler(engine))
	if err != nil {
		return nil, err
	}
	for _, e := range groups {
		if e.mounted == nil {
			continue
		}
		if err := mountSafely(func() error { return e.mounted(engine, engine.Routes()) }); err != nil {
			return nil, err
		}
		handler = e.wrap(handler)
	}
	return t.Middleware(middleware.Wrap(handler), probes...), nil
}

// signInPaths are where a sign-in for an application may pass. Applications open it in a window
// and wait there for the result: a policy about openers would cut them off.
var signInPaths = []string{"/oauth2", "/auth", "/login", "/signup", "/verify", "/resend", "/forgotten", "/reset", "/invitation", "/approve"}

// mountSafely returns as an error what the router panics with, as about two routes at one path.
func mountSafely(mount func() error) (err error) {
	defer func() {
		if conflict := recover(); conflict != nil {
			err = fmt.Errorf("a fault in the program: its routes cannot be mounted: %v", conflict)
		}
	}()
	return mount()
}

// direct recognises requests that came without a proxy and ask for our own host.
func direct(s *config.Settings) httpx.DirectAccess { return httpx.NewDirectAccess(s.Server.BaseURL) }

// cookies returns the cookie settings, which Validate has checked.
func cookies(s *config.Settings) httpx.CookieConfig {
	secure, _ := strconv.ParseBool(s.Server.CookieSecure)
	sameSite, _ := httpx.ParseSameSite(s.Server.CookieSameSite)
	return httpx.CookieConfig{Secure: secure, Domain: s.Server.CookieDomain, SameSite: sameSite}
}

// dispatch answers a request without a route by the group to which its path belongs.
func dispatch(groups []routeGroup, answer func(routeGroup) gin.HandlerFunc, status int) gin.HandlerFunc {
	return func(c *gin.Context) {
		if e := nearest(groups, c.Request.URL.Path); e != nil && answer(*e) != nil {
			answer(*e)(c)
			return
		}
		c.String(status, "%s\n", http.StatusText(status))
	}
}

// nearest returns the group with the longest prefix of the path; nil without one.
func nearest(groups []routeGroup, path string) *routeGroup {
	var found *routeGroup
	for i, e := range groups {
		if e.owns != nil && e.owns(path) {
			return &groups[i]
		}
		if e.below != "" && within(path, e.below) && (found == nil || len(e.below) > len(found.below)) {
			found = &groups[i]
		}
	}
	return found
}

func within(path, folder string) bool {
	return folder == "/" || path == folder || strings.HasPrefix(path, folder+"/")
}

func refuseAs(groups []routeGroup) httpx.ErrorWriter {
	return func(w http.ResponseWriter, r *http.Request, err error) {
		path := r.URL.Path
		if path == "/" && r.Method == http.MethodPost {
			path = "/graphql" // the other path of the same group
		}
		e := nearest(groups, path)
		if e == nil || e.refuse == nil {
			http.Error(w, httpx.PublicMessage(err), httpx.Status(err))
			return
		}
		e.refuse(w, r, err)
	}
}
