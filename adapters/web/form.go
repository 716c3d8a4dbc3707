package web

import (
	"errors"
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/user"
)

// formView is a page that is one form.
type formView struct {
	Head, Text string
	First      *form // shown above the form; may be nil
	Form       form
	Passkey    *form          // signs in with a passkey; shown by a script, nil without one
	Providers  []providerLink // services to sign in with
	Links      []option       // below the form; Value is the path
	SignedOut  bool           // the session ended before the form was submitted: sign in and submit again

	application string // to which the form signs in, if neither the address nor the form says so
}

// renderForm renders a form page.
func (p *Pages) renderForm(w http.ResponseWriter, r *http.Request, v formView) {
	lang := langOf(r)
	p.render(w, r, http.StatusOK, "form", pageData{lang, translate(lang, v.Head), v})
}

// retryForm renders the form again with the submitted values and the errors. It
// returns err instead if another page has to come first.
func (p *Pages) retryForm(w http.ResponseWriter, r *http.Request, v formView, err error) error {
	if !canRetry(err) {
		return err
	}
	p.renderFormError(w, r, v, err)
	return nil
}

// canRetry reports whether a form is shown again with what was typed: always, unless another
// page has to come first.
func canRetry(err error) bool {
	return !errors.Is(err, user.ErrUnauthenticated) && !errors.Is(err, user.ErrProofNeeded) && !errors.Is(err, user.ErrProfileNeeded)
}

func (p *Pages) renderFormError(w http.ResponseWriter, r *http.Request, v formView, err error) {
	lang := langOf(r)
	p.log(r, "form "+r.URL.Path, err)
	httpx.SetRetryAfter(w.Header(), err)
	v.Form = v.Form.withValues(r.PostForm).withErrors(lang, err)
	p.render(w, r, httpx.Status(err), "form", pageData{lang, translate(lang, v.Head), v})
}

// maxForm bounds the size of a form: comments of 2,000 characters, percent-encoded.
const maxForm = 64 << 10

// readForm parses a form of our own pages into r.PostForm. On failure it renders
// an error page and returns false.
func (p *Pages) readForm(w http.ResponseWriter, r *http.Request) bool {
	return p.fromOurSite(w, r) && p.parseForm(w, r)
}

// fromOurSite is the cross-origin check of readForm.
func (p *Pages) fromOurSite(w http.ResponseWriter, r *http.Request) bool {
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		p.renderError(w, r, http.StatusForbidden, "This request came from another site", "Nothing was changed. Please use the form on this site.")
		return false
	}
	return true
}

// parseForm is readForm without the cross-origin check.
func (p *Pages) parseForm(w http.ResponseWriter, r *http.Request) bool {
	return p.parseFormUpTo(w, r, maxForm)
}

// parseFormUpTo is parseForm for forms of a size.
func (p *Pages) parseFormUpTo(w http.ResponseWriter, r *http.Request, most int64) bool {
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
		p.renderError(w, r, status, "The form could not be read", "Please go back and try again.")
		return false
	}
	return true
}

// renderError renders an error page with a heading and a text.
func (p *Pages) renderError(w http.ResponseWriter, r *http.Request, status int, head, text string) {
	lang := langOf(r)
	view := messageView{Head: translate(lang, head), Text: translate(lang, text), Back: translate(lang, "Back to the home page"), Alert: true}
	p.render(w, r, status, "message", pageData{lang, view.Head, view})
}
