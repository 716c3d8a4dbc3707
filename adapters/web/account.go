package web

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

type accountView struct {
	User              user.User
	Tally             *market.UserStatistics // nil: no student yet
	Profile, Password form
	Devices           []session.Session
	Here              user.SessionID
}

func profileForm(u user.User) form {
	f := form{Action: "/account", Button: "Save", Fields: profileFields}
	if u.Profile == nil {
		return f
	}
	return f.filled(map[string][]string{
		"firstName": {u.Profile.FirstName}, "lastName": {u.Profile.LastName}, "university": {u.Profile.University},
		"campusMailbox": {u.Profile.CampusMailbox}, "paymentUsername": {u.Profile.PaymentUsername},
	})
}

var passwordForm = form{Action: "/account/password", Button: "Change password", Fields: []field{
	{Name: "password", Label: "Current password", Type: "password", Auto: "current-password", Max: 512},
	{Name: "newPassword", Label: "New password", Type: "password", Auto: "new-password", Max: 512, Hint: passwordHint},
}}

// account serves GET /account: who one is here, what one has done, where one is
// signed in.
func (p *Pages) account(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.showAccount(w, r, by, http.StatusOK, func(*accountView) {})
}

// showAccount lets amend put in what went wrong with one of the forms.
func (p *Pages) showAccount(w http.ResponseWriter, r *http.Request, by user.Caller, status int, amend func(*accountView)) error {
	u, err := p.Market.People.Me(r.Context(), by)
	if err != nil {
		return err
	}
	v := accountView{User: u, Profile: profileForm(u), Password: passwordForm, Here: by.Session}
	if v.Devices, err = p.Market.Sessions.List(r.Context(), by, by.ID); err != nil {
		return err
	}
	if by.Student {
		tally, err := p.Market.Statistics.ForUser(r.Context(), by)
		if err != nil {
			return err
		}
		v.Tally = &tally
	}
	amend(&v)
	lang := langOf(r)
	p.show(w, r, status, "account", frame{lang, say(lang, "Your account"), v})
	return nil
}

// changeProfile serves POST /account.
func (p *Pages) changeProfile(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	of := func(name string) *string { s := r.PostForm.Get(name); return &s }
	_, err := p.Market.People.UpdateProfile(r.Context(), by, auth.ProfileChange{
		FirstName: of("firstName"), LastName: of("lastName"), University: of("university"),
		CampusMailbox: of("campusMailbox"), PaymentUsername: of("paymentUsername"),
	})
	if err == nil {
		return p.onward(w, r, "/account", "changed")
	}
	return p.showAccount(w, r, by, httpx.Status(err), func(v *accountView) {
		v.Profile = v.Profile.filled(r.PostForm).blamed(langOf(r), err)
	})
}

// changePassword serves POST /account/password.
func (p *Pages) changePassword(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	err := p.Market.Passwords.Change(r.Context(), by, r.PostForm.Get("password"), r.PostForm.Get("newPassword"))
	if err == nil {
		return p.onward(w, r, "/account", "password")
	}
	if f := fault.As(err); f != nil && f.Kind == fault.Invalid {
		err = f.WithField("newPassword", f.Fields["password"])
	}
	return p.showAccount(w, r, by, httpx.Status(err), func(v *accountView) { v.Password = v.Password.blamed(langOf(r), err) })
}

// endDevice serves POST /account/device: it signs another device out.
func (p *Pages) endDevice(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if err := p.Market.Sessions.Revoke(r.Context(), by, idOf[user.SessionID](r.PostForm.Get("id"))); err != nil {
		return err
	}
	return p.onward(w, r, "/account", "ended")
}

// idOf reads an id; 0, which nothing has, for a text that is none.
func idOf[ID ~int64](s string) ID {
	n, _ := id.Parse(s)
	return ID(n)
}
