package web

import (
	"html/template"
	"net/http"

	"github.com/octavo-books/octavo/domain/user"
)

// Foreign is a page that another edge has made the content of.
type Foreign struct {
	Status int
	Lang   user.Lang
	Title  string
	Main   template.HTML
}

// Show shows such a page in the frame of ours, to who looks at it.
func (p *Pages) Show(w http.ResponseWriter, r *http.Request, page Foreign) {
	p.entering(func(w http.ResponseWriter, r *http.Request) {
		p.show(w, r, page.Status, "foreign", frame{page.Lang, page.Title, page})
	})(w, r)
}
