package accountpages

import (
	"net/http"
	"net/url"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// signInPages lets people sign in and out, and set a forgotten password.
func (p *Pages) signInPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get("/login", p.ForAnybody(p.showSignIn)), web.Post("/login", p.ForAnybody(p.signIn)), web.Get("/logout", p.ForMembers(p.showSignOut)), web.Post("/logout", p.ForAnybody(p.signOut)),
			web.Get("/forgotten", p.ForAnybody(p.withPasswords(p.showForgotten))), web.Post("/forgotten", p.ForAnybody(p.forgotten)),
			web.Get("/reset", p.ForAnybody(p.withPasswords(p.showReset))), web.Post("/reset", p.ForAnybody(p.reset)),
		},
		Flashes: map[string]string{
			"reset":   "Your password is set. You can now sign in.",
			"goodbye": "You are signed out.",
		},
	}
}

var (
	emailField       = web.Field{Name: "email", Label: "Email address", Type: "email", Autocomplete: "email", Max: 254}
	passwordField    = web.Field{Name: "password", Label: "Password", Type: "password", Autocomplete: "current-password", Max: 512}
	newPasswordField = web.Field{Name: "password", Label: "Password", Type: "password", Autocomplete: "new-password", Max: 512, Hint: passwordHint}
	passwordHint     = "8 to 128 characters. A phrase of several words works well; common passwords are not accepted."
)

// codeField is the input of a mailed code.
var codeField = web.Field{Name: "code", Label: "Code", Autocomplete: "one-time-code", InputMode: "numeric", Max: 20}

// addressField is emailField with a value.
func addressField(email string) web.Field {
	f := emailField
	f.Value = email
	return f
}

// signInForm links to the sign-up page if registration is open. next is the page to open
// after signing in. It names the application that has asked for the sign-in.
func (p *Pages) signInForm(r *http.Request, next string) web.FormView {
	application, email := p.signInFor(r, next)
	v := web.FormView{Head: "Sign in", Form: web.Form{Action: "/login", Button: "Sign in", Fields: []web.Field{addressField(email), passwordField,
		{Name: "remember", Label: "Stay signed in on this device", Type: "check", Optional: true},
	}}}
	v.Form.Hidden = []web.Hidden{{Name: "next", Value: next}}
	if application != "" {
		v.Head = web.Translate(web.LangOf(r), "Sign in to %s", application)
	}
	v.Providers = p.providerLinks(next)
	if p.externalOnly() {
		return withServicesOnly(v, r)
	}
	v.Form.Fields[0].Autocomplete = "username webauthn" // browsers offer passkeys in it, too
	v.Passkey = &web.Form{Action: "/login/passkey", Button: "Sign in with a passkey", Hidden: v.Form.Hidden}
	v.Links = []web.Option{{Value: "/login/mail?" + url.Values{"next": {next}}.Encode(), Label: "Sign in with a code by email"}}
	if p.Identity.Accounts.Open() {
		v.Links = append(v.Links, web.Option{Value: withNext("/signup", next), Label: "Sign up"})
	}
	v.Links = append(v.Links, web.Option{Value: "/forgotten", Label: "Forgot your password?"}, web.Option{Value: withNext("/resend", next), Label: "No confirmation email?"})
	return v
}

// showSignIn serves GET /login. It redirects viewers who are already signed in, unless they are to
// sign in again.
func (p *Pages) showSignIn(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	next := web.LocalPath(r.URL.Query().Get("next"))
	if by.SignedIn() && !r.URL.Query().Has("again") {
		return p.Redirect(w, r, next, "")
	}
	v := p.signInForm(r, next)
	if v.Form.Action == "" && len(v.Providers) == 1 && !r.URL.Query().Has("again") { // there is nothing to choose
		http.Redirect(w, r, v.Providers[0].Path, http.StatusSeeOther)
		return nil
	}
	p.RenderForm(w, r, v)
	return nil
}

