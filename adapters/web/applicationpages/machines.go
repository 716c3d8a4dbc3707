package applicationpages

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/machine"
	"github.com/octavo-books/octavo/domain/user"
)

// machinePages registers machines, which are programs that call APIs in their own name, and resources, which are
// these APIs.
func (p *Pages) machinePages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get(machinesPath, p.ForOwners(p.machines)).InMenu(111, "Machines", ""), web.Get(machinesPath+"/one", p.ForOwners(p.machine)).With("id={machine}"),
			web.Post(machinesPath, p.ForOwners(p.addMachine)).Restores(web.Restored("Machines", machineForm(machinesPath, "Add the machine", machine.Client{}, nil))),
			web.Post(machinesPath+"/resources", p.ForOwners(p.addResource)).Restores(web.Restored("Machines", resourceForm(machinesPath+"/resources", "Add the resource", machine.Resource{}))),
			web.Post(machinesPath+"/change", p.ForOwners(p.changeMachine)), web.Post(machinesPath+"/secret", p.ForOwners(p.renewMachineSecret)),
			web.Post(machinesPath+"/remove", p.ForOwners(p.removeMachine)), web.Post(machinesPath+"/sessions", p.ForOwners(p.endMachineSessions)),
		},
		Flashes: map[string]string{
			"machinesessions": "The sessions of the machine have ended.",
			"machinechanged":  "The machine was changed.", "machinegone": "The machine was removed, and its sessions have ended.",
			"resourcechanged": "The resource was changed.", "resourcegone": "The resource was removed, and the sessions for it have ended.",
		},
	}
}

// machinesPath is the page on which owners manage machines and resources.
const machinesPath = "/dashboard/machines"

// machinesView lists machines and resources.
type machinesView struct {
	Machines                []machine.Client
	Resources               []machine.Resource
	AddMachine, AddResource web.Form
}

func resourceForm(action, button string, r machine.Resource) web.Form {
	return web.Form{Action: action, Button: button, Fields: []web.Field{
		{Name: "name", Label: "Name", Value: r.Name, Autocomplete: "off", Max: 100},
		{Name: "identifier", Label: "Identifier", Type: "url", Value: r.Identifier, Max: 2000, Hint: "The audience of its tokens, such as https://api.example.edu."},
		{Name: "scopes", Label: "Scopes", Type: "lines", Value: strings.Join(r.Scopes, "\n"), Max: 5_100, Hint: "What callers may do there, one word a line."},
	}}
}

// onResource names the checkbox of a resource.
func onResource(id string) string { return "on-" + id }

func machineForm(action, button string, m machine.Client, resources []machine.Resource) web.Form {
	f := web.Form{Action: action, Button: button, Fields: []web.Field{{Name: "name", Label: "Name", Value: m.Name, Autocomplete: "off", Max: 100}}}
	may := map[string]bool{}
	for _, id := range m.Resources {
		may[id] = true
	}
	for _, r := range resources {
		box := web.Field{Name: onResource(r.ID), Label: r.Name + " · " + r.Identifier, Type: "check", Optional: true}
		if may[r.ID] {
			box.Value = "yes"
		}
		f.Fields = append(f.Fields, box)
	}
	f.Fields = append(f.Fields,
		web.Field{Name: "scopes", Label: "Scopes", Type: "lines", Value: strings.Join(m.Scopes, "\n"), Max: 5_100, Hint: "What it may ask for at these resources, one word a line."},
		web.Field{Name: "jwks", Label: "Its public keys", Type: "lines", Value: m.Keys, Max: machine.MaxKeys, Optional: true, Hint: "A JWKS, if it signs in place of sending a secret."},
		web.Field{Name: "jwksuri", Label: "Address of its public keys", Type: "url", Value: m.KeysURL, Max: 2000, Optional: true},
	)
	return f
}

// applyMachine sets the fields of machineForm to what was typed.
func applyMachine(typed url.Values, resources []machine.Resource, m *machine.Client) {
	m.Name, m.Scopes = strings.TrimSpace(typed.Get("name")), strings.Fields(typed.Get("scopes"))
	m.Keys, m.KeysURL, m.Resources = strings.TrimSpace(typed.Get("jwks")), strings.TrimSpace(typed.Get("jwksuri")), nil
	for _, r := range resources {
		if typed.Has(onResource(r.ID)) {
			m.Resources = append(m.Resources, r.ID)
		}
	}
}

func applyResource(typed url.Values, r *machine.Resource) {
	r.Name, r.Identifier, r.Scopes = strings.TrimSpace(typed.Get("name")), strings.TrimSpace(typed.Get("identifier")), strings.Fields(typed.Get("scopes"))
}

// machines serves GET /dashboard/machines.
func (p *Pages) machines(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.showMachines(w, r, by, http.StatusOK, func(*machinesView) {})
}

