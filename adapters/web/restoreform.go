package web

import (
	"net/http"
	"net/url"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
)

// restorableForms are the forms that take a while to fill in, by path. If the session
// has ended meanwhile, the form is rendered again with the submitted values.
var restorableForms = map[string]func(typed url.Values) formView{
	"/sell":         listingFormFor,
	"/sell/preview": listingFormFor,
	"/wanted": func(url.Values) formView {
		v := formView{Head: "Requests", Form: requestForm}
		v.Form.Hidden = newFormKey()
		return v
	},
	conversationPath: func(typed url.Values) formView {
		return formView{Head: "Messages", Form: form{
			Action: conversationPath, Button: "Send", Hidden: []hidden{{"id", typed.Get("id")}, {"book", typed.Get("book")}},
			Fields: []field{{Name: "text", Label: "Your message", Type: "lines", Max: conversation.MaxText}},
		}}
	},
	"/account": func(typed url.Values) formView {
		return formView{Head: "Profile", Form: emptyProfileForm(!typed.Has("university"))}
	},
}

// listingFormFor returns the form for a new book or, with an id, for editing one.
func listingFormFor(typed url.Values) formView {
	if id := typed.Get("id"); id != "" {
		return editForm(idOf[book.ID](id))
	}
	return listingForm()
}

// redirectToSignIn redirects to the sign-in page, which leads back here. A restorable
// form is rendered again instead, so that its values are not lost: the person signs
// in in another window and submits it again.
func (p *Pages) redirectToSignIn(w http.ResponseWriter, r *http.Request) {
	view, typed := restorableForms[r.URL.Path]
	if r.Method != http.MethodPost || !typed {
		http.Redirect(w, r, "/login?"+url.Values{"next": {returnPath(r)}}.Encode(), http.StatusSeeOther)
		return
	}
	if !p.readForm(w, r) {
		return
	}
	lang, v := langOf(r), view(r.PostForm)
	v.SignedOut, v.Form = true, v.Form.withValues(r.PostForm)
	p.render(w, r, http.StatusUnauthorized, "form", pageData{lang, translate(lang, v.Head), v})
}
