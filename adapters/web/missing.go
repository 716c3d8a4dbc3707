package web

import (
	"net/http"
	"strings"
)

// Missing answers where there is no page: people with one that says so, programs
// in plain text.
func (p *Pages) Missing(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Accept")
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Error(w, http.StatusText(http.StatusNotFound), http.StatusNotFound)
		return
	}
	p.entering(p.showMissing)(w, r)
}

func (p *Pages) showMissing(w http.ResponseWriter, r *http.Request) {
	lang := langOf(r)
	says := noticeView{
		Head: say(lang, "Page not found"), Back: say(lang, "Back to the home page"),
		Text: say(lang, "The address may be mistyped, or the link may be incomplete."),
	}
	p.show(w, r, http.StatusNotFound, "notice", frame{lang, says.Head, says})
}
