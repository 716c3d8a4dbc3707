package web

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/user"
)

// signUpPages lets people open an account and confirm its address.
func (p *Pages) signUpPages() feature {
	return feature{
		routes: []*Route{
			get("/signup", p.forAnybody(p.withPasswords(p.showSignUp))), post("/signup", p.forAnybody(p.signUp)),
			get("/verify", p.forAnybody(p.withPasswords(p.showVerify))), post("/verify", p.forAnybody(p.verify)),
			get("/resend", p.forAnybody(p.withPasswords(p.showResend))), post("/resend", p.forAnybody(p.resend)),
		},
		flashes: map[string]string{"verified": "Your address is confirmed. You can now sign in."},
	}
}

// profileFields are the fields of a student profile.
var profileFields = []field{
	{Name: "firstName", Label: "First name", Autocomplete: "given-name", Max: 100, Hint: "Shown with your listings."},
	{Name: "lastName", Label: "Last name", Autocomplete: "family-name", Max: 100},
	{Name: "university", Label: "University", Autocomplete: "organization", Max: 100},
	{Name: "campusMailbox", Label: "Campus mailbox", Autocomplete: "off", Max: 100, Hint: "Where we deliver your books."},
	{Name: "paymentUsername", Label: "Payment username", Autocomplete: "off", Max: 100, Hint: "Where we send your money. Only our staff can see it."},
}

// campusField asks for an address of a university.
func (p *Pages) campusField() field {
	f := field{Name: "email", Label: "University email address", Type: "email", Autocomplete: "email", Max: 254, Hint: "The address that your university has given you."}
	if rule := p.Campus.Rule(); rule != "" {
		f.Hint = fmt.Sprintf(addressRule, rule)
	}
	return f
}

// profileFieldsFor returns the fields of a student profile, without the university if the
// address determines it.
func profileFieldsFor(known bool) []field {
	return slices.DeleteFunc(slices.Clone(profileFields), func(f field) bool { return known && f.Name == "university" })
}

func (p *Pages) studentForm() formView {
	return formView{
		Head: "Sign up", Text: "For students: sell last term’s books and find the ones you need next.",
		Form:  form{Action: "/signup", Button: "Create account", Fields: append([]field{p.campusField(), newPasswordField}, profileFieldsFor(p.Campus.Named())...)},
		Links: []option{{Value: "/login", Label: "I already have an account"}},
	}
}

var accountForm = formView{
	Head:  "Sign up",
	Form:  form{Action: "/signup", Button: "Create account", Fields: []field{emailField, newPasswordField}},
	Links: []option{{Value: "/login", Label: "I already have an account"}, {Value: "/verify", Label: "I have a code"}},
}

// signUpForm asks for a student profile where there is a marketplace.
func (p *Pages) signUpForm() formView {
	if p.Market != nil {
		return p.studentForm()
	}
	return accountForm
}

// showSignUp serves GET /signup.
func (p *Pages) showSignUp(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	if !p.Identity.Accounts.Open() {
		return p.Identity.Accounts.Closed()
	}
	p.renderForm(w, r, p.signUpForm())
	return nil
}

// signUp serves POST /signup. A student confirms the address with a link, others with a
// code.
func (p *Pages) signUp(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	typed := r.PostForm
	in := account.SignUpRequest{Email: typed.Get("email"), Password: typed.Get("password"), Lang: langOf(r), From: httpx.ClientInfo(r.Context())}
	if p.Market != nil {
		in.ByLink = true
		in.Profile = &user.Profile{
			FirstName: typed.Get("firstName"), LastName: typed.Get("lastName"), University: typed.Get("university"),
			CampusMailbox: typed.Get("campusMailbox"), PaymentUsername: typed.Get("paymentUsername"),
		}
	}
	if err := p.Identity.Accounts.SignUp(r.Context(), in); err != nil {
		return p.retryForm(w, r, p.signUpForm(), err)
	}
	if !in.ByLink {
		p.renderForm(w, r, verifyForm(in.Email))
		return nil
	}
	p.renderMessage(w, r, "Check your email", "We have sent a link to your address. Open it to confirm the address, then sign in.")
	return nil
}

func verifyForm(email string) formView {
	return formView{
		Head: "Confirm your address", Text: "We have sent a code to your address. It is valid for ten minutes.",
		Form:  form{Action: "/verify", Button: "Confirm", Fields: []field{addressField(email), codeField}},
		Links: []option{{Value: "/resend", Label: "Send another code"}, {Value: "/login", Label: "Sign in"}},
	}
}

// showVerify serves GET /verify, for people who already have a code.
func (p *Pages) showVerify(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	p.renderForm(w, r, verifyForm(""))
	return nil
}

// verify serves POST /verify.
func (p *Pages) verify(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	err := p.Identity.Accounts.VerifyEmail(r.Context(), r.PostForm.Get("email"), r.PostForm.Get("code"), httpx.ClientInfo(r.Context()))
	if err != nil {
		return p.retryForm(w, r, verifyForm(""), err)
	}
	return p.redirect(w, r, "/login", "verified")
}

// resendForm asks for the address that waits for a confirmation.
func (p *Pages) resendForm() formView {
	if p.Market == nil {
		return formView{Head: "Send another code", Text: "The code is valid for ten minutes.", Form: form{Action: "/resend", Button: "Send", Fields: []field{emailField}}}
	}
	return formView{
		Head: "Resend the confirmation email", Text: "The link in the email is valid for 24 hours.",
		Form: form{Action: "/resend", Button: "Send", Fields: []field{p.campusField()}},
	}
}

// showResend serves GET /resend.
func (p *Pages) showResend(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	p.renderForm(w, r, p.resendForm())
	return nil
}

// resend serves POST /resend. The answer is the same for every address.
func (p *Pages) resend(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	email := r.PostForm.Get("email")
	err := p.Identity.Accounts.ResendVerification(r.Context(), account.ResendRequest{
		Email: email, Lang: langOf(r), ByLink: p.Market != nil, From: httpx.ClientInfo(r.Context()),
	})
	if err != nil {
		return p.retryForm(w, r, p.resendForm(), err)
	}
	if p.Market == nil {
		p.renderForm(w, r, verifyForm(email))
		return nil
	}
	p.renderMessage(w, r, "Check your email", "If this address still needs to be confirmed, we have sent a new link to it.")
	return nil
}
