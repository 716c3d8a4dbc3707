package applicationpages

import (
	"net/http"

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
