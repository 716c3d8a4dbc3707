// Package graph serves auth over GraphQL. schema/auth.graphqls is the contract and graphgen
// the code that gqlgen generates from it. convert.go converts to and from the domain, and
// errors.go maps errors to codes.
//
// A request is a POST of JSON with one operation. limits.go and cost.go limit what it may
// ask for before anything is executed.
package graph

//go:generate go tool -modfile=../../test/tools/generate.mod gqlgen generate
//go:generate go run ../../test/tools/tsclient ../../docs/clients/operations.graphql ../../docs/clients/typescript/src/operations.ts schema
//go:generate go tool -modfile=../../test/tools/generate.mod genqlient ../../docs/clients/go/genqlient.yaml

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/octavo-books/octavo/adapters/graph/graphgen"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/vektah/gqlparser/v2/ast"
)

// Config holds the settings of the endpoint.
type Config struct {
	// Development enables introspection, suggestions and a page to try queries.
	Development bool
	Cookies     httpx.CookieConfig
	// Observe is called for every operation, a field of Query or Mutation, with the code
	// of its error or "OK". May be nil.
	Observe func(ctx context.Context, operation, code string)
}

// NewHandler makes the handler of /graphql and /, of SchemaPath and, in development, of the
// files below ExplorerPath. It expects to be wrapped by an httpx.Middleware, which says who
// calls.
func NewHandler(services *authrooms.Auth, cfg Config, log *slog.Logger) (http.Handler, error) {
	sdl, err := schemaText()
	if err != nil {
		return nil, err
	}
	h := &handler{
		sdl:       httpx.NewStaticFile(SchemaPath, sdl),
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
		h.explorer = newExplorer()
	} else {
		h.exec.SetDisableSuggestion(true)
	}
	return h, nil
}

// The limits of the caches: the number of parsed documents and of persisted queries, and
// the length of each.
const (
	maxDocuments    = 500
	maxPersisted    = 500
	maxKeptDocument = 8 << 10
)
