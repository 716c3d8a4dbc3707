package web

import (
	"errors"
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// formView is a page that is one form.
type formView struct {
	Head, Text string
	First      *form // what may be done before; nil: nothing
	Form       form
	Links      []option // where else to go, by address
	SignedOut  bool     // the form was sent by nobody and waits for somebody to sign in
}

// ask shows a form.
func (p *Pages) ask(w http.ResponseWriter, r *http.Request, v formView) {
	lang := langOf(r)
	p.show(w, r, http.StatusOK, "form", frame{lang, say(lang, v.Head), v})
}

// again shows a form with what was typed and what is wrong with it, unless no
// other input could help.
func (p *Pages) again(w http.ResponseWriter, r *http.Request, v formView, err error) error {
	if kind := fault.KindOf(err); kind == fault.NotFound || kind == fault.Forbidden || errors.Is(err, user.ErrUnauthenticated) {
		return err
	}
	p.showAgain(w, r, v, err)
	return nil
}

func (p *Pages) showAgain(w http.ResponseWriter, r *http.Request, v formView, err error) {
	lang := langOf(r)
	p.log(r, "form "+r.URL.Path, err)
	httpx.SetRetryAfter(w.Header(), err)
	v.Form = v.Form.filled(r.PostForm).blamed(lang, err)
	p.show(w, r, httpx.Status(err), "form", frame{lang, say(lang, v.Head), v})
}

// maxForm bounds a form: remarks of 2,000 characters, percent-encoded.
const maxForm = 64 << 10

// readForm reads a form of our own pages into r.PostForm. When it cannot, it
// says so on a page and returns false.
func (p *Pages) readForm(w http.ResponseWriter, r *http.Request) bool {
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		p.refuse(w, r, http.StatusForbidden, "This request came from another site", "Nothing was changed. Please use the form on this site.")
		return false
	}
	return p.parseForm(w, r)
}

// parseForm is readForm for what other sites may send too.
func (p *Pages) parseForm(w http.ResponseWriter, r *http.Request) bool {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		p.refuse(w, r, http.StatusBadRequest, "The form could not be read", "Please go back and try again.")
		return false
	}
	return true
}

// refuse says on a page why there is nothing else to see.
func (p *Pages) refuse(w http.ResponseWriter, r *http.Request, status int, head, text string) {
	lang := langOf(r)
	says := noticeView{Head: say(lang, head), Text: say(lang, text), Back: say(lang, "Back to the home page"), Alert: true}
	p.show(w, r, status, "notice", frame{lang, says.Head, says})
}
