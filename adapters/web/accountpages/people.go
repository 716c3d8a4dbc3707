package accountpages

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/user"
)

// peoplePages lists accounts for admins.
func (p *Pages) peoplePages() web.Feature {
	f := web.Feature{
		Routes: []*web.Route{
			web.Get("/dashboard/people", p.ForAdmins(p.users)).InMenu(90, "Users", ""),
			web.Post("/dashboard/people/promote", p.ForOwners(p.promote)), web.Post("/dashboard/people/demote", p.ForOwners(p.demote)),
		},
		Flashes: map[string]string{"promoted": "The role was changed. It takes effect immediately."},
	}
	if p.Market != nil { // its API has the file
		f.Routes = append(f.Routes, web.File("/dashboard/people.csv", p.ForAdmins(p.exportPeople)))
	}
	return f
}

type usersView struct {
	Search string
	Short  bool // see IsShort
	Users  []user.User
	Owner  bool
	Market bool
	More   string
	Here   string
}

// users serves GET /dashboard/people?search=. It searches in names and addresses.
func (p *Pages) users(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	search := r.URL.Query().Get("search")
	page, err := p.Identity.Users.List(r.Context(), by, account.UserQuery{
		Search: search, InNames: true, First: web.StaffRows, After: r.URL.Query().Get("cursor"),
	})
	if err != nil {
		return err
	}
	v := usersView{Search: search, Short: web.IsShort(search), Users: page.Users, Owner: by.Role >= user.Owner, Market: p.Market != nil, Here: r.URL.RequestURI()}
	if page.HasNext {
		v.More = web.NextLink(r, page.EndCursor)
	}
	return p.Show(w, r, http.StatusOK, "users", "Users", v)
}

// promote serves POST /dashboard/people/promote.
func (p *Pages) promote(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.Identity.Users.MakeAdmin(r.Context(), by, web.IDOf[user.ID](r.PostForm.Get("id")))
	return p.Done(w, r, err, r.PostForm.Get("back"), "promoted")
}

// demote serves POST /dashboard/people/demote.
func (p *Pages) demote(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.Identity.Users.RevokeAdmin(r.Context(), by, web.IDOf[user.ID](r.PostForm.Get("id")))
	return p.Done(w, r, err, r.PostForm.Get("back"), "promoted")
}

// exportPeople serves GET /dashboard/people.csv?search=, as exportOrders does.
func (p *Pages) exportPeople(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	return web.RedirectToExport(w, r, "exportUsers", "search")
}
