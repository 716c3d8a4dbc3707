package accountpages

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// privacyPages answers requests of people who cannot do it themselves: what is stored about them, and its deletion.
func (p *Pages) privacyPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get(personExportPath, p.ForOwners(p.showPersonExport)).With("id={person}"), web.Post(personExportPath, p.ForOwners(p.exportPerson)),
			web.Get(personDeletePath, p.ForAdmins(p.showPersonDelete)).With("id={person}"), web.Post(personDeletePath, p.ForAdmins(p.deletePerson)),
		},
		Flashes: map[string]string{"erased": "The account is deleted."},
	}
}

const (
	personExportPath = "/dashboard/people/export"
	personDeletePath = "/dashboard/people/delete"
	personPath       = "/dashboard/people/person?id="
)

func personExportForm(id string) web.FormView {
	return web.FormView{
		Head:  "Download their data",
		Text:  "You get a JSON file with all that is stored about this person, for somebody who cannot sign in. The audit log records it.",
		Form:  web.Form{Action: personExportPath, Button: "Download", Hidden: []web.Hidden{{Name: "id", Value: id}}},
		Links: []web.Option{{Value: personPath + id, Label: "Back to the person"}},
	}
}

// showPersonExport serves GET /dashboard/people/export?id=.
func (p *Pages) showPersonExport(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	u, err := p.Identity.Users.Find(r.Context(), by, web.IDOf[user.ID](r.URL.Query().Get("id")))
	if err != nil {
		return err
	}
	p.RenderForm(w, r, personExportForm(u.ID.String()))
	return nil
}

// exportPerson serves POST /dashboard/people/export.
func (p *Pages) exportPerson(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	id := r.PostForm.Get("id")
	data, err := p.Identity.Exports.Of(r.Context(), by, web.IDOf[user.ID](id))
	if err != nil {
		return p.RetryForm(w, r, personExportForm(id), err)
	}
	return writeExport(w, data)
}

// writeExport sends what is stored about somebody as a file.
func writeExport(w http.ResponseWriter, data json.RawMessage) error {
	var text bytes.Buffer
	if err := json.Indent(&text, data, "", "  "); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="account.json"`)
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(text.Bytes())
	return nil
}

func personDeleteForm(id string) web.FormView {
	return web.FormView{
		Head: "Delete the account",
		Text: "The account goes at once and for good, with everything but titles, prices and amounts. Open orders stay in the queue, for you to complete or cancel.",
		Form: web.Form{
			Action: personDeletePath, Button: "Delete the account", Danger: true, Hidden: []web.Hidden{{Name: "id", Value: id}},
			Fields: []web.Field{{Name: "email", Label: "Email address", Type: "email", Autocomplete: "off", Max: 254, Hint: "Type the address of the account, to be sure."}},
		},
		Links: []web.Option{{Value: personPath + id, Label: "Back to the person"}},
	}
}

// showPersonDelete serves GET /dashboard/people/delete?id=.
func (p *Pages) showPersonDelete(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	u, err := p.Identity.Users.Find(r.Context(), by, web.IDOf[user.ID](r.URL.Query().Get("id")))
	if err != nil {
		return err
	}
	p.RenderForm(w, r, personDeleteForm(u.ID.String()))
	return nil
}

var errOtherAddress = fault.New(fault.Invalid, "invalid_fields", "Some fields are missing or invalid.").
	WithField("email", "This is not the address of the account.")

// deletePerson serves POST /dashboard/people/delete.
func (p *Pages) deletePerson(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	id := r.PostForm.Get("id")
	u, err := p.Identity.Users.Find(r.Context(), by, web.IDOf[user.ID](id))
	if err != nil {
		return err
	}
	if !strings.EqualFold(strings.TrimSpace(r.PostForm.Get("email")), string(u.Email)) {
		return p.RetryForm(w, r, personDeleteForm(id), errOtherAddress)
	}
	if _, err := p.Identity.Users.Delete(r.Context(), by, []user.ID{u.ID}); err != nil {
		return p.RetryForm(w, r, personDeleteForm(id), err)
	}
	return p.Redirect(w, r, "/dashboard/people", "erased")
}
