package accountpages

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/user"
)

// signUpPages lets people open an account and confirm its address.
func (p *Pages) signUpPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get("/signup", p.ForAnybody(p.withPasswords(p.showSignUp))), web.Post("/signup", p.ForAnybody(p.signUp)), web.Post("/signup/change", p.ForAnybody(p.changeSignUp)),
			web.Get("/verify", p.ForAnybody(p.withPasswords(p.showVerify))), web.Post("/verify", p.ForAnybody(p.verify)),
			web.Get("/resend", p.ForAnybody(p.withPasswords(p.showResend))), web.Post("/resend", p.ForAnybody(p.resend)),
		},
		Flashes: map[string]string{
			"verified": "Your address is confirmed. You can now sign in.",
			"welcome":  "Welcome! Your address is confirmed, and you are signed in.",
		},
	}
}

// nameFields are the fields of a student profile that everybody fills in.
var nameFields = []web.Field{
	{Name: "firstName", Label: "First name", Autocomplete: "given-name", Max: 100, Hint: "Shown with your listings."},
	{Name: "lastName", Label: "Last name", Autocomplete: "family-name", Max: 100},
	{Name: "university", Label: "University", Autocomplete: "organization", Max: 100},
}

// campusField asks for an address of a university.
func (p *Pages) campusField() web.Field {
	f := web.Field{Name: "email", Label: "University email address", Type: "email", Autocomplete: "email", Max: 254, Hint: "The address that your university has given you."}
	if rule := p.Campus.Rule(); rule != "" {
		f.Hint = fmt.Sprintf(web.AddressRule, rule)
	}
	return f
}

// nameFieldsFor returns the nameFields, without the university if the address determines it.
func nameFieldsFor(known bool) []web.Field {
	return slices.DeleteFunc(slices.Clone(nameFields), func(f web.Field) bool { return known && f.Name == "university" })
}

// profileFieldsFor returns all fields of a student profile. Nobody needs the last ones before a first sale or purchase.
func profileFieldsFor(known bool) []web.Field {
	fields := nameFieldsFor(known)
	for _, f := range web.TradeFields() {
		f.Optional, f.Quiet = true, true
		fields = append(fields, f)
	}
	return fields
}

// withNext adds the page to open once the viewer has signed in.
func withNext(path, next string) string {
	if next == "" || next == "/" {
		return path
	}
	return path + "?" + url.Values{"next": {next}}.Encode()
}

// nextIn returns the page to open once the viewer has signed in, "/" unless a form or an address names one.
func nextIn(values url.Values) string { return web.LocalPath(cmp.Or(values.Get("next"), "/")) }

func (p *Pages) studentForm() web.FormView {
	return web.FormView{
		Head: "Sign up", Text: "For students: sell last term’s books and find the ones you need next.",
		Form: web.Form{Action: "/signup", Button: "Create account", Fields: append([]web.Field{p.campusField(), newPasswordField}, nameFieldsFor(p.Campus.Named())...)},
	}
}

// signUpForm asks for a student profile where there is a marketplace.
func (p *Pages) signUpForm(r *http.Request, next string) web.FormView {
	v := web.FormView{Head: "Sign up", Form: web.Form{Action: "/signup", Button: "Create account", Fields: []web.Field{emailField, newPasswordField}}}
	if p.Market != nil {
		v = p.studentForm()
	}
	if application := p.applicationAt(r, next); application != "" {
		v.Text = web.Translate(web.LangOf(r), "Afterwards you go on to %s.", application)
	}
	v.Form.Hidden = []web.Hidden{{Name: "next", Value: next}}
	v.Links = []web.Option{{Value: withNext("/login", next), Label: "I already have an account"}}
	if p.Market == nil {
		v.Links = append(v.Links, web.Option{Value: withNext("/verify", next), Label: "I have a code"})
	}
	return v
}

// requestFor returns the request of the application to which the viewer goes on after signing up, sealed; "" for none.
func (p *Pages) requestFor(r *http.Request, next string) string {
	request, ok := requestIn(next)
	if !ok {
		return ""
	}
	sealed, err := p.Identity.Authorizations.ForNewcomer(p.requestOf(r, request))
	if err != nil {
		return "" // it has expired
	}
	return sealed
}

// showSignUp serves GET /signup.
func (p *Pages) showSignUp(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	if !p.Identity.Accounts.Open() {
		return p.Identity.Accounts.Closed()
	}
	p.RenderForm(w, r, p.signUpForm(r, nextIn(r.URL.Query())))
	return nil
}

// signUp serves POST /signup. A student confirms the address with a link, others with a
// code.
func (p *Pages) signUp(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	typed, next := r.PostForm, nextIn(r.PostForm)
	in := account.SignUpRequest{
		Email: typed.Get("email"), Password: typed.Get("password"), Lang: web.LangOf(r), From: httpx.ClientInfo(r.Context()),
		Request: p.requestFor(r, next),
	}
	if p.Market != nil {
		in.ByLink = true
		in.Profile = &user.Profile{
			FirstName: typed.Get("firstName"), LastName: typed.Get("lastName"), University: typed.Get("university"),
			CampusMailbox: typed.Get("campusMailbox"), PaymentUsername: typed.Get("paymentUsername"), // of a form from before these were asked for later
		}
	}
	if err := p.Identity.Accounts.SignUp(r.Context(), in); err != nil {
		return p.RetryForm(w, r, p.signUpForm(r, next), err)
	}
	p.rememberSignUp(w, r, in.Email)
	if !in.ByLink {
		p.RenderForm(w, r, verifyForm(in.Email, next))
		return nil
	}
	p.RenderForm(w, r, checkYourEmail(web.LangOf(r), r.PostForm, "We have sent a link to %s. Open it in this browser, and you are signed in."))
	return nil
}

