package web

import (
	"net/http"
	"strings"
)

// NotFound answers requests without a route: browsers with a page, other clients in
// plain text.
func (p *Pages) NotFound(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Accept")
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Error(w, http.StatusText(http.StatusNotFound), http.StatusNotFound)
		return
	}
	p.withViewer(p.renderNotFound)(w, r)
}

func (p *Pages) renderNotFound(w http.ResponseWriter, r *http.Request) {
	lang := langOf(r)
	view := messageView{
		Head: translate(lang, "Page not found"), Back: translate(lang, "Back to the home page"),
		Text: translate(lang, "The address may be mistyped, or the link may be incomplete."),
	}
	p.render(w, r, http.StatusNotFound, "message", pageData{lang, view.Head, view})
}
