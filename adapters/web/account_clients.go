package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
)

// clientPages registers the applications that may sign people in.
func (p *Pages) clientPages() feature {
	return feature{
		routes: []*Route{
			get(clientsPath, p.forOwners(p.clients)).inMenu(110, "Applications", ""), get(clientsPath+"/application", p.forOwners(p.client)).with("id={application}"),
			post(clientsPath, p.forOwners(p.addClient)).restores(restored("Applications", form{Button: "Add the application", Fields: clientFields})),
			post(clientsPath+"/secret", p.forOwners(p.renewSecret)), post(clientsPath+"/remove", p.forOwners(p.removeClient)),
		},
		flashes: map[string]string{"clientgone": "The application was removed, and its sessions have ended."},
	}
}

// clientsPath is the page on which owners manage the applications that sign people in here.
const clientsPath = "/dashboard/applications"

// clientsView lists the applications.
type clientsView struct {
	Clients []openid.Client
	Add     form
}

// clientForm offers the algorithms that there are keys for.
func (p *Pages) clientForm() (form, error) {
	algorithms, err := p.Identity.Clients.Algorithms()
	if err != nil {
		return form{}, err
	}
	alg := field{Name: "alg", Label: "Algorithm of the ID tokens", Type: "choice"}
	for _, name := range algorithms {
		alg.Options = append(alg.Options, option{Value: name, Label: name})
	}
	return form{Action: clientsPath, Button: "Add the application", Fields: append(slices.Clone(clientFields), alg)}, nil
}

var clientFields = []field{
	{Name: "name", Label: "Name", Autocomplete: "off", Max: 100, Hint: "As people see it."},
	{Name: "redirect", Label: "Redirect URIs", Type: "lines", Max: 20_000, Hint: "Where people return from signing in, one address a line."},
	{Name: "logout", Label: "Addresses after signing out", Type: "lines", Max: 20_000, Optional: true, Hint: "Where people may return from signing out, one address a line."},
	{Name: "public", Label: "It cannot keep a secret: an app on a phone or a desktop, or a page in the browser", Type: "check", Optional: true},
	{Name: "first", Label: "It is our own: users are not asked for consent, and it may do everything that its user may", Type: "check", Optional: true},
}

// clients serves GET /dashboard/applications.
func (p *Pages) clients(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	f, err := p.clientForm()
	if err != nil {
		return err
	}
	return p.showClients(w, r, by, http.StatusOK, f)
}

func (p *Pages) showClients(w http.ResponseWriter, r *http.Request, by user.Caller, status int, f form) error {
	all, err := p.Identity.Clients.List(r.Context(), by)
	if err != nil {
		return err
	}
	return p.show(w, r, status, "clients", "Applications", clientsView{all, f})
}

// addClient serves POST /dashboard/applications. It answers with a page instead of a redirect,
// because the secret is shown only once.
func (p *Pages) addClient(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	typed := r.PostForm
	added, secret, err := p.Identity.Clients.Add(r.Context(), by, openid.Client{
		Name: strings.TrimSpace(typed.Get("name")), RedirectURIs: strings.Fields(typed.Get("redirect")), PostLogoutRedirectURIs: strings.Fields(typed.Get("logout")),
		Public: typed.Has("public"), FirstParty: typed.Has("first"), IDTokenAlg: typed.Get("alg"),
	})
	if err != nil && canRetry(err) {
		f, broken := p.clientForm()
		if broken != nil {
			return broken
		}
		return p.showClients(w, r, by, httpx.Status(err), f.withValues(typed).withErrors(langOf(r), err))
	}
	if err != nil {
		return err
	}
	p.showSecret(w, r, added, secret)
	return nil
}

// clientSecretView shows what an application needs to sign people in.
type clientSecretView struct {
	Client openid.Client
	Secret string // "" for a public application
	Issuer string
}

func (p *Pages) showSecret(w http.ResponseWriter, r *http.Request, c openid.Client, secret string) {
	p.render(w, r, http.StatusOK, "clientsecret", pageData{langOf(r), c.Name, clientSecretView{c, secret, p.Identity.Authorizations.Issuer}})
}

// clientView is the page of one application.
type clientView struct {
	Client        openid.Client
	Renew, Remove form
}

// client serves GET /dashboard/applications/application?id=.
func (p *Pages) client(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	c, err := p.Identity.Clients.Find(r.Context(), by, r.URL.Query().Get("id"))
	if err != nil {
		return err
	}
	id := []hidden{{"id", c.ID}, {"back", clientsPath}}
	p.render(w, r, http.StatusOK, "client", pageData{langOf(r), c.Name, clientView{
		Client: c,
		Renew:  form{Action: clientsPath + "/secret", Button: "Renew the secret", Hidden: id},
		Remove: form{Action: clientsPath + "/remove", Button: "Remove the application", Hidden: id},
	}})
	return nil
}

// renewSecret serves POST /dashboard/applications/secret.
func (p *Pages) renewSecret(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	c, err := p.Identity.Clients.Find(r.Context(), by, r.PostForm.Get("id"))
	if err != nil {
		return err
	}
	secret, err := p.Identity.Clients.RenewSecret(r.Context(), by, c.ID, 0)
	if err != nil {
		return err
	}
	p.showSecret(w, r, c, secret)
	return nil
}

// removeClient serves POST /dashboard/applications/remove.
func (p *Pages) removeClient(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.Identity.Clients.Remove(r.Context(), by, r.PostForm.Get("id"))
	return p.done(w, r, err, clientsPath, "clientgone")
}
