package assembly

import (
	"log/slog"
	"net/http"

	"github.com/gin-gonic/gin"
	documentation "github.com/octavo-books/octavo"
	"github.com/octavo-books/octavo/adapters/markdown"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

const docsPath = "/docs"

// docsRoutes serves the documentation, in development only.
func docsRoutes(s config.Settings, parts config.Components) fx.Option {
	if s.Production() || !parts.Identity() {
		return fx.Options()
	}
	return asRoutes(newDocsRoutes)
}

func newDocsRoutes(pages *web.Pages, log *slog.Logger) (routeGroup, error) {
	library, err := markdown.New(documentation.Documents, documentation.Source)
	if err != nil {
		return routeGroup{}, err
	}
	h := gin.WrapH(markdown.Site{
		Library: library, Base: docsPath, Missing: http.HandlerFunc(pages.NotFound),
		Show: func(w http.ResponseWriter, r *http.Request, page markdown.Shown) {
			pages.RenderEmbedded(w, r, web.EmbeddedPage(page))
		},
		Failed: func(r *http.Request, err error) {
			log.ErrorContext(r.Context(), "show the documentation", "path", r.URL.Path, "error", err)
		},
	})
	return routeGroup{mount: func(e *gin.Engine) error {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			e.Handle(method, docsPath, h)
			e.Handle(method, docsPath+"/*page", h)
		}
		return nil
	}}, nil
}
