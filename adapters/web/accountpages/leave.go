package accountpages

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/user"
)

// leavePages deletes accounts, and changes their names.
func (p *Pages) leavePages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get(leavePath, p.ForMembers(p.showLeave)), web.Post(leavePath, p.ForMembers(p.leave)),
			web.Post("/account/name", p.ForMembers(p.changeName)).Restores(web.Restored("Profile", nameForm(user.User{}))),
		},
		Flashes: map[string]string{"leaving": "Your account will be deleted in 14 days. We have sent you an email with a link to keep it."},
	}
}

const leavePath = "/account/delete"

var leaveForm = web.FormView{
	Head: "Delete your account", Text: "You are signed out everywhere at once. After 14 days your data is erased. Until then you can change your mind: just sign in.",
	Form:  web.Form{Action: leavePath, Button: "Delete my account", Danger: true},
	Links: []web.Option{{Value: "/account", Label: "Keep my account"}},
}

// showLeave serves GET /account/delete.
func (p *Pages) showLeave(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	p.RenderForm(w, r, leaveForm)
	return nil
}

// leave serves POST /account/delete.
func (p *Pages) leave(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if err := p.Identity.Users.Leave(r.Context(), by); err != nil {
		return err
	}
	p.Cookies.ClearTokens(w)
	return p.Redirect(w, r, "/", "leaving")
}

// nameForm changes what the account is called and the language of its mails.
func nameForm(u user.User) web.Form {
	return web.Form{Action: "/account/name", Button: "Save", Fields: []web.Field{
		{Name: "name", Label: "Name", Autocomplete: "name", Max: 100, Value: u.Name, Optional: true},
		{Name: "lang", Label: "Language of our emails", Type: "choice", Value: string(u.Lang), Options: []web.Option{
			{Value: string(user.EN), Label: "English"}, {Value: string(user.FR), Label: "Français"},
		}},
	}}
}

// changeName serves POST /account/name.
func (p *Pages) changeName(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	name, lang := r.PostForm.Get("name"), user.Lang(r.PostForm.Get("lang"))
	_, err := p.Identity.Users.Update(r.Context(), by, &name, &lang)
	if err == nil {
		return p.Redirect(w, r, "/account", "changed")
	}
	return p.showAccount(w, r, by, httpx.Status(err), func(v *accountView) { v.Name = v.Name.WithValues(r.PostForm).WithErrors(web.LangOf(r), err) })
}
