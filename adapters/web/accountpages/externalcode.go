package accountpages

import (
	"errors"
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth/external"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/user"
)

// mailedCode is what the browser keeps while a person looks for the code in their mail.
type mailedCode struct {
	ID, Provider string
	Address      user.Email
	Next         string
}

// askForCode sends the browser to the page that asks for the code.
func (p *Pages) askForCode(w http.ResponseWriter, r *http.Request, provider identity.Provider, a external.CallbackResult) error {
	sealed, err := p.seal(mailedCode{a.Code, provider.Name, a.Address, a.Next})
	if err != nil {
		return err
	}
	kept := p.Cookies.MailedCodes()
	kept.Put(w, r, kept.Key(), sealed, ticketLifetime)
	p.land(w, r, codePath) // which shows the newest one
	return nil
}

// codeOf returns the sign-in for which the browser must send a code, and its provider. key is that
// of its cookie.
func (p *Pages) codeOf(r *http.Request, key string) (mailedCode, identity.Provider, bool) {
	var m mailedCode
	if p.open(p.Cookies.MailedCodes().Get(r, key), &m) != nil {
		return m, identity.Provider{}, false
	}
	for _, provider := range p.ExternalSignIn.Identities.Available() {
		if provider.Name == m.Provider {
			return m, provider, m.ID != ""
		}
	}
	return m, identity.Provider{}, false
}

func (p *Pages) codeForm(r *http.Request, m mailedCode, key string) web.FormView {
	lang := web.LangOf(r)
	return web.FormView{
		Head: "Enter the code", Text: web.Translate(lang, "If we can email %s, you will find a code in its inbox. It is valid for ten minutes.", m.Address),
		Form:  web.Form{Action: codePath, Button: "Sign in", Hidden: []web.Hidden{{Name: "in", Value: key}, {Name: "next", Value: m.Next}}, Fields: []web.Field{{Name: "code", Label: "Code", Autocomplete: "one-time-code", InputMode: "numeric", Max: 20}}},
		Links: []web.Option{{Value: providerPath + m.Provider, Label: "Start again"}}, Application: p.applicationAt(r, m.Next),
	}
}

// showCode serves GET /auth/code.
func (p *Pages) showCode(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	key := p.Cookies.MailedCodes().Newest(r)
	m, _, ok := p.codeOf(r, key)
	if !ok {
		return p.notSignedIn(w, r, identity.Provider{Label: p.Service}, challenge.ErrCeremonyInvalid)
	}
	p.RenderForm(w, r, p.codeForm(r, m, key))
	return nil
}

// confirmCode serves POST /auth/code.
func (p *Pages) confirmCode(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	key := r.PostForm.Get("in")
	m, provider, ok := p.codeOf(r, key)
	if !ok {
		return p.notSignedIn(w, r, identity.Provider{Label: p.Service}, challenge.ErrCeremonyInvalid)
	}
	a, err := p.ExternalSignIn.Identities.ConfirmCode(r.Context(), m.ID, r.PostForm.Get("code"), httpx.ClientInfo(r.Context()))
	if kind := fault.KindOf(err); errors.Is(err, challenge.ErrCodeInvalid) || kind == fault.Limited || kind == fault.Unavailable {
		return p.RetryForm(w, r, p.codeForm(r, m, key), err) // the code may still be right
	}
	p.Cookies.MailedCodes().Clear(w, r, key)
	p.keepRemoteSession(w, r, provider, a)
	if err != nil {
		return p.handleCallbackError(w, r, provider, m.Next, err)
	}
	return p.finishSignIn(w, r, a)
}
