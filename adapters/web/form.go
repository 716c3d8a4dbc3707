package web

import (
	"errors"
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// FormView is a page that is one form.
type FormView struct {
	Head, Text string
	First      *Form // shown above the form; may be nil
	Form       Form
	Passkey    *Form          // signs in with a passkey; shown by a script, nil without one
	Providers  []ProviderLink // services to sign in with
	Links      []Option       // below the form; Value is the path
	SignedOut  bool           // the session ended before the form was submitted: sign in and submit again

	Application string // to which the form signs in, if neither the address nor the form says so
}

// RenderForm renders a form page.
func (p *Pages) RenderForm(w http.ResponseWriter, r *http.Request, v FormView) {
	lang := LangOf(r)
	p.Render(w, r, http.StatusOK, "form", PageData{lang, Translate(lang, v.Head), v})
}

// RetryForm renders the form again with the submitted values and the errors. It
// returns err instead if another page has to come first.
func (p *Pages) RetryForm(w http.ResponseWriter, r *http.Request, v FormView, err error) error {
	if !CanRetry(err) {
		return err
	}
	p.RenderFormError(w, r, v, err)
	return nil
}

// CanRetry reports whether a form is shown again with what was typed: always, unless another
// page has to come first.
func CanRetry(err error) bool {
	noProfile := errors.Is(err, user.ErrProfileNeeded) && fault.As(err).Fields == nil // else the form asks for what is missing
	return !errors.Is(err, user.ErrUnauthenticated) && !errors.Is(err, user.ErrProofNeeded) && !noProfile
}

// RenderFormError renders a form with what was typed, and what is wrong with it.
func (p *Pages) RenderFormError(w http.ResponseWriter, r *http.Request, v FormView, err error) {
	lang := LangOf(r)
	p.LogFailure(r, "form "+r.URL.Path, err)
	httpx.SetRetryAfter(w.Header(), err)
	v.Form = v.Form.WithValues(r.PostForm).WithReadings(p.FormatIn(lang)).WithErrors(lang, err)
	p.Render(w, r, httpx.Status(err), "form", PageData{lang, Translate(lang, v.Head), v})
}

// maxForm bounds the size of a form: comments of 2,000 characters, percent-encoded.
const maxForm = 64 << 10

// ReadForm parses a form of our own pages into r.PostForm. On failure it renders
// an error page and returns false.
func (p *Pages) ReadForm(w http.ResponseWriter, r *http.Request) bool {
	return p.fromOurSite(w, r) && p.ParseForm(w, r)
}

// fromOurSite is the cross-origin check of ReadForm.
func (p *Pages) fromOurSite(w http.ResponseWriter, r *http.Request) bool {
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		p.RenderError(w, r, http.StatusForbidden, "This request came from another site", "Nothing was changed. Please use the form on this site.")
		return false
	}
	return true
}

// ParseForm is ReadForm without the cross-origin check.
func (p *Pages) ParseForm(w http.ResponseWriter, r *http.Request) bool {
	return p.ParseFormUpTo(w, r, maxForm)
}

// ParseFormUpTo is ParseForm for forms of a size.
func (p *Pages) ParseFormUpTo(w http.ResponseWriter, r *http.Request, most int64) bool {
	err := error(&http.MaxBytesError{Limit: most})
	if !httpx.IsTooLong(r, most) {
		r.Body = http.MaxBytesReader(w, r.Body, most)
		err = r.ParseForm()
	}
	if err != nil {
		status := http.StatusBadRequest
		if httpx.Status(err) == http.StatusRequestEntityTooLarge {
			status = http.StatusRequestEntityTooLarge
		}
		p.RenderError(w, r, status, "The form could not be read", "Please go back and try again.")
		return false
	}
	return true
}

// RenderError renders an error page with a heading and a text.
func (p *Pages) RenderError(w http.ResponseWriter, r *http.Request, status int, head, text string) {
	lang := LangOf(r)
	view := MessageView{Head: Translate(lang, head), Text: Translate(lang, text), Back: Translate(lang, "Back to the home page"), Alert: true}
	p.Render(w, r, status, "message", PageData{lang, view.Head, view})
}
