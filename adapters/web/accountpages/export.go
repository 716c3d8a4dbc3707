package accountpages

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/user"
)

// exportPages lets people download what is stored about them.
func (p *Pages) exportPages() web.Feature {
	return web.Feature{Routes: []*web.Route{web.Get(exportPath, p.ForMembers(p.showExport)), web.Post(exportPath, p.ForMembers(p.export))}}
}

const exportPath = "/account/export"

var exportForm = web.FormView{
	Head: "Download your data", Text: "You get a JSON file with all the data that we store about you, without passwords and keys.",
	Form:  web.Form{Action: exportPath, Button: "Download"},
	Links: []web.Option{{Value: "/account", Label: "Back to your account"}},
}

// showExport serves GET /account/export.
func (p *Pages) showExport(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	p.RenderForm(w, r, exportForm)
	return nil
}

// export serves POST /account/export.
func (p *Pages) export(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	data, err := p.Identity.Exports.Mine(r.Context(), by)
	if err != nil {
		return p.RetryForm(w, r, exportForm, err)
	}
	return writeExport(w, data)
}