func (p *Pages) showMachines(w http.ResponseWriter, r *http.Request, by user.Caller, status int, amend func(*machinesView)) (err error) {
	v := machinesView{AddResource: resourceForm(machinesPath+"/resources", "Add the resource", machine.Resource{})}
	if v.Resources, err = p.Identity.Resources.List(r.Context(), by); err != nil {
		return err
	}
	if v.Machines, err = p.Identity.Machines.List(r.Context(), by); err != nil {
		return err
	}
	if len(v.Resources) > 0 { // a machine needs one
		v.AddMachine = machineForm(machinesPath, "Add the machine", machine.Client{}, v.Resources)
	}
	amend(&v)
	return p.Show(w, r, status, "machines", "Machines", v)
}

// machineSecretView shows what the program of a machine or resource needs. Secret is "" for a machine with keys.
type machineSecretView struct{ Name, IDName, ID, SecretName, Secret, Issuer string }

func (p *Pages) showMachineSecret(w http.ResponseWriter, r *http.Request, name, id, secret string) error {
	v := machineSecretView{Name: name, IDName: "client_id", ID: id, SecretName: "client_secret", Secret: secret, Issuer: p.Identity.Authorizations.Issuer}
	if machine.IsResourceID(id) {
		v.IDName, v.SecretName = "resource_id", "resource_secret"
	}
	p.Render(w, r, http.StatusOK, "machinesecret", web.PageData{Lang: web.LangOf(r), Title: name, Page: v})
	return nil
}

// addMachine serves POST /dashboard/machines.
func (p *Pages) addMachine(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	resources, err := p.Identity.Resources.List(r.Context(), by)
	if err != nil {
		return err
	}
	var described machine.Client
	applyMachine(r.PostForm, resources, &described)
	added, secret, err := p.Identity.Machines.Add(r.Context(), by, described)
	if err != nil && web.CanRetry(err) {
		return p.showMachines(w, r, by, httpx.Status(err), func(v *machinesView) {
			v.AddMachine = machineForm(machinesPath, "Add the machine", described, resources).WithErrors(web.LangOf(r), err)
		})
	}
	if err != nil {
		return err
	}
	return p.showMachineSecret(w, r, added.Name, added.ID, secret)
}

// addResource serves POST /dashboard/machines/resources.
func (p *Pages) addResource(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	var described machine.Resource
	applyResource(r.PostForm, &described)
	added, secret, err := p.Identity.Resources.Add(r.Context(), by, described)
	if err != nil && web.CanRetry(err) {
		return p.showMachines(w, r, by, httpx.Status(err), func(v *machinesView) {
			v.AddResource = v.AddResource.WithValues(r.PostForm).WithErrors(web.LangOf(r), err)
		})
	}
	if err != nil {
		return err
	}
	return p.showMachineSecret(w, r, added.Name, added.ID, secret)
}

// machineView is the page of a machine or of a resource.
type machineView struct {
	Name, ID, IDName, Head string
	CreatedAt              time.Time
	Change, Renew, Remove  web.Form
	Sessions               []machineSession
	End                    web.Form // all of them; without an action if there are none
}

// machineSession is an access token of a machine, with the name of the resource that it is for.
type machineSession struct {
	machine.Session
	At string
}

func viewOf(name, id string, at time.Time, change web.Form) machineView {
	v := machineView{Name: name, ID: id, IDName: "client_id", Head: "Remove the machine", CreatedAt: at, Change: change}
	hidden := []web.Hidden{{Name: "id", Value: id}}
	if machine.IsResourceID(id) {
		v.IDName, v.Head = "resource_id", "Remove the resource"
	}
	v.Change.Hidden = hidden
	v.Renew = web.Form{Action: machinesPath + "/secret", Button: "Renew the secret", Hidden: hidden, Fields: []web.Field{overlapField()}}
	v.Remove = web.Form{Action: machinesPath + "/remove", Button: v.Head, Hidden: hidden}
	return v
}

// machine serves GET /dashboard/machines/one?id=.
func (p *Pages) machine(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.showMachine(w, r, by, http.StatusOK, r.URL.Query().Get("id"), nil)
}

// showMachine shows a machine or a resource, after a refused change as it was typed.
func (p *Pages) showMachine(w http.ResponseWriter, r *http.Request, by user.Caller, status int, id string, refusal error) error {
	v, err := p.describeMachine(r, by, id, refusal != nil)
	if err != nil {
		return err
	}
	if refusal != nil {
		v.Change = v.Change.WithErrors(web.LangOf(r), refusal)
	}
	p.Render(w, r, status, "machine", web.PageData{Lang: web.LangOf(r), Title: v.Name, Page: v})
	return nil
}

