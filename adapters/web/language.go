package web

import (
	"net/http"
	"slices"

	"github.com/octavo-books/octavo/domain/user"
)

// LanguagePages lets readers choose a language.
func (p *Pages) LanguagePages() Feature {
	return Feature{Routes: []*Route{Post("/language", p.ForAnybody(p.changeLanguage))}}
}

// languageName is a language and its name for itself.
type languageName struct {
	Code user.Lang
	Name string
}

var languageNames = []languageName{{user.EN, "English"}, {user.FR, "Français"}}

// changeLanguage serves POST /language: pages are in this language from now on.
func (p *Pages) changeLanguage(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	if lang := user.Lang(r.PostForm.Get("lang")); slices.Contains(languages, lang) {
		p.Cookies.SetLang(w, string(lang))
	}
	return p.Redirect(w, r, r.PostForm.Get("back"), "")
}

// pageToReturnTo returns the path and query of a page, or the home page if it is the answer
// to a form.
func pageToReturnTo(r *http.Request) string {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return "/"
	}
	return r.URL.RequestURI()
}
