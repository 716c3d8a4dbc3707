package applicationpages

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// clientPages registers the applications that may sign people in.
func (p *Pages) clientPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get(clientsPath, p.ForOwners(p.clients)).InMenu(110, "Applications", ""), web.Get(clientsPath+"/application", p.ForOwners(p.client)).With("id={application}"),
			web.Post(clientsPath, p.ForOwners(p.addClient)).Restores(web.Restored("Applications", web.Form{Button: "Add the application", Fields: clientFields})),
			web.Post(clientsPath+"/change", p.ForOwners(p.changeClient)), web.Post(clientsPath+"/secret", p.ForOwners(p.renewSecret)), web.Post(clientsPath+"/remove", p.ForOwners(p.removeClient)),
		},
		Flashes: map[string]string{"clientchanged": "The application was changed.", "clientgone": "The application was removed, and its sessions have ended."},
	}
}

// clientsPath is the page on which owners manage the applications that sign people in here.
const clientsPath = "/dashboard/applications"

// clientsView lists the applications.
type clientsView struct {
	Clients []listedClient
	Add     web.Form
}

// listedClient is an application with the lifetimes that are set, as text.
type listedClient struct {
	openid.Client
	Access, Session string
}

// clientForm offers the algorithms that there are keys for.
func (p *Pages) clientForm() (web.Form, error) {
	algorithms, err := p.Identity.Clients.Algorithms()
	if err != nil {
		return web.Form{}, err
	}
	alg := web.Field{Name: "alg", Label: "Algorithm of the ID tokens", Type: "choice"}
	for _, name := range algorithms {
		alg.Options = append(alg.Options, web.Option{Value: name, Label: name})
	}
	return web.Form{Action: clientsPath, Button: "Add the application", Fields: append(slices.Clone(clientFields), alg)}, nil
}

