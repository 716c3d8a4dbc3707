package web

import (
	"net/http"
	"net/url"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// typedForms are the forms that take a while to fill in, by where they are sent.
// Whose session has ended meanwhile is shown them again with all that was typed.
var typedForms = map[string]func(typed url.Values) formView{
	"/sell": func(typed url.Values) formView {
		if id := typed.Get("id"); id != "" {
			return revisionForm(idOf[book.ID](id))
		}
		return offerForm()
	},
	"/wanted": func(url.Values) formView {
		v := formView{Head: "Requests", Form: wantForm}
		v.Form.Hidden = oneTimeKey()
		return v
	},
	"/account": func(url.Values) formView { return formView{Head: "Profile", Form: profileForm(user.User{})} },
}

// signInFirst leads on to signing in, and from there back. A form that took a
// while is kept instead: its sender signs in elsewhere and sends it again.
func (p *Pages) signInFirst(w http.ResponseWriter, r *http.Request) {
	view, typed := typedForms[r.URL.Path]
	if r.Method != http.MethodPost || !typed {
		http.Redirect(w, r, "/login?"+url.Values{"next": {destination(r)}}.Encode(), http.StatusSeeOther)
		return
	}
	if !p.readForm(w, r) {
		return
	}
	lang, v := langOf(r), view(r.PostForm)
	v.SignedOut, v.Form = true, v.Form.filled(r.PostForm)
	p.show(w, r, http.StatusUnauthorized, "form", frame{lang, say(lang, v.Head), v})
}
