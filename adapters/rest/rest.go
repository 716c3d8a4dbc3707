// Package rest is the JSON edge of the marketplace: everything under /api, as
// openapi.yaml says it. Requests are checked against that document before any
// use case sees them; restgen is generated from it.
package rest

import (
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/rest/openapi"
	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
)

//go:generate go tool -modfile=../../test/tools/generate.mod oapi-codegen -config oapi-codegen.yaml openapi.yaml

//go:embed openapi.yaml
var documentText []byte

// Streams are the paths whose answers may take longer than other requests may;
// they bound each write themselves.
var Streams = []string{"/api/user/notifications/stream", "/api/dashboard/exportTransactions"}

// Services are the use cases behind the routes, and the frame of the pages; all are
// needed.
type Services struct {
	Accounts       *auth.Accounts
	Sessions       *auth.Sessions
	Passwords      *auth.Passwords
	People         *auth.Users
	Listings       *market.Listings
	Catalogue      *market.Catalogue
	Requests       *market.Requests
	Carts          *market.Carts
	Checkout       *market.Checkout
	Orders         *market.Orders
	Notifications  *market.Notifications
	Statistics     *market.Statistics
	ExpireListings *market.ExpireListings
	Frame          Frame
}

// Clock tells the time that answers bear.
type Clock interface{ Now() time.Time }

// Config are the settings of the edge.
type Config struct {
	Heartbeat time.Duration // between two signs of life on a stream; DefaultHeartbeat
	Look      time.Duration // how often a stream looks for news of other replicas; DefaultLook
	Streams   int           // how many streams one person may have open; DefaultStreams
	Cookies   httpx.CookieConfig
}

// Defaults.
const (
	DefaultHeartbeat = 15 * time.Second
	DefaultLook      = 2 * time.Second
	DefaultStreams   = 8
)

// Default is the configuration of production.
func Default() Config {
	return Config{Heartbeat: DefaultHeartbeat, Look: DefaultLook, Streams: DefaultStreams}
}

// Validate names the first setting that cannot work.
func (c Config) Validate() error {
	switch {
	case c.Heartbeat <= 0:
		return errors.New("the heartbeat of streams must be above zero")
	case c.Look <= 0:
		return errors.New("streams must look for news now and then")
	case c.Streams < 1:
		return errors.New("a person must be allowed at least one stream")
	}
	return nil
}

// Edge serves the routes. It wants a router made by ginserver, behind an
// httpx.Middleware.
type Edge struct {
	Services

	document   *openapi.Document
	operations map[string]*openapi.Operation // by method and pattern
	pages      *pages
	streams    *streams
	cookies    httpx.Cookies
	cfg        Config
	clock      Clock
	log        *slog.Logger
}

// document is read once: it takes longer than all else that New does.
var document = sync.OnceValues(func() (*openapi.Document, error) { return openapi.Load(documentText, formats) })

// New reads the document and the pages.
func New(s Services, cfg Config, clock Clock, log *slog.Logger) (*Edge, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	d, err := document()
	if err != nil {
		return nil, err
	}
	pages, err := newPages()
	if err != nil {
		return nil, err
	}
	e := &Edge{
		Services: s, document: d, operations: map[string]*openapi.Operation{},
		pages: pages, streams: newStreams(cfg.Streams),
		cookies: httpx.NewCookies(cfg.Cookies), cfg: cfg, clock: clock, log: log,
	}
	for _, op := range d.Operations {
		e.operations[op.Method+" "+op.Pattern] = op
	}
	return e, nil
}

// Register adds every route of the document, and its alias, to r.
func (e *Edge) Register(r gin.IRouter) error {
	routes := &routes{IRouter: r, edge: e}
	restgen.RegisterHandlersWithOptions(routes, restgen.NewStrictHandlerWithOptions(e, nil, restgen.StrictGinServerOptions{
		RequestErrorHandlerFunc:  e.refuse,
		HandlerErrorFunc:         e.refuse,
		ResponseErrorHandlerFunc: e.refuse,
	}), restgen.GinServerOptions{ErrorHandler: func(c *gin.Context, err error, _ int) { e.refuse(c, err) }})
	routes.GET("/api/auth/confirm/:token", e.openConfirmLink)
	routes.POST("/api/auth/confirm/:token", e.confirm)
	routes.GET("/api/user/notifications/stream", e.streamNotifications)
	routes.GET("/api/dashboard/exportTransactions", e.exportTransactions)
	routes.GET("/api/openapi.yaml", e.getDocument)
	routes.GET("/api/docs", e.getDocs)
	routes.GET("/api/docs/:file", e.getDocsFile)
	if routes.added != len(e.operations) || routes.err != nil {
		return fmt.Errorf("rest: %d of %d routes are served: %w", routes.added, len(e.operations), routes.err)
	}
	return nil
}
