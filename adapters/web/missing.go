package web

import (
	"net/http"
	"strings"

	"github.com/octavo-books/octavo/domain/user"
)

var missingSays = map[user.Lang]noticeView{
	user.EN: {Head: "There is nothing here", Text: "This address leads nowhere. It may be mistyped, or the link may be incomplete.", Back: "To the front page"},
	user.FR: {Head: "Il n’y a rien ici", Text: "Cette adresse ne mène nulle part. Elle est peut-être mal saisie, ou le lien est incomplet.", Back: "À la page d’accueil"},
}

// Missing answers where there is no page: people with one that says so, programs
// in plain text.
func (p *Pages) Missing(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Accept")
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Error(w, http.StatusText(http.StatusNotFound), http.StatusNotFound)
		return
	}
	lang := langOf(r)
	says := missingSays[lang]
	p.show(w, r, http.StatusNotFound, "notice", frame{lang, says.Head, says})
}
