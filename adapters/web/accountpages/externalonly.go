package accountpages

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/user"
)

// externalOnly reports whether people sign in at external services only.
func (p *Pages) externalOnly() bool { return p.Identity != nil && p.Identity.SignIns.ExternalOnly }

// breakGlass is the parameter of /login with which an owner gets the form for the password, where others sign in
// at services. No page links to it.
const breakGlass = "break-glass"

// withServicesOnly leaves the buttons of the services on the page that signs people in, and for an owner who may
// break the glass the form.
func withServicesOnly(v web.FormView, r *http.Request) web.FormView {
	if r.URL.Query().Has(breakGlass) || r.Method == http.MethodPost {
		return v
	}
	v.Form = web.Form{}
	return v
}

// withPasswords is for pages that people need for their passwords and mailed codes. Without any they find the
// services.
func (p *Pages) withPasswords(h web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request, by user.Caller) error {
		if p.externalOnly() {
			http.Redirect(w, r, "/login", http.StatusSeeOther)
			return nil
		}
		return h(w, r, by)
	}
}
