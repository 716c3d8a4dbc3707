package buyingpages

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/desk"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// deskPages is where and when books are handed in.
func (p *Pages) deskPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get(web.DesksPath, p.ForAdmins(p.desks)).InMenu(60, "Desks", ""), web.Post(web.DesksPath, p.ForAdmins(p.saveDesk)).Restores(web.Restored("Desks", deskForm)),
			web.Post(web.DesksPath+"/remove", p.ForAdmins(p.removeDesk)),
		},
		Flashes: map[string]string{
			"desk_saved":   "The desk is saved.",
			"desk_removed": "The desk is removed.",
		},
	}
}

type desksView struct {
	Form  web.Form
	Desks []desk.Desk
}

var deskForm = web.Form{Action: web.DesksPath, Button: "Save", Fields: []web.Field{
	{Name: "university", Label: "University", Max: desk.MaxLine, Hint: "A university has one desk. Enter it again to change it."},
	{Name: "place", Label: "Place", Max: desk.MaxLine},
	{Name: "hours", Label: "Opening hours", Max: desk.MaxLine},
	{Name: "notes", Label: "Notes", Type: "lines", Max: desk.MaxNotes, Optional: true},
}}

// desks serves GET /dashboard/desks, with the fields filled in from ?university=, or with the
// desk of an admin of one university.
func (p *Pages) desks(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.showDesks(w, r, by, http.StatusOK, nil)
}

// showDesks lists the desks. form is nil unless it was submitted with errors.
func (p *Pages) showDesks(w http.ResponseWriter, r *http.Request, by user.Caller, status int, f *web.Form) error {
	all, err := p.Market.Desks.List(r.Context(), by)
	if err != nil {
		return err
	}
	v := desksView{deskForm, all}
	if f != nil {
		v.Form = *f
	} else if u := cmp.Or(by.Campus(), r.URL.Query().Get("university")); u != "" {
		v.Form = deskForm.WithValues(url.Values{"university": {u}})
		for _, d := range all {
			if text.Key(d.University) == text.Key(u) {
				v.Form = deskForm.WithValues(url.Values{"university": {d.University}, "place": {d.Place}, "hours": {d.Hours}, "notes": {d.Notes}})
			}
		}
	}
	v.Form = v.Form.AtCampusOf(by)
	return p.Show(w, r, status, "desks", "Desks", v)
}

// saveDesk serves POST /dashboard/desks.
func (p *Pages) saveDesk(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	f := r.PostForm
	err := p.Market.Desks.Save(r.Context(), by, desk.Desk{
		University: f.Get("university"), Place: f.Get("place"), Hours: f.Get("hours"), Notes: strings.ReplaceAll(f.Get("notes"), "\r\n", "\n"),
	})
	if err != nil && web.CanRetry(err) {
		wrong := deskForm.WithValues(f).WithErrors(web.LangOf(r), err)
		return p.showDesks(w, r, by, httpx.Status(err), &wrong)
	}
	return p.Done(w, r, err, web.DesksPath, "desk_saved")
}

// removeDesk serves POST /dashboard/desks/remove. One that is gone counts as removed.
func (p *Pages) removeDesk(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	err := p.Market.Desks.Remove(r.Context(), by, r.PostForm.Get("id"))
	if err != nil && !errors.Is(err, desk.ErrNotFound) {
		return err
	}
	return p.Redirect(w, r, web.DesksPath, "desk_removed")
}