// signIn serves POST /login.
func (p *Pages) signIn(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	grant, err := p.Identity.SignIns.SignIn(r.Context(), signin.Request{
		Email: r.PostForm.Get("email"), Password: r.PostForm.Get("password"), Remember: r.PostForm.Has("remember"),
		Strong: p.freshnessFor(r, r.PostForm.Get("next")).Strong, From: httpx.ClientInfo(r.Context()),
	})
	if p.askForSecondFactor(w, r, err, r.PostForm.Get("next")) {
		return nil
	}
	if err != nil {
		return p.RetryForm(w, r, p.signInForm(r, web.LocalPath(r.PostForm.Get("next"))), err)
	}
	p.ReplaceSession(w, r, grant)
	return p.Redirect(w, r, r.PostForm.Get("next"), "")
}

// everywhereField lets people sign out of all their browsers and applications.
var everywhereField = web.Field{Name: "everywhere", Label: "Everywhere: on all devices and in all applications", Type: "check", Optional: true}

// showSignOut serves GET /logout, for people who want to choose.
func (p *Pages) showSignOut(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	p.RenderForm(w, r, web.FormView{
		Head: "Sign out", Text: "Without the choice below, only this browser is signed out, and applications go on.",
		Form: web.Form{Action: "/logout", Button: "Sign out", Fields: []web.Field{everywhereField}},
	})
	return nil
}

// signOut serves POST /logout.
func (p *Pages) signOut(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if by.SignedIn() && r.PostForm.Has("everywhere") {
		return p.leaveFor(w, r, by, provider.Logout{})
	}
	if by.SignedIn() {
		if err := p.Identity.Sessions.SignOut(r.Context(), by); err != nil {
			return err
		}
	}
	p.Cookies.ClearTokens(w)
	if to := p.signOutThere(w, r, by, ""); to != "" {
		p.ContinueTo(w, r, to) // our policy forbids forms that lead to other sites
		return nil
	}
	return p.Redirect(w, r, "/", "goodbye")
}

var forgottenForm = web.FormView{
	Head: "Forgot your password?", Text: "We will email you a code for setting a new password.",
	Form: web.Form{Action: "/forgotten", Button: "Send the code", Fields: []web.Field{emailField}},
}

// showForgotten serves GET /forgotten.
func (p *Pages) showForgotten(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	p.RenderForm(w, r, forgottenForm)
	return nil
}

// forgotten serves POST /forgotten. It asks for the code whether or not there is an
// account, so that it reveals neither.
func (p *Pages) forgotten(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	email := r.PostForm.Get("email")
	if err := p.Identity.Passwords.RequestReset(r.Context(), email, "", httpx.ClientInfo(r.Context())); err != nil {
		return p.RetryForm(w, r, forgottenForm, err)
	}
	p.RenderForm(w, r, resetForm(email))
	return nil
}

// showReset serves GET /reset, for people who already have a code.
func (p *Pages) showReset(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	p.RenderForm(w, r, resetForm(""))
	return nil
}

func resetForm(email string) web.FormView {
	return web.FormView{
		Head: "Set a new password", Text: "If you have an account, the code is in your inbox. It is valid for ten minutes.",
		Form: web.Form{Action: "/reset", Button: "Set password", Fields: []web.Field{
			addressField(email), codeField,
			newPasswordField,
		}},
		Links: []web.Option{{Value: "/forgotten", Label: "Send another code"}, {Value: "/login", Label: "Sign in"}},
	}
}

// usedCodeHint helps people who have pressed the button twice.
const usedCodeHint = "If you have already set a new password with this code, sign in with it."

// reset serves POST /reset.
func (p *Pages) reset(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	typed := r.PostForm
	err := p.Identity.Passwords.Reset(r.Context(), typed.Get("email"), typed.Get("code"), typed.Get("password"), httpx.ClientInfo(r.Context()))
	if err != nil {
		if f := fault.As(err); f != nil && f.Code == "code_invalid" {
			err = f.WithField("code", usedCodeHint)
		}
		return p.RetryForm(w, r, resetForm(""), err)
	}
	return p.Redirect(w, r, "/login", "reset")
}
