package web

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/factors"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// secondFactorPages asks for the code of a second factor.
func (p *Pages) secondFactorPages() feature {
	return feature{routes: []*Route{
		get(secondFactorPath, p.forAnybody(p.showSecondFactor)), post(secondFactorPath, p.forAnybody(p.enterSecondFactor)),
	}}
}

// secondFactorPath is the page that asks for the second factor. Every way to sign in leads to it.
const secondFactorPath = "/login/code"

// secondFactorForm asks for the second factor of the sign-in that the browser keeps under a key.
func secondFactorForm(next, key string) formView {
	return formView{
		Head: "Enter your code", Text: "Open your authenticator app and enter the code that it shows for this account. A recovery code works, too.",
		Form: form{Action: secondFactorPath, Button: "Sign in", Hidden: []hidden{{"next", next}, {"in", key}}, Fields: []field{
			{Name: "code", Label: "Code", Autocomplete: "one-time-code", Max: 40}, // recovery codes have letters
			{Name: "remember", Label: "Do not ask for a code on this device for 30 days", Type: "check", Optional: true},
		}},
		Links: []option{{Value: signInPath(next), Label: "Start again"}},
	}
}

func signInPath(next string) string {
	return "/login?" + url.Values{"next": {localPath(next)}}.Encode()
}

// askForSecondFactor sends the browser to the page that asks for the second factor, if err
// is auth.ErrSecondFactorRequired. Scripts cannot read the cookie with the challenge.
func (p *Pages) askForSecondFactor(w http.ResponseWriter, r *http.Request, err error, next string) bool {
	if !errors.Is(err, auth.ErrSecondFactorRequired) {
		return false
	}
	kept := p.Cookies.Challenges()
	kept.Put(w, r, kept.Key(), fault.As(err).Details["challenge"], challenge.SecondFactor.Lifetime())
	p.land(w, r, secondFactorPath+"?"+url.Values{"next": {p.returnURL(next)}}.Encode()) // which shows the newest one
	return true
}

// showSecondFactor serves GET /login/code.
func (p *Pages) showSecondFactor(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	next, key := p.returnURL(r.URL.Query().Get("next")), p.Cookies.Challenges().Newest(r)
	if key == "" {
		return p.redirect(w, r, signInPath(next), "")
	}
	p.renderForm(w, r, secondFactorForm(next, key))
	return nil
}

// enterSecondFactor serves POST /login/code.
func (p *Pages) enterSecondFactor(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	next, key := p.returnURL(r.PostForm.Get("next")), r.PostForm.Get("in")
	grant, err := p.Identity.SecondFactors.CompleteSignIn(r.Context(), factors.CompleteSignInRequest{
		Challenge: p.Cookies.Challenges().Get(r, key), Code: r.PostForm.Get("code"), Remember: r.PostForm.Has("remember"), From: httpx.ClientInfo(r.Context()),
	})
	if err == nil || errors.Is(err, challenge.ErrCeremonyInvalid) || errors.Is(err, user.ErrSuspended) {
		p.Cookies.Challenges().Clear(w, r, key)
	}
	if err != nil {
		return p.retryForm(w, r, secondFactorForm(next, key), err)
	}
	p.replaceSession(w, r, grant)
	p.land(w, r, next)
	return nil
}
