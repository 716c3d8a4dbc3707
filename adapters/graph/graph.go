// Package graph serves the identity core over GraphQL: schema/auth.graphqls is
// the contract, graphgen what gqlgen makes of it, convert.go the crossing to the
// domain and errors.go the one place where failures become codes.
//
// Requests are JSON by POST, one operation each. What they may ask for is
// bounded before anything is executed; see limits.go and cost.go.
package graph

//go:generate go tool -modfile=../../test/tools/generate.mod gqlgen generate

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/octavo-books/octavo/adapters/graph/graphgen"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth"
)

// Config are the settings of the edge.
type Config struct {
	// Development serves introspection, suggestions and a page to try queries on.
	Development bool
	Cookies     httpx.CookieConfig
	// Observe is told of every operation, a field of Query or Mutation, and the
	// code that it ended with, "OK" if with none. May be nil.
	Observe func(ctx context.Context, operation, code string)
}

// NewHandler makes the handler of /graphql and /. It expects to be wrapped by an
// httpx.Middleware, which says who calls.
func NewHandler(services *auth.Services, cfg Config, log *slog.Logger) http.Handler {
	h := &handler{
		log:       log,
		limits:    productionLimits,
		documents: newCache[*ast.QueryDocument](maxDocuments),
		persisted: newCache[string](maxPersisted),
		cookies:   httpx.NewCookies(cfg.Cookies),
		observe:   cfg.Observe,
	}
	if h.observe == nil {
		h.observe = func(context.Context, string, string) {}
	}
	h.schema = graphgen.NewExecutableSchema(graphgen.Config{Resolvers: &Resolver{auth: services}, Complexity: costs()})
	h.exec = executor.New(h.schema)
	h.exec.SetQueryCache(h.documents)
	h.exec.SetErrorPresenter(present)
	h.exec.SetRecoverFunc(h.recovered)
	h.exec.AroundFields(h.resolve)
	if cfg.Development {
		h.limits = developmentLimits
		h.page = page()
	} else {
		h.exec.SetDisableSuggestion(true)
	}
	return h
}

// Bounds of what is kept in memory: how many parsed documents, how many that
// clients have persisted, and how long each may be.
const (
	maxDocuments    = 500
	maxPersisted    = 500
	maxKeptDocument = 8 << 10
)
