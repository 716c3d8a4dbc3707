package web

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

var (
	emailField   = field{Name: "email", Label: "University email address", Type: "email", Auto: "email", Max: 254, Hint: "It ends in .edu."}
	secretField  = field{Name: "password", Label: "Password", Type: "password", Auto: "current-password", Max: 512}
	newSecret    = field{Name: "password", Label: "Password", Type: "password", Auto: "new-password", Max: 512, Hint: passwordHint}
	passwordHint = "8 to 128 characters. A phrase of several words works well; common passwords are not accepted."
)

// signInForm points to signing up where that is open.
func (p *Pages) signInForm() formView {
	v := formView{Head: "Sign in", Form: form{Action: "/login", Button: "Sign in", Fields: []field{{Name: "email", Label: "Email address", Type: "email", Auto: "email", Max: 254}, secretField,
		{Name: "remember", Label: "Stay signed in on this device", Type: "check", Optional: true},
	}}}
	if p.Market.Accounts.Open() {
		v.Links = append(v.Links, option{Value: "/signup", Label: "Sign up"})
	}
	v.Links = append(v.Links, option{Value: "/forgotten", Label: "Forgot your password?"}, option{Value: "/resend", Label: "No confirmation email?"})
	return v
}

// askSignIn serves GET /login. It leads those who are signed in on to where
// they wanted to go.
func (p *Pages) askSignIn(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	next := local(r.URL.Query().Get("next"))
	if by.SignedIn() {
		return p.onward(w, r, next, "")
	}
	v := p.signInForm()
	v.Form.Hidden = []hidden{{"next", next}}
	p.ask(w, r, v)
	return nil
}

// signInHere serves POST /login.
func (p *Pages) signInHere(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	grant, err := p.Market.Sessions.SignIn(r.Context(), auth.SignInRequest{
		Email: r.PostForm.Get("email"), Password: r.PostForm.Get("password"), Remember: r.PostForm.Has("remember"), From: httpx.ClientInfo(r.Context()),
	})
	if err != nil {
		v := p.signInForm()
		v.Form.Hidden = []hidden{{"next", local(r.PostForm.Get("next"))}}
		return p.again(w, r, v, err)
	}
	p.signIn(w, grant)
	return p.onward(w, r, r.PostForm.Get("next"), "")
}

// signOut serves POST /logout.
func (p *Pages) signOut(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if by.SignedIn() {
		if err := p.Market.Sessions.SignOut(r.Context(), by); err != nil {
			return err
		}
	}
	p.Cookies.ClearTokens(w)
	return p.onward(w, r, "/", "goodbye")
}

// profileFields ask for a student profile.
var profileFields = []field{
	{Name: "firstName", Label: "First name", Auto: "given-name", Max: 100, Hint: "Shown with your listings."},
	{Name: "lastName", Label: "Last name", Auto: "family-name", Max: 100},
	{Name: "university", Label: "University", Auto: "organization", Max: 100},
	{Name: "campusMailbox", Label: "Campus mailbox", Auto: "off", Max: 100, Hint: "Where we deliver your books."},
	{Name: "paymentUsername", Label: "Payment username", Auto: "off", Max: 100, Hint: "Where we send your money. Only Octavo’s staff can see it."},
}

var signUpForm = formView{
	Head: "Sign up", Text: "For students: sell last term’s books and find the ones you need next.",
	Form:  form{Action: "/signup", Button: "Create account", Fields: append([]field{emailField, newSecret}, profileFields...)},
	Links: []option{{Value: "/login", Label: "I already have an account"}},
}

// askSignUp serves GET /signup.
func (p *Pages) askSignUp(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	if !p.Market.Accounts.Open() {
		return auth.ErrRegistrationDisabled
	}
	p.ask(w, r, signUpForm)
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
		return p.again(w, r, signUpForm, err)
	}
	p.tell(w, r, "Check your email", "We have sent a link to your address. Open it to confirm the address, then sign in.")
	return nil
}

// tell shows a page that says that something has happened.
func (p *Pages) tell(w http.ResponseWriter, r *http.Request, head, text string) {
	lang := langOf(r)
	says := noticeView{Head: say(lang, head), Text: say(lang, text), Back: say(lang, "Back to the home page")}
	p.show(w, r, http.StatusOK, "notice", frame{lang, says.Head, says})
}

var resendForm = formView{
	Head: "Resend the confirmation email", Text: "The link in the email is valid for 24 hours.",
	Form: form{Action: "/resend", Button: "Send", Fields: []field{emailField}},
}

// askResend serves GET /resend.
func (p *Pages) askResend(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	p.ask(w, r, resendForm)
	return nil
}

// resend serves POST /resend. The answer is the same for every address.
func (p *Pages) resend(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	err := p.Market.Accounts.ResendVerification(r.Context(), auth.ResendRequest{
		Email: r.PostForm.Get("email"), Lang: langOf(r), ByLink: true, From: httpx.ClientInfo(r.Context()),
	})
	if err != nil {
		return p.again(w, r, resendForm, err)
	}
	p.tell(w, r, "Check your email", "If this address still needs to be confirmed, we have sent a new link to it.")
	return nil
}

var forgottenForm = formView{
	Head: "Forgot your password?", Text: "We will email you a code for setting a new password.",
	Form: form{Action: "/forgotten", Button: "Send the code", Fields: []field{{Name: "email", Label: "Email address", Type: "email", Auto: "email", Max: 254}}},
}

// askForgotten serves GET /forgotten.
func (p *Pages) askForgotten(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	p.ask(w, r, forgottenForm)
	return nil
}

// forgotten serves POST /forgotten and asks for the code, whether or not there is
// an account.
func (p *Pages) forgotten(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	email := r.PostForm.Get("email")
	if err := p.Market.Passwords.RequestReset(r.Context(), email, "", httpx.ClientInfo(r.Context())); err != nil {
		return p.again(w, r, forgottenForm, err)
	}
	p.ask(w, r, resetForm(email))
	return nil
}

// askReset serves GET /reset, for those who have a code already.
func (p *Pages) askReset(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	p.ask(w, r, resetForm(""))
	return nil
}

func resetForm(email string) formView {
	return formView{
		Head: "Set a new password", Text: "If you have an account, the code is in your inbox. It is valid for ten minutes.",
		Form: form{Action: "/reset", Button: "Set password", Fields: []field{
			{Name: "email", Label: "Email address", Type: "email", Auto: "email", Max: 254, Value: email},
			{Name: "code", Label: "Code", Auto: "one-time-code", Mode: "numeric", Max: 20},
			newSecret,
		}},
		Links: []option{{Value: "/forgotten", Label: "Send another code"}, {Value: "/login", Label: "Sign in"}},
	}
}

// codeHint is also for those who have pressed the button twice.
const codeHint = "If you have already set a new password with this code, sign in with it."

// reset serves POST /reset.
func (p *Pages) reset(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	typed := r.PostForm
	err := p.Market.Passwords.Reset(r.Context(), typed.Get("email"), typed.Get("code"), typed.Get("password"), httpx.ClientInfo(r.Context()))
	if err != nil {
		if f := fault.As(err); f != nil && f.Code == "code_invalid" {
			err = f.WithField("code", codeHint)
		}
		return p.again(w, r, resetForm(""), err)
	}
	return p.onward(w, r, "/login", "reset")
}
