package rest

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/user"
)

//go:embed templates
var files embed.FS

// Page is an HTML page without its layout.
type Page struct {
	Status int
	Lang   user.Lang
	Title  string
	Main   template.HTML
}

// Layout renders a page with the head, header and style sheet of all pages.
type Layout func(http.ResponseWriter, *http.Request, Page)

// pages holds the templates and static files. The files of /api/docs are large, so
// they are loaded on first use.
type pages struct {
	confirm  *template.Template
	docs     func() (map[string]httpx.StaticFile, error)
	document httpx.StaticFile
}

func newPages() (*pages, error) {
	confirm, err := template.ParseFS(files, "templates/confirm.html.tmpl")
	if err != nil {
		return nil, fmt.Errorf("rest: %w", err)
	}
	return &pages{
		confirm:  confirm,
		docs:     sync.OnceValues(loadDocs),
		document: httpx.NewStaticFile("openapi.yaml", documentText),
	}, nil
}

// renderPage renders a dynamic page.
func (h *Handler) renderPage(c *gin.Context, status int, t *template.Template, view confirmView) {
	var buf bytes.Buffer
	if err := t.Execute(&buf, view); err != nil {
		h.abortWithError(c, err)
		return
	}
	c.Header("X-Robots-Tag", "noindex")
	h.Layout(c.Writer, c.Request, Page{status, view.Lang, view.Title, template.HTML(buf.String())}) //nolint:gosec // from our own html/template
}
