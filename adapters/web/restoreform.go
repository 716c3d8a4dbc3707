package web

import (
	"net/http"
	"net/url"
	"slices"
)

// Restored returns what Route.restores needs for a form: it on a page of its own. What was submitted beside its fields is hidden
// in it.
func Restored(head string, f Form) func(url.Values) FormView {
	return func(typed url.Values) FormView {
		f := f
		f.Hidden = nil
		for _, name := range slices.Sorted(keysOf(typed)) {
			if slices.ContainsFunc(f.Fields, func(one Field) bool { return one.Name == name }) {
				continue
			}
			for _, value := range typed[name] {
				f.Hidden = append(f.Hidden, Hidden{name, value})
			}
		}
		return FormView{Head: head, Form: f}
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

// RestoreForm renders the form of a request that has failed, with what was typed and what is
// wrong; false if nothing was typed.
func (p *Pages) RestoreForm(w http.ResponseWriter, r *http.Request, err error) bool {
	view, typed := p.forms[r.URL.Path]
	if r.Method != http.MethodPost || !typed || r.PostForm == nil {
		return false
	}
	v := view(r.PostForm)
	v.Form.Action = r.URL.Path
	if back := r.PostForm.Get("back"); back != "" {
		v.Links = append(v.Links, Option{Value: LocalPath(back), Label: "Go back"})
	}
	p.RenderFormError(w, r, v, err)
	return true
}

// redirectToSignIn redirects to the sign-in page, which leads back here. A restorable
// form is rendered again instead, so that its values are not lost: the person signs
// in in another window and submits it again.
func (p *Pages) redirectToSignIn(w http.ResponseWriter, r *http.Request) {
	view, typed := p.forms[r.URL.Path]
	if r.Method != http.MethodPost || !typed {
		http.Redirect(w, r, "/login?"+url.Values{"next": {ReturnPath(r)}}.Encode(), http.StatusSeeOther)
		return
	}
	if !p.ReadForm(w, r) {
		return
	}
	lang, v := LangOf(r), view(r.PostForm)
	v.SignedOut, v.Form = true, v.Form.WithValues(r.PostForm)
	v.Form.Action = r.URL.Path
	p.Render(w, r, http.StatusUnauthorized, "form", PageData{lang, Translate(lang, v.Head), v})
}
