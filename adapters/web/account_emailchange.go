package web

import (
	"net/http"

	"github.com/octavo-books/octavo/domain/user"
)

// emailChangePages changes the address of an account.
func (p *Pages) emailChangePages() feature {
	return feature{
		routes: []*Route{
			get(emailPath, p.forMembers(p.showEmailChange)), post(emailPath+"/code", p.forMembers(p.confirmEmail)),
			post(emailPath, p.forMembers(p.changeEmail)).restores(restored(newEmailForm.Head, newEmailForm.Form)),
		},
		flashes: map[string]string{"moved": "Your email address was changed."},
	}
}

const emailPath = "/account/email"

var newEmailForm = formView{
	Head: "Change your email address", Text: "We send a code to the new address, and a notice to the old one with which you can undo the change for seven days.",
	Form:  form{Action: emailPath, Button: "Send the code", Fields: []field{{Name: "email", Label: "New email address", Type: "email", Autocomplete: "email", Max: 254}}},
	Links: []option{{Value: "/account", Label: "Back to your account"}},
}

var newEmailCodeForm = formView{
	Head: "Confirm your new address", Text: "We have sent a code to the new address. It is valid for ten minutes.",
	Form:  form{Action: emailPath + "/code", Button: "Confirm", Fields: []field{codeField}},
	Links: []option{{Value: emailPath, Label: "Start again"}},
}

// showEmailChange serves GET /account/email.
func (p *Pages) showEmailChange(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	p.renderForm(w, r, newEmailForm)
	return nil
}

// changeEmail serves POST /account/email. The answer is the same if the address is taken.
func (p *Pages) changeEmail(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if err := p.Identity.EmailChanges.Request(r.Context(), by, r.PostForm.Get("email")); err != nil {
		return p.retryForm(w, r, newEmailForm, err)
	}
	p.renderForm(w, r, newEmailCodeForm)
	return nil
}

// confirmEmail serves POST /account/email/code.
func (p *Pages) confirmEmail(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if _, err := p.Identity.EmailChanges.Confirm(r.Context(), by, r.PostForm.Get("code")); err != nil {
		return p.retryForm(w, r, newEmailCodeForm, err)
	}
	return p.redirect(w, r, "/account", "moved")
}
