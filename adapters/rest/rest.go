// Package rest serves the JSON API of the marketplace: all routes under /api, as
// openapi.yaml describes them. It validates requests against that document before
// they reach a use case. Package restgen is generated from the same document.
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
	"github.com/octavo-books/octavo/adapters/rest/confirmpage"
	"github.com/octavo-books/octavo/adapters/rest/formats"
	"github.com/octavo-books/octavo/adapters/rest/openapi"
	"github.com/octavo-books/octavo/adapters/rest/openstreams"
	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/domain/campus"
	"github.com/octavo-books/octavo/domain/money"
)

//go:generate go tool -modfile=../../test/tools/generate.mod oapi-codegen -config oapi-codegen.yaml openapi.yaml

//go:embed openapi.yaml
var documentText []byte

// Services holds the use cases behind the routes and the layout of pages. All are
// required.
type Services struct {
	*authrooms.Auth
	*rooms.Market
	Uploads *httpx.Uploads
	Ended   openstreams.EndedSessions // for the streams
	Layout  confirmpage.Layout
}

// Config holds the settings of a Handler.
type Config struct {
	Heartbeat  time.Duration // between heartbeats of a stream
	MaxStreams int           // open streams per person, in this process
	Cookies    httpx.CookieConfig
	Currency   money.Currency
	Campus     campus.Domains // of the addresses of students
	Keys       httpx.SurrogateKeys
}

// The defaults of Config.
const (
	DefaultHeartbeat  = 15 * time.Second
	DefaultMaxStreams = 8
)

// Default returns the default Config.
func Default() Config {
	return Config{Heartbeat: DefaultHeartbeat, MaxStreams: DefaultMaxStreams}
}

// Validate returns an error for the first invalid setting.
func (c Config) Validate() error {
	switch {
	case c.Heartbeat <= 0:
		return errors.New("the heartbeat of streams must be positive")
	case c.MaxStreams < 1:
		return errors.New("the limit of streams per person must be at least 1")
	}
	return nil
}

// Handler serves the routes. It needs a router made by ginserver behind an
// httpx.Middleware.
type Handler struct {
	Services

	document    *openapi.Document
	operations  map[string]*openapi.Operation // by method and pattern
	raw         map[string]gin.HandlerFunc    // by the IDs of operations
	rules       rules
	documents   documents
	confirmPage *confirmpage.Pages
	streams     *openstreams.Streams
	cookies     httpx.Cookies
	cfg         Config
	clock       market.Clock
	log         *slog.Logger
}

// document returns the document for a market in this currency.
func document(c money.Currency) (*openapi.Document, error) {
	if c == (money.Currency{}) {
		return documentInDollars()
	}
	return openapi.Load(documentText, formats.In(c))
}

// documentInDollars is parsed once per process, because parsing is slow.
var documentInDollars = sync.OnceValues(func() (*openapi.Document, error) {
	return openapi.Load(documentText, formats.In(money.Currency{}))
})

// New loads the document and the pages, and returns a Handler.
func New(s Services, cfg Config, clock market.Clock, log *slog.Logger) (*Handler, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	d, err := document(cfg.Currency)
	if err != nil {
		return nil, err
	}
	h := &Handler{
		Services: s, document: d, operations: map[string]*openapi.Operation{},
		documents: newDocuments(), streams: openstreams.New(cfg.MaxStreams, s.Ended),
		cookies: httpx.NewCookies(cfg.Cookies), cfg: cfg, clock: clock, log: log,
	}
	if err := h.addConfirmPage(); err != nil {
		return nil, err
	}
	for _, op := range d.Operations {
		h.operations[op.Method+" "+op.Pattern] = op
	}
	return h, h.addFeatures()
}

func (h *Handler) addConfirmPage() (err error) {
	d := confirmpage.Deps{Cookies: h.cookies, Layout: h.Layout, LogServerError: h.logServerError}
	if h.Auth != nil { // else only requests are validated
		d.Accounts, d.Sessions = h.Accounts, h.Sessions
	}
	h.confirmPage, err = confirmpage.New(d)
	return err
}

// Register adds every route of the document, and its alias, to r.
func (h *Handler) Register(r gin.IRouter) error {
	routes := &routes{IRouter: r, handler: h}
	restgen.RegisterHandlersWithOptions(routes, restgen.NewStrictHandlerWithOptions(h, nil, restgen.StrictGinServerOptions{
		RequestErrorHandlerFunc:  h.abortWithError,
		HandlerErrorFunc:         h.abortWithError,
		ResponseErrorHandlerFunc: h.abortWithError,
	}), restgen.GinServerOptions{ErrorHandler: func(c *gin.Context, err error, _ int) { h.abortWithError(c, err) }})
	for _, op := range h.document.Operations {
		if handle := h.raw[op.ID]; handle != nil {
			routes.add(op.Method, op.Pattern, []gin.HandlerFunc{handle})
		}
	}
	if routes.added != len(h.operations) || routes.err != nil {
		return fmt.Errorf("rest: %d of %d routes are served: %w", routes.added, len(h.operations), routes.err)
	}
	return nil
}
