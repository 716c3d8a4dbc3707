package assembly

import (
	"context"
	"log/slog"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/clientassertion"
	"github.com/octavo-books/octavo/adapters/ginserver"
	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/graph"
	"github.com/octavo-books/octavo/adapters/hashing"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/openidhttp"
	"github.com/octavo-books/octavo/adapters/operations"
	"github.com/octavo-books/octavo/adapters/scimhttp"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/adapters/token"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/fault"
	"go.uber.org/fx"
)

// graphRoutes serves the auth service over GraphQL.
func graphRoutes(parts config.Components) fx.Option {
	return fx.Options(when(parts.Auth, asRoutes(newGraphRoutes)), when(parts.Identity(), fx.Options(
		fx.Invoke(func(m *metrics.Metrics, h *hashing.Hasher, db *gormstore.DB) {
			m.WatchHashing(h.CountWaiting, h.CountRefused)
			watchPool(m, "main", db)
		}),
		fx.Invoke(func(life lifetime, s *config.Settings, store *authstore.Identity, t *token.IDTokens) error {
			return s.RequireIDTokenKey(life, store, t)
		}),
		asRoutes(keysRoutes), asRoutes(newOpenIDRoutes), asRoutes(newDirectoryRoutes),
		require("database", func(db *gormstore.DB, ctx context.Context) error {
			return db.Ready(ctx, outboxstore.Migrations) // every component's database has these
		}),
	)))
}

var errNothingHere = fault.New(fault.NotFound, "not_found", "There is nothing at this address.")

// refusing answers every request with an error.
func refusing(refuse httpx.ErrorWriter, err error) gin.HandlerFunc {
	return func(c *gin.Context) { refuse(c.Writer, c.Request, err) }
}

func newGraphRoutes(a *authrooms.Auth, s *config.Settings, m *metrics.Metrics, t *telemetry.Tracing, log *slog.Logger) (ginserver.Group, error) {
	service, err := graph.NewHandler(a, graph.Config{
		Development: !s.Production(), Cookies: s.Cookies(), Observe: newOperationObserver(m, t),
	}, log)
	if err != nil {
		return ginserver.Group{}, err
	}
	h := gin.WrapH(service)
	return ginserver.Group{Below: "/graphql", NoRoute: refusing(graph.Refuse, errNothingHere), Refuse: graph.Refuse, Mount: func(e *gin.Engine) error {
		e.Any("/graphql", h)
		e.POST("/", h)
		e.GET(graph.SchemaPath, h)
		if !s.Production() {
			e.GET(graph.ExplorerPath+":file", h)
		}
		return nil
	}}, nil
}

// newOperationObserver counts every GraphQL operation.
func newOperationObserver(m *metrics.Metrics, t *telemetry.Tracing) func(ctx context.Context, operation, code string) {
	return func(ctx context.Context, operation, code string) {
		m.ObserveOperation(operation, code)
		t.RecordOperation(ctx, operation, code)
	}
}

// newOpenIDRoutes serves the OpenID provider, in every process that serves accounts.
func newOpenIDRoutes(a *authrooms.Auth, pages *web.Pages, t *token.IDTokens, s *config.Settings, log *slog.Logger) ginserver.Group {
	h := &openidhttp.Handler{
		Auth: a,
		Options: openidhttp.Options{
			Issuer: s.Identity.JWTIssuer, BaseURL: s.Server.BaseURL, Algorithms: t.Algorithms, AssertionAlgorithms: clientassertion.Algorithms(),
			Caller: pages.Caller, Reopen: pages.Reopen, Carry: pages.CarryRequest, SetLang: pages.Cookies.SetLang, ShowError: pages.ShowError, Log: log,
		},
	}
	missing := refusing(openidhttp.Refuse, errNothingHere)
	wrongMethod := refusing(openidhttp.Refuse, httpx.ErrMethod)
	return ginserver.Group{Below: openidhttp.Base, NoRoute: missing, NoMethod: wrongMethod, Refuse: openidhttp.Refuse, Mount: func(e *gin.Engine) error {
		for _, r := range h.Routes() {
			e.Handle(r.Method, r.Path, gin.WrapF(r.Handler))
		}
		return nil
	}}
}

// newDirectoryRoutes serves SCIM to the directory of an institution, if it has a token.
func newDirectoryRoutes(a *authrooms.Auth, clock system.Clock, s *config.Settings, log *slog.Logger) ginserver.Group {
	if s.Identity.SCIMToken == "" {
		return ginserver.Group{}
	}
	h := scimhttp.New(a.Provisioning, scimhttp.Options{BaseURL: s.Server.BaseURL, Token: s.Identity.SCIMToken, Now: clock.Now, Log: log})
	missing, wrongMethod := refusing(scimhttp.Refuse, errNothingHere), refusing(scimhttp.Refuse, httpx.ErrMethod)
	return ginserver.Group{Below: scimhttp.Base, NoRoute: missing, NoMethod: wrongMethod, Refuse: scimhttp.Refuse, Mount: func(e *gin.Engine) error {
		for _, r := range h.Routes() {
			e.Handle(r.Method, r.Path, func(c *gin.Context) {
				c.Request.SetPathValue("id", c.Param("id"))
				r.Handler(c.Writer, c.Request)
			})
		}
		return nil
	}}
}

// keysRoutes serves what other services need to verify tokens. In development the key of ID
// tokens is generated on the first request, because that takes a moment.
func keysRoutes(t *token.IDTokens, log *slog.Logger) ginserver.Group {
	return ginserver.Group{Mount: func(e *gin.Engine) error {
		e.GET("/.well-known/jwks.json", gin.WrapF(operations.LazyKeySet(t.KeySet, log)))
		e.Any("/auth/verify", gin.WrapF(operations.VerifyCaller)) // proxies use the method of the original request
		return nil
	}}
}