// rememberSignUp lets the link in the mail sign in this browser.
func (p *Pages) rememberSignUp(w http.ResponseWriter, r *http.Request, typed string) {
	if email, err := user.ParseEmail(typed); err == nil {
		p.Cookies.SetSignedUp(w, r, string(email))
	}
}

// checkYourEmail says where the link was sent. What was typed can be sent there again, or changed, without the password.
func checkYourEmail(lang user.Lang, typed url.Values, text string) web.FormView {
	v := web.FormView{
		Head: "Check your email", Text: web.Translate(lang, text, typed.Get("email")),
		Form: web.Form{
			Action: "/resend", Button: "Send it again", Second: &web.Option{Value: "/signup/change", Label: "Change the address"},
			Hidden: []web.Hidden{{Name: "email", Value: typed.Get("email")}, {Name: "next", Value: nextIn(typed)}},
		},
		Links: []web.Option{{Value: withNext("/login", nextIn(typed)), Label: "Sign in"}},
	}
	for _, f := range nameFields {
		if value := typed.Get(f.Name); value != "" {
			v.Form.Hidden = append(v.Form.Hidden, web.Hidden{Name: f.Name, Value: value})
		}
	}
	return v
}

// changeSignUp serves POST /signup/change: the form with what was typed before.
func (p *Pages) changeSignUp(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	if !p.Identity.Accounts.Open() {
		return p.Identity.Accounts.Closed()
	}
	v := p.signUpForm(r, nextIn(r.PostForm))
	v.Form = v.Form.WithValues(r.PostForm)
	p.RenderForm(w, r, v)
	return nil
}

func verifyForm(email, next string) web.FormView {
	return web.FormView{
		Head: "Confirm your address", Text: "We have sent a code to your address. It is valid for ten minutes.",
		Form:  web.Form{Action: "/verify", Button: "Confirm", Hidden: []web.Hidden{{Name: "next", Value: next}}, Fields: []web.Field{addressField(email), codeField}},
		Links: []web.Option{{Value: withNext("/resend", next), Label: "Send another code"}, {Value: withNext("/login", next), Label: "Sign in"}},
	}
}

// showVerify serves GET /verify, for people who already have a code.
func (p *Pages) showVerify(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	p.RenderForm(w, r, verifyForm("", nextIn(r.URL.Query())))
	return nil
}

// verify serves POST /verify. It signs in the browser that signed up.
func (p *Pages) verify(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	next, email := nextIn(r.PostForm), ""
	grant, err := p.Identity.Accounts.VerifyInBrowser(
		r.Context(), r.PostForm.Get("email"), r.PostForm.Get("code"), httpx.ClientInfo(r.Context()),
		func(confirmed user.Email) bool {
			email = string(confirmed)
			return p.Cookies.SignedUp(r, email)
		})
	if err != nil {
		return p.RetryForm(w, r, verifyForm("", next), err)
	}
	if grant.AccessToken == "" {
		return p.Redirect(w, r, withNext("/login", next), "verified")
	}
	p.Cookies.ClearSignedUp(w, r, email)
	p.ReplaceSession(w, r, grant)
	return p.Redirect(w, r, next, "welcome")
}

// resendForm asks for the address that waits for a confirmation.
func (p *Pages) resendForm(next string) web.FormView {
	v := web.FormView{
		Head: "Send another code", Text: "The code is valid for ten minutes.",
		Form: web.Form{Action: "/resend", Button: "Send", Hidden: []web.Hidden{{Name: "next", Value: next}}, Fields: []web.Field{emailField}},
	}
	if p.Market != nil {
		v.Head, v.Text = "Resend the confirmation email", "The link in the email is valid for 24 hours."
		v.Form.Fields = []web.Field{p.campusField()}
	}
	return v
}

// showResend serves GET /resend.
func (p *Pages) showResend(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	p.RenderForm(w, r, p.resendForm(nextIn(r.URL.Query())))
	return nil
}

// resend serves POST /resend. The answer is the same for every address.
func (p *Pages) resend(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	email := r.PostForm.Get("email")
	err := p.Identity.Accounts.ResendVerification(r.Context(), account.ResendRequest{
		Email: email, Lang: web.LangOf(r), ByLink: p.Market != nil, From: httpx.ClientInfo(r.Context()),
	})
	if err != nil {
		return p.RetryForm(w, r, p.resendForm(nextIn(r.PostForm)), err)
	}
	if p.Market == nil {
		p.RenderForm(w, r, verifyForm(email, nextIn(r.PostForm)))
		return nil
	}
	p.RenderForm(w, r, checkYourEmail(web.LangOf(r), r.PostForm, "If %s still needs to be confirmed, we have sent a new link to it."))
	return nil
}
