package assembly

import (
	"context"
	"log/slog"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/graph"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/operations"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/fault"
	"go.uber.org/fx"
)

// graphRoutes serves the auth service over GraphQL.
func graphRoutes(parts config.Components) fx.Option {
	options := []fx.Option{}
	if parts.Identity() {
		options = append(options, fx.Invoke(watchHashing, func(m *metrics.Metrics, db *gormstore.DB) error { return watchPool(m, "main", db) }))
		options = append(options, fx.Invoke(requireIDTokenKey), asRoutes(keysRoutes), asRoutes(newOpenIDRoutes), check(func(db *gormstore.DB) operations.Check {
			return operations.Check{Name: "database", Required: true, Probe: func(ctx context.Context) error {
				return db.Ready(ctx, outboxstore.Migrations) // every component's database has these
			}}
		}))
	}
	if parts.Auth {
		options = append(options, asRoutes(newGraphRoutes))
	}
	return fx.Options(options...)
}

var errNothingHere = fault.New(fault.NotFound, "not_found", "There is nothing at this address.")

func newGraphRoutes(a *authrooms.Auth, s *config.Settings, m *metrics.Metrics, t *telemetry.Tracing, log *slog.Logger) (routeGroup, error) {
	service, err := graph.NewHandler(a, graph.Config{
		Development: !s.Production(), Cookies: cookies(s), Observe: newOperationObserver(m, t),
	}, log)
	if err != nil {
		return routeGroup{}, err
	}
	h := gin.WrapH(service)
	missing := func(c *gin.Context) { graph.Refuse(c.Writer, c.Request, errNothingHere) }
	return routeGroup{below: "/graphql", noRoute: missing, refuse: graph.Refuse, mount: func(e *gin.Engine) error {
		e.Any("/graphql", h)
		e.POST("/", h)
		e.GET(graph.SchemaPath, h)
		if !s.Production() {
			e.GET(graph.ExplorerPath+":file", h)
		}
		return nil
	}}, nil
}
