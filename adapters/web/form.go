package web

import (
	"net/http"

	"github.com/octavo-books/octavo/domain/user"
)

type formWords struct{ unreadable, foreign noticeView }

var formSays = map[user.Lang]formWords{
	user.EN: {
		unreadable: noticeView{Head: "That form cannot be read", Text: "Please open the link in your mail again.", Alert: true},
		foreign:    noticeView{Head: "That came from another site", Text: "Please open the link in your mail again and use the button there.", Alert: true},
	},
	user.FR: {
		unreadable: noticeView{Head: "Ce formulaire est illisible", Text: "Veuillez rouvrir le lien de votre courriel.", Alert: true},
		foreign:    noticeView{Head: "Cela venait d’un autre site", Text: "Veuillez rouvrir le lien de votre courriel et utiliser son bouton.", Alert: true},
	},
}

// readForm reads a form of our own pages into r.PostForm. When it cannot, it
// says so on a page and returns false.
func (p *Pages) readForm(w http.ResponseWriter, r *http.Request, lang user.Lang) bool {
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		says := formSays[lang].foreign
		p.show(w, r, http.StatusForbidden, "notice", frame{lang, says.Head, says})
		return false
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		says := formSays[lang].unreadable
		p.show(w, r, http.StatusBadRequest, "notice", frame{lang, says.Head, says})
		return false
	}
	return true
}
