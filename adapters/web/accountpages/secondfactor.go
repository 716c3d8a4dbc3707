package accountpages

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/factors"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// secondFactorPages asks for the code of a second factor.
func (p *Pages) secondFactorPages() web.Feature {
	return web.Feature{Routes: []*web.Route{
		web.Get(secondFactorPath, p.ForAnybody(p.showSecondFactor)), web.Post(secondFactorPath, p.ForAnybody(p.enterSecondFactor)),
	}}
}

// secondFactorPath is the page that asks for the second factor. Every way to sign in leads to it.
const secondFactorPath = "/login/code"

// secondFactorForm asks for the second factor of the sign-in that the browser keeps under a key.
func secondFactorForm(next, key string) web.FormView {
	return web.FormView{
		Head: "Enter your code", Text: "Open your authenticator app and enter the code that it shows for this account. A recovery code works, too.",
		Form: web.Form{Action: secondFactorPath, Button: "Sign in", Hidden: []web.Hidden{{Name: "next", Value: next}, {Name: "in", Value: key}}, Fields: []web.Field{
			{Name: "code", Label: "Code", Autocomplete: "one-time-code", Max: 40}, // recovery codes have letters
			{Name: "remember", Label: "Do not ask for a code on this device for 30 days", Type: "check", Optional: true},
		}},
		Links: []web.Option{{Value: signInPath(next), Label: "Start again"}},
	}
}

func signInPath(next string) string {
	return "/login?" + url.Values{"next": {web.LocalPath(next)}}.Encode()
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
		return p.Redirect(w, r, signInPath(next), "")
	}
	p.RenderForm(w, r, secondFactorForm(next, key))
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
		return p.RetryForm(w, r, secondFactorForm(next, key), err)
	}
	p.ReplaceSession(w, r, grant)
	p.land(w, r, next)
	return nil
}
