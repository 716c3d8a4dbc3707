package accountpages

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/user"
)

// emailChangePages changes the address of an account.
func (p *Pages) emailChangePages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get(emailPath, p.ForMembers(p.showEmailChange)), web.Post(emailPath+"/code", p.ForMembers(p.confirmEmail)),
			web.Post(emailPath, p.ForMembers(p.changeEmail)).Restores(web.Restored(newEmailForm.Head, newEmailForm.Form)),
		},
		Flashes: map[string]string{"moved": "Your email address was changed."},
	}
}

const emailPath = "/account/email"

var newEmailForm = web.FormView{
	Head: "Change your email address", Text: "We send a code to the new address, and a notice to the old one with which you can undo the change for seven days.",
	Form:  web.Form{Action: emailPath, Button: "Send the code", Fields: []web.Field{{Name: "email", Label: "New email address", Type: "email", Autocomplete: "email", Max: 254}}},
	Links: []web.Option{{Value: "/account", Label: "Back to your account"}},
}

var newEmailCodeForm = web.FormView{
	Head: "Confirm your new address", Text: "We have sent a code to the new address. It is valid for ten minutes.",
	Form:  web.Form{Action: emailPath + "/code", Button: "Confirm", Fields: []web.Field{codeField}},
	Links: []web.Option{{Value: emailPath, Label: "Start again"}},
}

// showEmailChange serves GET /account/email.
func (p *Pages) showEmailChange(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	p.RenderForm(w, r, newEmailForm)
	return nil
}

// changeEmail serves POST /account/email. The answer is the same if the address is taken.
func (p *Pages) changeEmail(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if err := p.Identity.EmailChanges.Request(r.Context(), by, r.PostForm.Get("email")); err != nil {
		return p.RetryForm(w, r, newEmailForm, err)
	}
	p.RenderForm(w, r, newEmailCodeForm)
	return nil
}

// confirmEmail serves POST /account/email/code.
func (p *Pages) confirmEmail(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if _, err := p.Identity.EmailChanges.Confirm(r.Context(), by, r.PostForm.Get("code")); err != nil {
		return p.RetryForm(w, r, newEmailCodeForm, err)
	}
	return p.Redirect(w, r, "/account", "moved")
}
