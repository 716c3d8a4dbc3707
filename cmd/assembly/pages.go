package assembly

import (
	"crypto/ecdsa"
	"log/slog"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	documentation "github.com/octavo-books/octavo"
	"github.com/octavo-books/octavo/adapters/ginserver"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/inspector"
	"github.com/octavo-books/octavo/adapters/markdown"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/application/work"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// pagesRoutes serves the pages, in every process that serves accounts.
func pagesRoutes(parts config.Components) fx.Option {
	if !parts.Identity() {
		return fx.Options()
	}
	return fx.Options(fx.Provide(newPages), asRoutes(newPagesRoutes))
}

// pageDeps are the dependencies of the pages.
type pageDeps struct {
	fx.In
	Market       *rooms.Market  `optional:"true"` // nil where it is not served
	Uploads      *httpx.Uploads `optional:"true"`
	Parts        config.Components
	Settings     *config.Settings
	Log          *slog.Logger
	Clock        system.Clock
	Auth         *authrooms.Auth
	Work         *work.Board
	Gate         httpx.Authenticator
	Unsubscriber *mailer.Unsubscriber
	Mailbox      *outboxstore.Mailbox
	Key          *ecdsa.PrivateKey
}

func newPages(p pageDeps) (*web.Pages, error) {
	a := p.Auth
	domains, err := p.Settings.Campus()
	if err != nil {
		return nil, err
	}
	external, err := externalSignInPages(a, p.Key)
	if err != nil {
		return nil, err
	}
	services := web.Services{Identity: &web.Identity{Gate: p.Gate, Auth: a}, Work: p.Work, ExternalSignIn: external, Invitations: a.Invitations, Approvals: a.SignIns, Unsubscriber: p.Unsubscriber, Deletions: a.Deletions, EmailChanges: a.EmailChanges}
	texts, err := p.Settings.Texts(p.Parts.Market)
	if err != nil {
		return nil, err
	}
	if p.Parts.Market {
		services.Discovery, services.Market = p.Market.Discovery, &web.Market{Market: p.Market, Uploads: p.Uploads, Clock: p.Clock}
	}
	if !p.Settings.Production() {
		services.Mailbox = p.Mailbox
	}
	return web.New(services, web.Options{
		Cookies: httpx.NewCookies(p.Settings.Cookies()), Log: p.Log, Links: linksFor(p.Settings, p.Parts), Clock: p.Clock,
		Service: p.Settings.Server.ServiceName, Accent: p.Settings.Server.AccentColor, BaseURL: strings.TrimSuffix(p.Settings.Server.BaseURL, "/"), Support: p.Settings.Mail.SupportMail, Texts: texts, Campus: domains, Currency: p.Settings.MarketCurrency(), Zone: p.Settings.Zone(),
		Origins: append([]string{p.Settings.Server.BaseURL}, p.Settings.Server.AllowedOrigins...),
		Keys:    p.Settings.SurrogateKeys(),
	})
}

func newPagesRoutes(s *config.Settings, pages *web.Pages) ginserver.Group {
	return ginserver.Group{Below: "/", NoRoute: gin.WrapF(pages.NotFound), NoMethod: gin.WrapF(pages.MethodNotAllowed), Mount: func(e *gin.Engine) error {
		for _, r := range pages.Routes() {
			e.Handle(r.Method, r.Path, gin.WrapH(guarded(s, r)))
		}
		return nil
	}}
}

// guarded keeps other sites and proxies away from the pages of development, which
// show codes and links to anybody.
func guarded(s *config.Settings, r web.Route) http.Handler {
	if ginserver.Within(r.Path, "/dev") {
		return s.Direct().Require(r.Handler)
	}
	return r.Handler
}

// linksFor returns the links of the home page to other interfaces.
func linksFor(s *config.Settings, parts config.Components) []web.Link {
	var links []web.Link
	if parts.Market {
		links = append(links, web.Link{Path: "/api/docs", Name: "JSON API", About: "all operations of the marketplace"})
	}
	if parts.Auth && !s.Production() {
		links = append(links, web.Link{Path: "/graphql", Name: "Auth service", About: "try its GraphQL queries in the browser"})
	}
	if parts.Webhooks && parts.Market && !s.Production() {
		links = append(links, web.Link{Path: inspector.Base, Name: "Webhooks", About: "deliveries and their outcomes, for admins"})
	}
	if !s.Production() {
		links = append(links, web.Link{Path: config.DocsPath, Name: "Documentation", About: "guides and recipes for this version"})
	}
	if s.DevMailbox() {
		links = append(links, web.Link{Path: "/dev/mail", Name: "Mailbox", About: "all emails sent in development"})
	}
	return links
}

// docsRoutes serves the documentation, in development only.
func docsRoutes(s config.Settings, parts config.Components) fx.Option {
	if s.Production() || !parts.Identity() {
		return fx.Options()
	}
	return asRoutes(newDocsRoutes)
}

func newDocsRoutes(pages *web.Pages, log *slog.Logger) (ginserver.Group, error) {
	library, err := markdown.New(documentation.Documents, documentation.Source)
	if err != nil {
		return ginserver.Group{}, err
	}
	h := gin.WrapH(markdown.Site{
		Library: library, Base: config.DocsPath, Missing: http.HandlerFunc(pages.NotFound),
		Show: func(w http.ResponseWriter, r *http.Request, page markdown.Shown) {
			pages.RenderEmbedded(w, r, web.EmbeddedPage(page))
		},
		Failed: func(r *http.Request, err error) {
			log.ErrorContext(r.Context(), "show the documentation", "path", r.URL.Path, "error", err)
		},
	})
	return ginserver.Group{Mount: func(e *gin.Engine) error {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			e.Handle(method, config.DocsPath, h)
			e.Handle(method, config.DocsPath+"/*page", h)
		}
		return nil
	}}, nil
}
