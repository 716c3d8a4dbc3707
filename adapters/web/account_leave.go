package web

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/user"
)

// leavePages deletes accounts, and changes their names.
func (p *Pages) leavePages() feature {
	return feature{
		routes: []*Route{
			get(leavePath, p.forMembers(p.showLeave)), post(leavePath, p.forMembers(p.leave)),
			post("/account/name", p.forMembers(p.changeName)).restores(restored("Profile", nameForm(user.User{}))),
		},
		flashes: map[string]string{"leaving": "Your account will be deleted in 14 days. We have sent you an email with a link to keep it."},
	}
}

const leavePath = "/account/delete"

var leaveForm = formView{
	Head: "Delete your account", Text: "You are signed out everywhere at once. After 14 days your data is erased. Until then you can change your mind: just sign in.",
	Form:  form{Action: leavePath, Button: "Delete my account", Danger: true},
	Links: []option{{Value: "/account", Label: "Keep my account"}},
}

// showLeave serves GET /account/delete.
func (p *Pages) showLeave(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	p.renderForm(w, r, leaveForm)
	return nil
}

// leave serves POST /account/delete.
func (p *Pages) leave(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if err := p.Identity.Users.Leave(r.Context(), by); err != nil {
		return err
	}
	p.Cookies.ClearTokens(w)
	return p.redirect(w, r, "/", "leaving")
}

// nameForm changes what the account is called and the language of its mails.
func nameForm(u user.User) form {
	return form{Action: "/account/name", Button: "Save", Fields: []field{
		{Name: "name", Label: "Name", Autocomplete: "name", Max: 100, Value: u.Name, Optional: true},
		{Name: "lang", Label: "Language of our emails", Type: "choice", Value: string(u.Lang), Options: []option{
			{Value: string(user.EN), Label: "English"}, {Value: string(user.FR), Label: "Français"},
		}},
	}}
}

// changeName serves POST /account/name.
func (p *Pages) changeName(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	name, lang := r.PostForm.Get("name"), user.Lang(r.PostForm.Get("lang"))
	_, err := p.Identity.Users.Update(r.Context(), by, &name, &lang)
	if err == nil {
		return p.redirect(w, r, "/account", "changed")
	}
	return p.showAccount(w, r, by, httpx.Status(err), func(v *accountView) { v.Name = v.Name.withValues(r.PostForm).withErrors(langOf(r), err) })
}
