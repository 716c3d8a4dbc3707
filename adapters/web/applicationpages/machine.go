package applicationpages

import (
	"cmp"
	"net/http"
	"net/url"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/machine"
	"github.com/octavo-books/octavo/domain/user"
)

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
