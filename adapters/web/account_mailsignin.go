package web

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/domain/user"
)

// mailSignInPages lets people sign in with a mailed code.
func (p *Pages) mailSignInPages() feature {
	return feature{routes: []*Route{
		get(mailSignInPath, p.forAnybody(p.withPasswords(p.showMailSignIn))), post(mailSignInPath, p.forAnybody(p.mailSignInCode)),
		post(mailSignInPath+"/code", p.forAnybody(p.signInWithCode)),
	}}
}

const mailSignInPath = "/login/mail"

func mailSignInForm(next string) formView {
	return formView{
		Head: "Sign in with a code", Text: "We will email you a code that signs you in without your password.",
		Form:  form{Action: mailSignInPath, Button: "Email me a code", Hidden: []hidden{{"next", next}}, Fields: []field{emailField}},
		Links: []option{{Value: "/login", Label: "Sign in with the password"}},
	}
}

func mailCodeForm(next, email string) formView {
	return formView{
		Head: "Enter your code", Text: "If you have an account, the code is in your inbox. It is valid for ten minutes.",
		Form: form{Action: mailSignInPath + "/code", Button: "Sign in", Hidden: []hidden{{"next", next}}, Fields: []field{
			addressField(email), codeField, {Name: "remember", Label: "Stay signed in on this device", Type: "check", Optional: true},
		}},
		Links: []option{{Value: mailSignInPath, Label: "Send another code"}, {Value: "/login", Label: "Sign in with the password"}},
	}
}

// showMailSignIn serves GET /login/mail.
func (p *Pages) showMailSignIn(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	p.renderForm(w, r, mailSignInForm(localPath(r.URL.Query().Get("next"))))
	return nil
}

// mailSignInCode serves POST /login/mail. The answer is the same for every address.
func (p *Pages) mailSignInCode(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	next, email := localPath(r.PostForm.Get("next")), r.PostForm.Get("email")
	if err := p.Identity.SignIns.RequestCode(r.Context(), email, langOf(r), httpx.ClientInfo(r.Context())); err != nil {
		return p.retryForm(w, r, mailSignInForm(next), err)
	}
	p.renderForm(w, r, mailCodeForm(next, email))
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
		return p.retryForm(w, r, mailCodeForm(localPath(typed.Get("next")), typed.Get("email")), err)
	}
	p.replaceSession(w, r, grant)
	return p.redirect(w, r, typed.Get("next"), "")
}
