package assembly

import (
	"crypto/ecdsa"
	"log/slog"
	"net/http"

	"github.com/gin-gonic/gin"
	documentation "github.com/octavo-books/octavo"
	"github.com/octavo-books/octavo/adapters/ginserver"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/markdown"
	"github.com/octavo-books/octavo/adapters/qrcode"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/adapters/web/webrooms"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/inbox/serving"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/application/work"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// pagesRoutes serves the pages, in every process that serves accounts.
func pagesRoutes(parts config.Components) fx.Option {
	return when(parts.Identity(), fx.Options(fx.Provide(newPages), asRoutes(newPagesRoutes)))
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
	External     *config.SignInClients
	Inbox        *serving.Service `optional:"true"` // nil where it is not served
}

func newPages(p pageDeps) (*web.Pages, error) {
	o, err := p.Settings.PageOptions(p.Parts)
	if err != nil {
		return nil, err
	}
	o.Log, o.Clock, o.DrawQRCode = p.Log, p.Clock, qrcode.Draw
	external, err := externalSignInPages(p.Auth, p.Key, p.External)
	if err != nil {
		return nil, err
	}
	a := p.Auth
	services := web.Services{
		Identity: &web.Identity{Gate: p.Gate, Auth: a}, Work: p.Work, ExternalSignIn: external, Approvals: a.SignIns,
		AcceptInvitation: a.Invitations.Accept, Unsubscriber: p.Unsubscriber,
	}
	if p.Parts.Market {
		services.Discovery, services.Market = p.Market.Discovery, &web.Market{Market: p.Market, Uploads: p.Uploads, Clock: p.Clock.Now}
	}
	if p.Inbox != nil {
		services.FindDelivery = p.Inbox.FindDelivery
	}
	if !p.Settings.Production() {
		services.Mailbox = p.Mailbox
	}
	return webrooms.New(services, o)
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

// docsRoutes serves the documentation, in development only.
func docsRoutes(s config.Settings, parts config.Components) fx.Option {
	return when(!s.Production() && parts.Identity(), asRoutes(newDocsRoutes))
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
		reading := []string{http.MethodGet, http.MethodHead}
		e.Match(reading, config.DocsPath, h)
		e.Match(reading, config.DocsPath+"/*page", h)
		return nil
	}}, nil
}
