package web

import (
	"net/http"
	"net/url"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// signInPages lets people sign in and out, and set a forgotten password.
func (p *Pages) signInPages() feature {
	return feature{
		routes: []*Route{
			get("/login", p.forAnybody(p.showSignIn)), post("/login", p.forAnybody(p.signIn)), post("/logout", p.forAnybody(p.signOut)),
			get("/forgotten", p.forAnybody(p.withPasswords(p.showForgotten))), post("/forgotten", p.forAnybody(p.forgotten)),
			get("/reset", p.forAnybody(p.withPasswords(p.showReset))), post("/reset", p.forAnybody(p.reset)),
		},
		flashes: map[string]string{
			"reset":   "Your password is set. You can now sign in.",
			"goodbye": "You are signed out.",
		},
	}
}

var (
	emailField       = field{Name: "email", Label: "Email address", Type: "email", Autocomplete: "email", Max: 254}
	passwordField    = field{Name: "password", Label: "Password", Type: "password", Autocomplete: "current-password", Max: 512}
	newPasswordField = field{Name: "password", Label: "Password", Type: "password", Autocomplete: "new-password", Max: 512, Hint: passwordHint}
	passwordHint     = "8 to 128 characters. A phrase of several words works well; common passwords are not accepted."
)

// codeField is the input of a mailed code.
var codeField = field{Name: "code", Label: "Code", Autocomplete: "one-time-code", InputMode: "numeric", Max: 20}

// addressField is emailField with a value.
func addressField(email string) field {
	f := emailField
	f.Value = email
	return f
}

// signInForm links to the sign-up page if registration is open. next is the page to open
// after signing in. It names the application that has asked for the sign-in.
func (p *Pages) signInForm(r *http.Request, next string) formView {
	application, email := p.signInFor(r, next)
	v := formView{Head: "Sign in", Form: form{Action: "/login", Button: "Sign in", Fields: []field{addressField(email), passwordField,
		{Name: "remember", Label: "Stay signed in on this device", Type: "check", Optional: true},
	}}}
	v.Form.Hidden = []hidden{{"next", next}}
	if application != "" {
		v.Head = translate(langOf(r), "Sign in to %s", application)
	}
	v.Providers = p.providerLinks(next)
	if p.externalOnly() {
		return withServicesOnly(v, r)
	}
	v.Form.Fields[0].Autocomplete = "username webauthn" // browsers offer passkeys in it, too
	v.Passkey = &form{Action: "/login/passkey", Button: "Sign in with a passkey", Hidden: v.Form.Hidden}
	v.Links = []option{{Value: "/login/mail?" + url.Values{"next": {next}}.Encode(), Label: "Sign in with a code by email"}}
	if p.Identity.Accounts.Open() {
		v.Links = append(v.Links, option{Value: "/signup", Label: "Sign up"})
	}
	v.Links = append(v.Links, option{Value: "/forgotten", Label: "Forgot your password?"}, option{Value: "/resend", Label: "No confirmation email?"})
	return v
}

// showSignIn serves GET /login. It redirects viewers who are already signed in, unless they are to
// sign in again.
func (p *Pages) showSignIn(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	next := localPath(r.URL.Query().Get("next"))
	if by.SignedIn() && !r.URL.Query().Has("again") {
		return p.redirect(w, r, next, "")
	}
	v := p.signInForm(r, next)
	if v.Form.Action == "" && len(v.Providers) == 1 && !r.URL.Query().Has("again") { // there is nothing to choose
		http.Redirect(w, r, v.Providers[0].Path, http.StatusSeeOther)
		return nil
	}
	p.renderForm(w, r, v)
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
		return p.retryForm(w, r, p.signInForm(r, localPath(r.PostForm.Get("next"))), err)
	}
	p.replaceSession(w, r, grant)
	return p.redirect(w, r, r.PostForm.Get("next"), "")
}

// signOut serves POST /logout.
func (p *Pages) signOut(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if by.SignedIn() {
		if err := p.Identity.Sessions.SignOut(r.Context(), by); err != nil {
			return err
		}
	}
	p.Cookies.ClearTokens(w)
	if p.signOutThere(w, r, by) {
		return nil
	}
	return p.redirect(w, r, "/", "goodbye")
}

var forgottenForm = formView{
	Head: "Forgot your password?", Text: "We will email you a code for setting a new password.",
	Form: form{Action: "/forgotten", Button: "Send the code", Fields: []field{emailField}},
}

// showForgotten serves GET /forgotten.
func (p *Pages) showForgotten(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	p.renderForm(w, r, forgottenForm)
	return nil
}

// forgotten serves POST /forgotten. It asks for the code whether or not there is an
// account, so that it reveals neither.
func (p *Pages) forgotten(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	email := r.PostForm.Get("email")
	if err := p.Identity.Passwords.RequestReset(r.Context(), email, "", httpx.ClientInfo(r.Context())); err != nil {
		return p.retryForm(w, r, forgottenForm, err)
	}
	p.renderForm(w, r, resetForm(email))
	return nil
}

// showReset serves GET /reset, for people who already have a code.
func (p *Pages) showReset(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	p.renderForm(w, r, resetForm(""))
	return nil
}

func resetForm(email string) formView {
	return formView{
		Head: "Set a new password", Text: "If you have an account, the code is in your inbox. It is valid for ten minutes.",
		Form: form{Action: "/reset", Button: "Set password", Fields: []field{
			addressField(email), codeField,
			newPasswordField,
		}},
		Links: []option{{Value: "/forgotten", Label: "Send another code"}, {Value: "/login", Label: "Sign in"}},
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
		return p.retryForm(w, r, resetForm(""), err)
	}
	return p.redirect(w, r, "/login", "reset")
}