// describeMachine returns the page of a machine or resource, with a form that is as it was typed or as it is stored.
func (p *Pages) describeMachine(r *http.Request, by user.Caller, id string, typed bool) (machineView, error) {
	if machine.IsResourceID(id) {
		found, err := p.Identity.Resources.Find(r.Context(), by, id)
		shown := found
		if typed {
			applyResource(r.PostForm, &shown)
		}
		return viewOf(found.Name, id, found.CreatedAt, resourceForm(machinesPath+"/change", "Change the resource", shown)), err
	}
	found, err := p.Identity.Machines.Find(r.Context(), by, id)
	if err != nil {
		return machineView{}, err
	}
	resources, err := p.Identity.Resources.List(r.Context(), by)
	shown := found
	if typed {
		applyMachine(r.PostForm, resources, &shown)
	}
	v := viewOf(found.Name, id, found.CreatedAt, machineForm(machinesPath+"/change", "Change the machine", shown, resources))
	if found.HasKeys() {
		v.Renew = web.Form{}
	}
	if err == nil {
		err = p.addSessions(r, by, resources, &v)
	}
	return v, err
}

// addSessions lists the access tokens of a machine that are valid.
func (p *Pages) addSessions(r *http.Request, by user.Caller, resources []machine.Resource, v *machineView) error {
	all, err := p.Identity.Machines.ListSessions(r.Context(), by, v.ID)
	if err != nil || len(all) == 0 {
		return err
	}
	names := map[string]string{}
	for _, one := range resources {
		names[one.ID] = one.Name
	}
	for _, one := range all[:min(len(all), shownSessions)] {
		v.Sessions = append(v.Sessions, machineSession{one, cmp.Or(names[one.Resource], one.Resource)})
	}
	v.End = web.Form{Action: machinesPath + "/sessions", Button: "End all of them", Hidden: v.Change.Hidden}
	return nil
}

// shownSessions is how many of the newest sessions of a machine the page lists.
const shownSessions = 50

// endMachineSessions serves POST /dashboard/machines/sessions. It ends all sessions of a machine.
func (p *Pages) endMachineSessions(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	id := r.PostForm.Get("id")
	_, err := p.Identity.Machines.EndSessions(r.Context(), by, id)
	return p.Done(w, r, err, machinesPath+"/one?"+url.Values{"id": {id}}.Encode(), "machinesessions")
}

// changeMachine serves POST /dashboard/machines/change. A machine that has lost its keys is shown its secret.
func (p *Pages) changeMachine(w http.ResponseWriter, r *http.Request, by user.Caller) (err error) {
	id, flash, name, secret := r.PostForm.Get("id"), "machinechanged", "", ""
	if machine.IsResourceID(id) {
		flash = "resourcechanged"
		_, err = p.Identity.Resources.Update(r.Context(), by, id, func(one *machine.Resource) { applyResource(r.PostForm, one) })
	} else {
		name, secret, err = p.updateMachine(r, by, id)
	}
	switch {
	case err != nil && web.CanRetry(err):
		return p.showMachine(w, r, by, httpx.Status(err), id, err)
	case secret != "":
		return p.showMachineSecret(w, r, name, id, secret)
	}
	return p.Done(w, r, err, machinesPath+"/one?"+url.Values{"id": {id}}.Encode(), flash)
}

func (p *Pages) updateMachine(r *http.Request, by user.Caller, id string) (name, secret string, err error) {
	resources, err := p.Identity.Resources.List(r.Context(), by)
	if err != nil {
		return "", "", err
	}
	changed, secret, err := p.Identity.Machines.Update(r.Context(), by, id, func(m *machine.Client) { applyMachine(r.PostForm, resources, m) })
	return changed.Name, secret, err
}

// renewMachineSecret serves POST /dashboard/machines/secret.
func (p *Pages) renewMachineSecret(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	id := r.PostForm.Get("id")
	overlap, err := time.ParseDuration(cmp.Or(r.PostForm.Get("overlap"), "0s"))
	if err != nil {
		return machine.ErrOverlap
	}
	v, err := p.describeMachine(r, by, id, false)
	if err != nil {
		return err
	}
	renew := p.Identity.Machines.RenewSecret
	if machine.IsResourceID(id) {
		renew = p.Identity.Resources.RenewSecret
	}
	secret, err := renew(r.Context(), by, id, overlap)
	if err != nil {
		return err
	}
	return p.showMachineSecret(w, r, v.Name, id, secret)
}

// removeMachine serves POST /dashboard/machines/remove.
func (p *Pages) removeMachine(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	id, remove, flash := r.PostForm.Get("id"), p.Identity.Machines.Remove, "machinegone"
	if machine.IsResourceID(id) {
		remove, flash = p.Identity.Resources.Remove, "resourcegone"
	}
	_, err := remove(r.Context(), by, id)
	return p.Done(w, r, err, machinesPath, flash)
}