var clientFields = []web.Field{
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

func (p *Pages) showClients(w http.ResponseWriter, r *http.Request, by user.Caller, status int, f web.Form) error {
	all, err := p.Identity.Clients.List(r.Context(), by)
	if err != nil {
		return err
	}
	v := clientsView{Add: f}
	for _, c := range all {
		v.Clients = append(v.Clients, listedClient{c, text.Duration(c.AccessLifetime), text.Duration(c.SessionLifetime)})
	}
	return p.Show(w, r, status, "clients", "Applications", v)
}

// addClient serves POST /dashboard/applications. It answers with a page instead of a redirect,
// because the secret is shown only once.
func (p *Pages) addClient(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	typed := r.PostForm
	added, secret, err := p.Identity.Clients.Add(r.Context(), by, openid.Client{
		Name: strings.TrimSpace(typed.Get("name")), RedirectURIs: strings.Fields(typed.Get("redirect")), PostLogoutRedirectURIs: strings.Fields(typed.Get("logout")),
		Public: typed.Has("public"), FirstParty: typed.Has("first"), IDTokenAlg: typed.Get("alg"),
	})
	if err != nil && web.CanRetry(err) {
		f, broken := p.clientForm()
		if broken != nil {
			return broken
		}
		return p.showClients(w, r, by, httpx.Status(err), f.WithValues(typed).WithErrors(web.LangOf(r), err))
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
	p.Render(w, r, http.StatusOK, "clientsecret", web.PageData{Lang: web.LangOf(r), Title: c.Name, Page: clientSecretView{c, secret, p.Identity.Authorizations.Issuer}})
}

// clientView is the page of one application.
type clientView struct {
	Client                openid.Client
	Change, Renew, Remove web.Form
}

// changeForm shows what can be changed of an application, as it is.
func changeForm(c openid.Client) web.Form {
	lines := func(all []string) string { return strings.Join(all, "\n") }
	checked := map[bool]string{true: "yes"}
	address := func(name, label, value string) web.Field {
		return web.Field{Name: name, Label: label, Type: "url", Value: value, Max: 2000, Optional: true}
	}
	lifetime := func(name, label, hint string, value time.Duration) web.Field {
		return web.Field{Name: name, Label: label, Hint: hint, Value: text.Duration(value), Autocomplete: "off", Max: 20, Optional: true}
	}
	levels := web.Field{Name: "acr", Label: "People must sign in", Type: "choice", Value: c.RequireACR, Options: []web.Option{
		{Label: "in any way"}, {Value: session.TwoFactors.String(), Label: "with two factors"}, {Value: session.Passkey.String(), Label: "with a passkey"},
	}}
	f := web.Form{Action: clientsPath + "/change", Button: "Change the application", Hidden: []web.Hidden{{Name: "id", Value: c.ID}}, Fields: []web.Field{
		{Name: "name", Label: "Name", Value: c.Name, Autocomplete: "off", Max: 100, Hint: "As people see it."},
		{Name: "redirect", Label: "Redirect URIs", Type: "lines", Value: lines(c.RedirectURIs), Max: 20_000, Hint: "Where people return from signing in, one address a line."},
		{Name: "logout", Label: "Addresses after signing out", Type: "lines", Value: lines(c.PostLogoutRedirectURIs), Max: 20_000, Optional: true, Hint: "Where people may return from signing out, one address a line."},
		levels, lifetime("access", "Access tokens are valid for", "Such as 5m: from 1m to 24h. Empty: as for all applications.", c.AccessLifetime),
		lifetime("session", "People stay signed in to it for at most", "Such as 12h or 30d: from 5m to 365d. Empty: as for all applications.", c.SessionLifetime),
		address("backchannel", "Address that is told of ended sessions", c.BackchannelLogoutURI),
		address("frontchannel", "Page that is loaded when somebody signs out", c.FrontchannelLogoutURI), address("logo", "Address of its logo", c.LogoURI),
		address("policy", "Address of its privacy policy", c.PolicyURI), address("terms", "Address of its terms", c.TermsURI),
		{Name: "first", Label: "It is our own: users are not asked for consent, and it may do everything that its user may", Type: "check", Value: checked[c.FirstParty], Optional: true},
	}}
	if !c.Public {
		f.Fields = append(f.Fields, web.Field{Name: "nopkce", Label: "It may sign people in without PKCE, because its library cannot", Type: "check", Value: checked[c.PKCEOptional], Optional: true})
	}
	return f
}

// lifetimeOf reads a duration that was typed: 0 for nothing, and -1, which is refused, for anything else.
func lifetimeOf(typed string) time.Duration {
	typed = strings.ReplaceAll(typed, " ", "")
	if typed == "" {
		return 0
	}
	d, err := text.ParseDuration(typed)
	if err != nil {
		return -1
	}
	return d
}

// applyTyped sets the fields of changeForm to what was typed.
func applyTyped(typed url.Values, c *openid.Client) {
	address := func(name string) string { return strings.TrimSpace(typed.Get(name)) }
	c.Name, c.RedirectURIs, c.PostLogoutRedirectURIs = address("name"), strings.Fields(typed.Get("redirect")), strings.Fields(typed.Get("logout"))
	c.FirstParty, c.PKCEOptional, c.RequireACR = typed.Has("first"), typed.Has("nopkce") && !c.Public, typed.Get("acr")
	c.AccessLifetime, c.SessionLifetime = lifetimeOf(typed.Get("access")), lifetimeOf(typed.Get("session"))
	c.BackchannelLogoutURI, c.FrontchannelLogoutURI = address("backchannel"), address("frontchannel")
	c.LogoURI, c.PolicyURI, c.TermsURI = address("logo"), address("policy"), address("terms")
}

// changeClient serves POST /dashboard/applications/change.
func (p *Pages) changeClient(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	c, err := p.Identity.Clients.Find(r.Context(), by, r.PostForm.Get("id"))
	if err != nil {
		return err
	}
	_, _, err = p.Identity.Clients.Update(r.Context(), by, c.ID, func(c *openid.Client) { applyTyped(r.PostForm, c) })
	if err != nil && web.CanRetry(err) {
		typed := c
		applyTyped(r.PostForm, &typed)
		p.showClient(w, r, httpx.Status(err), c, changeForm(typed).WithValues(r.PostForm).WithErrors(web.LangOf(r), err))
		return nil
	}
	return p.Done(w, r, err, clientsPath+"/application?"+url.Values{"id": {c.ID}}.Encode(), "clientchanged")
}

func (p *Pages) showClient(w http.ResponseWriter, r *http.Request, status int, c openid.Client, change web.Form) {
	id := []web.Hidden{{Name: "id", Value: c.ID}, {Name: "back", Value: clientsPath}}
	p.Render(w, r, status, "client", web.PageData{Lang: web.LangOf(r), Title: c.Name, Page: clientView{
		Client: c, Change: change,
		Renew:  web.Form{Action: clientsPath + "/secret", Button: "Renew the secret", Hidden: id, Fields: []web.Field{overlapField()}},
		Remove: web.Form{Action: clientsPath + "/remove", Button: "Remove the application", Hidden: id},
	}})
}

// overlapField asks how long a replaced secret goes on working.
func overlapField() web.Field {
	return web.Field{Name: "overlap", Label: "The present secret works", Type: "choice", Value: "0s", Options: []web.Option{
		{Value: "0s", Label: "no longer"}, {Value: "24h", Label: "for another day"}, {Value: "168h", Label: "for another 7 days"},
	}}
}

// client serves GET /dashboard/applications/application?id=.
func (p *Pages) client(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	c, err := p.Identity.Clients.Find(r.Context(), by, r.URL.Query().Get("id"))
	if err != nil {
		return err
	}
	p.showClient(w, r, http.StatusOK, c, changeForm(c))
	return nil
}

// renewSecret serves POST /dashboard/applications/secret.
func (p *Pages) renewSecret(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	c, err := p.Identity.Clients.Find(r.Context(), by, r.PostForm.Get("id"))
	if err != nil {
		return err
	}
	overlap, err := time.ParseDuration(cmp.Or(r.PostForm.Get("overlap"), "0s"))
	if err != nil {
		return openid.ErrOverlap
	}
	secret, err := p.Identity.Clients.RenewSecret(r.Context(), by, c.ID, overlap)
	if err != nil {
		return err
	}
	p.showSecret(w, r, c, secret)
	return nil
}

// removeClient serves POST /dashboard/applications/remove.
func (p *Pages) removeClient(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.Identity.Clients.Remove(r.Context(), by, r.PostForm.Get("id"))
	return p.Done(w, r, err, clientsPath, "clientgone")
}
