package accountpages

import (
	"net/http"
	"net/url"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// profilePages is the page of the viewer's account.
func (p *Pages) profilePages() web.Feature {
	f := web.Feature{
		Routes: []*web.Route{
			web.Get("/account", p.ForMembers(p.account)), web.Post("/account/password", p.ForMembers(p.changePassword)), web.Post("/account/device", p.ForMembers(p.revokeSession)),
		},
		Flashes: map[string]string{
			"changed":  "Your changes are saved.",
			"password": "Your password was changed. Your other devices have been signed out.",
			"ended":    "The device was signed out.",
			"profile":  "Please complete your student profile first.",
		},
	}
	if p.Market != nil {
		f.Routes = append(f.Routes, web.Post("/account", p.ForMembers(p.changeProfile)).Restores(func(typed url.Values) web.FormView {
			return web.FormView{Head: "Profile", Form: emptyProfileForm(!typed.Has("university"))}
		}))
	}
	return f
}

type accountView struct {
	User              user.User
	Statistics        *guarding.UserStatistics // nil without a student profile
	Name              web.Form
	Profile, Password web.Form
	Devices           []session.Session
	Here              user.SessionID
	Applications      map[string]string // names by id, of sessions of applications
}

// emptyProfileForm asks for a profile, without the university if that is known.
func emptyProfileForm(known bool) web.Form {
	return web.Form{Action: "/account", Button: "Save", Fields: profileFieldsFor(known)}
}

const campusFixedHint = "Admins stay at their university. Ask an owner to take the role back before you change it."

// profileForm is filled with the profile of the caller, whose account is u.
func (p *Pages) profileForm(by user.Caller, u user.User) web.Form {
	f := emptyProfileForm(p.Campus.University(u.Email) != "")
	if by.CampusOnly && u.Role == user.Admin {
		f = f.WithFixed("university", campusFixedHint)
	}
	if u.Profile == nil {
		return f
	}
	return f.WithValues(map[string][]string{
		"firstName": {u.Profile.FirstName}, "lastName": {u.Profile.LastName}, "university": {u.Profile.University},
		"campusMailbox": {u.Profile.CampusMailbox}, "paymentUsername": {u.Profile.PaymentUsername},
	})
}

var passwordForm = web.Form{Action: "/account/password", Button: "Change password", Fields: []web.Field{
	{Name: "password", Label: "Current password", Type: "password", Autocomplete: "current-password", Max: 512},
	{Name: "newPassword", Label: "New password", Type: "password", Autocomplete: "new-password", Max: 512, Hint: passwordHint},
}}

// account serves GET /account: profile, statistics and sessions.
func (p *Pages) account(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.showAccount(w, r, by, http.StatusOK, func(*accountView) {})
}

// showAccount renders the page. amend can add the errors of a form.
func (p *Pages) showAccount(w http.ResponseWriter, r *http.Request, by user.Caller, status int, amend func(*accountView)) error {
	u, err := p.Identity.Users.Me(r.Context(), by)
	if err != nil {
		return err
	}
	v := accountView{User: u, Name: nameForm(u), Password: passwordForm, Here: by.Session}
	if p.externalOnly() && !u.BreaksGlass() {
		v.Password = web.Form{}
	}
	if p.Market != nil {
		v.Profile = p.profileForm(by, u)
	}
	if v.Devices, err = p.Identity.Sessions.List(r.Context(), by, by.ID); err != nil {
		return err
	}
	if v.Applications, err = p.Identity.Clients.NamesOf(r.Context(), v.Devices); err != nil {
		return err
	}
	if by.Student && p.Market != nil {
		statistics, err := p.Market.Statistics.ForUser(r.Context(), by)
		if err != nil {
			return err
		}
		v.Statistics = &statistics
	}
	amend(&v)
	return p.Show(w, r, status, "account", "Your account", v)
}

// changeProfile serves POST /account.
func (p *Pages) changeProfile(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	value := func(name string) *string { s := r.PostForm.Get(name); return &s }
	_, err := p.Identity.Users.UpdateProfile(r.Context(), by, account.ProfileChange{
		FirstName: value("firstName"), LastName: value("lastName"), University: value("university"),
		CampusMailbox: value("campusMailbox"), PaymentUsername: value("paymentUsername"),
	})
	if err == nil {
		return p.Redirect(w, r, "/account", "changed")
	}
	return p.showAccount(w, r, by, httpx.Status(err), func(v *accountView) {
		v.Profile = v.Profile.WithValues(r.PostForm).WithErrors(web.LangOf(r), err)
	})
}

// changePassword serves POST /account/password.
func (p *Pages) changePassword(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	err := p.Identity.Passwords.Change(r.Context(), by, r.PostForm.Get("password"), r.PostForm.Get("newPassword"))
	if err == nil {
		return p.Redirect(w, r, "/account", "password")
	}
	if f := fault.As(err); f != nil && f.Kind == fault.Invalid {
		err = f.WithField("newPassword", f.Fields["password"])
	}
	return p.showAccount(w, r, by, httpx.Status(err), func(v *accountView) { v.Password = v.Password.WithErrors(web.LangOf(r), err) })
}

// revokeSession serves POST /account/device.
func (p *Pages) revokeSession(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	err := p.Identity.Sessions.Revoke(r.Context(), by, web.IDOf[user.SessionID](r.PostForm.Get("id")))
	return p.Done(w, r, err, "/account", "ended")
}
