package web

import (
	"html/template"
	"net/http"

	"github.com/octavo-books/octavo/domain/user"
)

// EmbeddedPage is a page whose content comes from another adapter.
type EmbeddedPage struct {
	Status int
	Lang   user.Lang
	Title  string
	Main   template.HTML
}

// RenderEmbedded renders the page in the layout of this package.
func (p *Pages) RenderEmbedded(w http.ResponseWriter, r *http.Request, page EmbeddedPage) {
	p.withViewer(func(w http.ResponseWriter, r *http.Request) {
		p.Render(w, r, page.Status, "embedded", PageData{page.Lang, page.Title, page})
	})(w, r)
}
