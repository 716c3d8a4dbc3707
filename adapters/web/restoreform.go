package web

import (
	"net/http"
	"net/url"
	"slices"
)

// restored returns what Route.restores needs for a form: it on a page of its own. What was submitted beside its fields is hidden
// in it.
func restored(head string, f form) func(url.Values) formView {
	return func(typed url.Values) formView {
		f := f
		f.Hidden = nil
		for _, name := range slices.Sorted(keysOf(typed)) {
			if slices.ContainsFunc(f.Fields, func(one field) bool { return one.Name == name }) {
				continue
			}
			for _, value := range typed[name] {
				f.Hidden = append(f.Hidden, hidden{name, value})
			}
		}
		return formView{Head: head, Form: f}
	}
}

func keysOf(values url.Values) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for name := range values {
			if !yield(name) {
				return
			}
		}
	}
}

// restoreForm renders the form of a request that has failed, with what was typed and what is
// wrong; false if nothing was typed.
func (p *Pages) restoreForm(w http.ResponseWriter, r *http.Request, err error) bool {
	view, typed := p.forms[r.URL.Path]
	if r.Method != http.MethodPost || !typed || r.PostForm == nil {
		return false
	}
	v := view(r.PostForm)
	v.Form.Action = r.URL.Path
	if back := r.PostForm.Get("back"); back != "" {
		v.Links = append(v.Links, option{Value: localPath(back), Label: "Go back"})
	}
	p.renderFormError(w, r, v, err)
	return true
}

// redirectToSignIn redirects to the sign-in page, which leads back here. A restorable
// form is rendered again instead, so that its values are not lost: the person signs
// in in another window and submits it again.
func (p *Pages) redirectToSignIn(w http.ResponseWriter, r *http.Request) {
	view, typed := p.forms[r.URL.Path]
	if r.Method != http.MethodPost || !typed {
		http.Redirect(w, r, "/login?"+url.Values{"next": {returnPath(r)}}.Encode(), http.StatusSeeOther)
		return
	}
	if !p.readForm(w, r) {
		return
	}
	lang, v := langOf(r), view(r.PostForm)
	v.SignedOut, v.Form = true, v.Form.withValues(r.PostForm)
	v.Form.Action = r.URL.Path
	p.render(w, r, http.StatusUnauthorized, "form", pageData{lang, translate(lang, v.Head), v})
}
