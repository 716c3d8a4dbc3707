package assembly

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/acme"
	"github.com/octavo-books/octavo/adapters/ginserver"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/inboxhttp"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/rest"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/adapters/web/webrooms"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// asRoutes adds the part of the router that a constructor makes to the others.
func asRoutes(constructor any) fx.Option {
	return fx.Provide(fx.Annotate(constructor, fx.ResultTags(`group:"routes"`)))
}

// requestDeadline ends a request, even if its client would wait longer.
const requestDeadline = 30 * time.Second

// slowPaths returns the paths of the market to which that does not apply.
func slowPaths() []string { return slices.Concat(rest.StreamPaths(), webrooms.SlowPaths()) }

// signInPaths are where a sign-in for an application may pass. Applications open it in a window
// and wait there for the result: a policy about openers would cut them off.
var signInPaths = []string{"/oauth2", "/auth", "/login", "/signup", "/verify", "/resend", "/forgotten", "/reset", "/invitation", "/approve"}

func server(parts config.Components) fx.Option {
	return fx.Options(
		fx.Provide(
			fx.Annotate(newHandler, fx.ParamTags(``, ``, ``, ``, ``, `group:"routes"`)),
			func(h http.Handler, s *config.Settings, log *slog.Logger) *ginserver.Server {
				return ginserver.NewServer(h, min(s.Server.DrainTimeout, stopTimeout-2*closeTime), log)
			},
		),
		fx.Invoke(func(lc fx.Lifecycle, server *ginserver.Server, l net.Listener) {
			lc.Append(fx.StartStopHook(func() { server.Start(l) }, server.Stop))
		}),
		when(!parts.Identity(), fx.Provide(func() (httpx.Authenticator, *web.Pages) { return nil, nil })), // there are no accounts
	)
}

// autoHTTPS serves at the public ports of HTTPS=auto what is served at HOST:PORT.
func autoHTTPS(s config.Settings, public config.PublicPorts) fx.Option {
	return when(public.HTTPS != nil, fx.Options(
		fx.Provide(func(s *config.Settings, log *slog.Logger) (*acme.Certificates, error) { return s.NewCertificates(log) }),
		fx.Invoke(func(lc fx.Lifecycle, c *acme.Certificates, server *ginserver.Server, log *slog.Logger) {
			plain := ginserver.NewServer(c.Plain(s.Site()), s.Server.DrainTimeout, log)
			lc.Append(fx.StartStopHook(func() { plain.Start(public.HTTP) }, plain.Stop))
			lc.Append(fx.StartHook(func() { server.Start(tls.NewListener(public.HTTPS, c.TLS())) }))
		}),
		run("certificate", (*acme.Certificates).Keep),
		fx.Invoke(func(m *metrics.Metrics, c *acme.Certificates, clock system.Clock) {
			m.WatchCertificate(clock.Now, c.Validity)
		}),
	))
}

// newHandler wraps the router of all groups in the middleware that they share.
func newHandler(s *config.Settings, auth httpx.Authenticator, observe func(context.Context, httpx.RequestInfo), t *telemetry.Tracing, log *slog.Logger, routes []ginserver.Group) (http.Handler, error) {
	groups := ginserver.Groups(routes)
	cfg, err := s.MiddlewareConfig()
	if err != nil {
		return nil, err
	}
	engine, err := groups.Router()
	if err != nil {
		return nil, err
	}
	cfg.CORSPaths, cfg.UnlimitedPaths, cfg.PopupPaths = []string{"/graphql", "/", "/api"}, probes, signInPaths
	cfg.Timeout, cfg.StreamPaths = requestDeadline, append(slowPaths(), inboxhttp.StreamPath)
	middleware, err := httpx.NewMiddleware(cfg, httpx.Options{Auth: auth, Log: log, WriteError: groups.Refuse, Observe: observe})
	if err != nil {
		return nil, err
	}
	// The receivers of webhooks wrap it: their answers are tiny, and they write them in
	// steps.
	handler, err := httpx.Compress(ginserver.Handler(engine))
	if err != nil {
		return nil, err
	}
	if handler, err = groups.Wrap(engine, handler); err != nil {
		return nil, err
	}
	return t.Middleware(middleware.Wrap(handler), probes...), nil
}
