package assembly

import (
	"context"
	"log/slog"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/ginserver"
	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/graph"
	"github.com/octavo-books/octavo/adapters/hashing"
	"github.com/octavo-books/octavo/adapters/metrics"
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
		options = append(options, fx.Invoke(func(m *metrics.Metrics, h *hashing.Hasher, db *gormstore.DB) {
			m.WatchHashing(h.CountWaiting, h.CountRefused)
			watchPool(m, "main", db)
		}))
		options = append(options, fx.Invoke(requireIDTokenKey), asRoutes(keysRoutes), asRoutes(newOpenIDRoutes), require("database", func(db *gormstore.DB, ctx context.Context) error {
			return db.Ready(ctx, outboxstore.Migrations) // every component's database has these
		}))
	}
	if parts.Auth {
		options = append(options, asRoutes(newGraphRoutes))
	}
	return fx.Options(options...)
}

var errNothingHere = fault.New(fault.NotFound, "not_found", "There is nothing at this address.")

func newGraphRoutes(a *authrooms.Auth, s *config.Settings, m *metrics.Metrics, t *telemetry.Tracing, log *slog.Logger) (ginserver.Group, error) {
	service, err := graph.NewHandler(a, graph.Config{
		Development: !s.Production(), Cookies: s.Cookies(), Observe: newOperationObserver(m, t),
	}, log)
	if err != nil {
		return ginserver.Group{}, err
	}
	h := gin.WrapH(service)
	missing := func(c *gin.Context) { graph.Refuse(c.Writer, c.Request, errNothingHere) }
	return ginserver.Group{Below: "/graphql", NoRoute: missing, Refuse: graph.Refuse, Mount: func(e *gin.Engine) error {
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
