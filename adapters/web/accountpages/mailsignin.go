package accountpages

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/domain/user"
)

// mailSignInPages lets people sign in with a mailed code.
func (p *Pages) mailSignInPages() web.Feature {
	return web.Feature{Routes: []*web.Route{
		web.Get(mailSignInPath, p.ForAnybody(p.withPasswords(p.showMailSignIn))), web.Post(mailSignInPath, p.ForAnybody(p.mailSignInCode)),
		web.Post(mailSignInPath+"/code", p.ForAnybody(p.signInWithCode)),
	}}
}

const mailSignInPath = "/login/mail"

func mailSignInForm(next string) web.FormView {
	return web.FormView{
		Head: "Sign in with a code", Text: "We will email you a code that signs you in without your password.",
		Form:  web.Form{Action: mailSignInPath, Button: "Email me a code", Hidden: []web.Hidden{{Name: "next", Value: next}}, Fields: []web.Field{emailField}},
		Links: []web.Option{{Value: "/login", Label: "Sign in with the password"}},
	}
}

func mailCodeForm(next, email string) web.FormView {
	return web.FormView{
		Head: "Enter your code", Text: "If you have an account, the code is in your inbox. It is valid for ten minutes.",
		Form: web.Form{Action: mailSignInPath + "/code", Button: "Sign in", Hidden: []web.Hidden{{Name: "next", Value: next}}, Fields: []web.Field{
			addressField(email), codeField, {Name: "remember", Label: "Stay signed in on this device", Type: "check", Optional: true},
		}},
		Links: []web.Option{{Value: mailSignInPath, Label: "Send another code"}, {Value: "/login", Label: "Sign in with the password"}},
	}
}

// showMailSignIn serves GET /login/mail.
func (p *Pages) showMailSignIn(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	p.RenderForm(w, r, mailSignInForm(web.LocalPath(r.URL.Query().Get("next"))))
	return nil
}

// mailSignInCode serves POST /login/mail. The answer is the same for every address.
func (p *Pages) mailSignInCode(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	next, email := web.LocalPath(r.PostForm.Get("next")), r.PostForm.Get("email")
	if err := p.Identity.SignIns.RequestCode(r.Context(), email, web.LangOf(r), httpx.ClientInfo(r.Context())); err != nil {
		return p.RetryForm(w, r, mailSignInForm(next), err)
	}
	p.RenderForm(w, r, mailCodeForm(next, email))
	return nil
}

// signInWithCode serves POST /login/mail/code.
func (p *Pages) signInWithCode(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	typed := r.PostForm
	grant, err := p.Identity.SignIns.SignInWithCode(r.Context(), signin.CodeSignInRequest{
		Email: typed.Get("email"), Code: typed.Get("code"), Remember: typed.Has("remember"),
		Strong: p.freshnessFor(r, typed.Get("next")).Strong, From: httpx.ClientInfo(r.Context()),
	})
	if p.askForSecondFactor(w, r, err, typed.Get("next")) {
		return nil
	}
	if err != nil {
		return p.RetryForm(w, r, mailCodeForm(web.LocalPath(typed.Get("next")), typed.Get("email")), err)
	}
	p.ReplaceSession(w, r, grant)
	return p.Redirect(w, r, typed.Get("next"), "")
}
