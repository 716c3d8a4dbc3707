package web

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

var (
	emailField       = field{Name: "email", Label: "University email address", Type: "email", Autocomplete: "email", Max: 254, Hint: "It ends in .edu."}
	passwordField    = field{Name: "password", Label: "Password", Type: "password", Autocomplete: "current-password", Max: 512}
	newPasswordField = field{Name: "password", Label: "Password", Type: "password", Autocomplete: "new-password", Max: 512, Hint: passwordHint}
	passwordHint     = "8 to 128 characters. A phrase of several words works well; common passwords are not accepted."
)

// signInForm links to the sign-up page if registration is open.
func (p *Pages) signInForm() formView {
	v := formView{Head: "Sign in", Form: form{Action: "/login", Button: "Sign in", Fields: []field{{Name: "email", Label: "Email address", Type: "email", Autocomplete: "email", Max: 254}, passwordField,
		{Name: "remember", Label: "Stay signed in on this device", Type: "check", Optional: true},
	}}}
	if p.Market.Accounts.Open() {
		v.Links = append(v.Links, option{Value: "/signup", Label: "Sign up"})
	}
	v.Links = append(v.Links, option{Value: "/forgotten", Label: "Forgot your password?"}, option{Value: "/resend", Label: "No confirmation email?"})
	return v
}

// showSignIn serves GET /login. It redirects viewers who are already signed in.
func (p *Pages) showSignIn(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	next := localPath(r.URL.Query().Get("next"))
	if by.SignedIn() {
		return p.redirect(w, r, next, "")
	}
	v := p.signInForm()
	v.Form.Hidden = []hidden{{"next", next}}
	p.renderForm(w, r, v)
	return nil
}

// signIn serves POST /login.
func (p *Pages) signIn(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	grant, err := p.Market.Sessions.SignIn(r.Context(), auth.SignInRequest{
		Email: r.PostForm.Get("email"), Password: r.PostForm.Get("password"), Remember: r.PostForm.Has("remember"), From: httpx.ClientInfo(r.Context()),
	})
	if err != nil {
		v := p.signInForm()
		v.Form.Hidden = []hidden{{"next", localPath(r.PostForm.Get("next"))}}
		return p.retryForm(w, r, v, err)
	}
	p.setTokens(w, grant)
	return p.redirect(w, r, r.PostForm.Get("next"), "")
}

// signOut serves POST /logout.
func (p *Pages) signOut(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if by.SignedIn() {
		if err := p.Market.Sessions.SignOut(r.Context(), by); err != nil {
			return err
		}
	}
	p.Cookies.ClearTokens(w)
	return p.redirect(w, r, "/", "goodbye")
}

// profileFields are the fields of a student profile.
var profileFields = []field{
	{Name: "firstName", Label: "First name", Autocomplete: "given-name", Max: 100, Hint: "Shown with your listings."},
	{Name: "lastName", Label: "Last name", Autocomplete: "family-name", Max: 100},
	{Name: "university", Label: "University", Autocomplete: "organization", Max: 100},
	{Name: "campusMailbox", Label: "Campus mailbox", Autocomplete: "off", Max: 100, Hint: "Where we deliver your books."},
	{Name: "paymentUsername", Label: "Payment username", Autocomplete: "off", Max: 100, Hint: "Where we send your money. Only our staff can see it."},
}

var signUpForm = formView{
	Head: "Sign up", Text: "For students: sell last term’s books and find the ones you need next.",
	Form:  form{Action: "/signup", Button: "Create account", Fields: append([]field{emailField, newPasswordField}, profileFields...)},
	Links: []option{{Value: "/login", Label: "I already have an account"}},
}

// showSignUp serves GET /signup.
func (p *Pages) showSignUp(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	if !p.Market.Accounts.Open() {
		return auth.ErrRegistrationDisabled
	}
	p.renderForm(w, r, signUpForm)
	return nil
}

// signUp serves POST /signup.
func (p *Pages) signUp(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	typed := r.PostForm
	err := p.Market.Accounts.SignUp(r.Context(), auth.SignUpRequest{
		Email: typed.Get("email"), Password: typed.Get("password"), Lang: langOf(r), ByLink: true, From: httpx.ClientInfo(r.Context()),
		Profile: &user.Profile{
			FirstName: typed.Get("firstName"), LastName: typed.Get("lastName"), University: typed.Get("university"),
			CampusMailbox: typed.Get("campusMailbox"), PaymentUsername: typed.Get("paymentUsername"),
		},
	})
	if err != nil {
		return p.retryForm(w, r, signUpForm, err)
	}
	p.renderMessage(w, r, "Check your email", "We have sent a link to your address. Open it to confirm the address, then sign in.")
	return nil
}

// renderMessage renders a page with a heading and a text.
func (p *Pages) renderMessage(w http.ResponseWriter, r *http.Request, head, text string) {
	lang := langOf(r)
	view := messageView{Head: translate(lang, head), Text: translate(lang, text), Back: translate(lang, "Back to the home page")}
	p.render(w, r, http.StatusOK, "message", pageData{lang, view.Head, view})
}

var resendForm = formView{
	Head: "Resend the confirmation email", Text: "The link in the email is valid for 24 hours.",
	Form: form{Action: "/resend", Button: "Send", Fields: []field{emailField}},
}

// showResend serves GET /resend.
func (p *Pages) showResend(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	p.renderForm(w, r, resendForm)
	return nil
}

// resend serves POST /resend. The answer is the same for every address.
func (p *Pages) resend(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	err := p.Market.Accounts.ResendVerification(r.Context(), auth.ResendRequest{
		Email: r.PostForm.Get("email"), Lang: langOf(r), ByLink: true, From: httpx.ClientInfo(r.Context()),
	})
	if err != nil {
		return p.retryForm(w, r, resendForm, err)
	}
	p.renderMessage(w, r, "Check your email", "If this address still needs to be confirmed, we have sent a new link to it.")
	return nil
}

var forgottenForm = formView{
	Head: "Forgot your password?", Text: "We will email you a code for setting a new password.",
	Form: form{Action: "/forgotten", Button: "Send the code", Fields: []field{{Name: "email", Label: "Email address", Type: "email", Autocomplete: "email", Max: 254}}},
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
	if err := p.Market.Passwords.RequestReset(r.Context(), email, "", httpx.ClientInfo(r.Context())); err != nil {
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
			{Name: "email", Label: "Email address", Type: "email", Autocomplete: "email", Max: 254, Value: email},
			{Name: "code", Label: "Code", Autocomplete: "one-time-code", InputMode: "numeric", Max: 20},
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
	err := p.Market.Passwords.Reset(r.Context(), typed.Get("email"), typed.Get("code"), typed.Get("password"), httpx.ClientInfo(r.Context()))
	if err != nil {
		if f := fault.As(err); f != nil && f.Code == "code_invalid" {
			err = f.WithField("code", usedCodeHint)
		}
		return p.retryForm(w, r, resetForm(""), err)
	}
	return p.redirect(w, r, "/login", "reset")
}
