package web

import (
	"net/http"
	"strings"
)

// NotFound answers requests without a route: browsers with a page, other clients in
// plain text.
func (p *Pages) NotFound(w http.ResponseWriter, r *http.Request) {
	p.astray(w, r, http.StatusNotFound, "Page not found", "The address may be mistyped, or the link may be incomplete.")
}

// MethodNotAllowed answers requests to a route with a wrong method, in the same way.
func (p *Pages) MethodNotAllowed(w http.ResponseWriter, r *http.Request) {
	p.astray(w, r, http.StatusMethodNotAllowed, "This page cannot do that", "The page exists, but it does not accept this request. Nothing was changed.")
}

func (p *Pages) astray(w http.ResponseWriter, r *http.Request, status int, head, text string) {
	w.Header().Add("Vary", "Accept")
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Error(w, http.StatusText(status), status)
		return
	}
	p.withViewer(func(w http.ResponseWriter, r *http.Request) {
		lang := LangOf(r)
		view := MessageView{Head: Translate(lang, head), Text: Translate(lang, text), Back: Translate(lang, "Back to the home page")}
		p.Render(w, r, status, "message", PageData{lang, view.Head, view})
	})(w, r)
}
