package web_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func TestOwnersAddChangeRenewAndRemoveMachinesAndResources(t *testing.T) {
	site := newAuthSite(t)
	root, admin := site.person("root@example.org"), site.person("admin@example.org")
	for email, role := range map[string]user.Role{"root@example.org": user.Owner, "admin@example.org": user.Admin} {
		site.promote(email, role)
	}
	const list, one = "/dashboard/machines", "/dashboard/machines/one?id="
	root.open("/dashboard/people").shows(200, `href="`+list+`"`)
	root.open(list).shows(200, "None.", "Add a resource").lacks("Add a machine")
	root.send(list+"/resources", "name", "Prices", "identifier", "prices", "scopes", "read").shows(400, "absolute URI", `value="Prices"`)
	added := root.send(list+"/resources", "name", " Prices ", "identifier", "https://prices.example", "scopes", "read\r\nwrite").shows(200, "not shown again")
	api, secret := added.shownValue("resource_id"), added.shownValue("resource_secret")
	root.send(list+"/resources", "name", "Again", "identifier", "https://prices.example", "scopes", "read").shows(409, "belongs to another resource")

	root.open(list).shows(200, one+api, "read, write", "Add a machine", `name="on-`+api+`"`).lacks(secret)
	root.send(list, "name", "Robot", "scopes", "read").shows(400, "1 to 50 resources", `value="Robot"`)
	made := root.send(list, "name", "Robot", "scopes", "read", "on-"+api, "yes").shows(200, "Robot", "not shown again")
	robot := made.shownValue("client_id")
	root.open(one+robot).shows(200, "Robot", `name="on-`+api+`" type="checkbox" value="yes" checked`, "Renew the secret").lacks(made.shownValue("client_secret"))
	root.send(list+"/change", "id", robot, "name", "Arm", "scopes", "write", "on-"+api, "yes", "jwks", "{}").shows(400, "JWKS", `value="Arm"`)
	root.send(list+"/change", "id", robot, "name", "Arm", "scopes", "write", "on-"+api, "yes").shows(200, "The machine was changed", `value="Arm"`)
	root.send(list+"/change", "id", api, "name", "Costs", "identifier", "https://prices.example", "scopes", "write").shows(200, "The resource was changed", `value="Costs"`)

	renewed := root.send(list+"/secret", "id", robot, "overlap", "24h").shows(200, "not shown again")
	if m, err := site.Machines.Find(t.Context(), user.Caller{ID: -1, Role: user.Owner}, robot); err != nil || m.Name != "Arm" || m.Scopes[0] != "write" ||
		m.Authenticate(made.shownValue("client_secret"), site.Clock.Now()) != nil || m.Authenticate(renewed.shownValue("client_secret"), site.Clock.Now()) != nil {
		t.Errorf("%+v, %v", m, err)
	}
	m := must.Get(site.Machines.Find(t.Context(), user.Caller{ID: -1, Role: user.Owner}, robot))(t)
	token := must.Get(site.MachineTokens.Issue(t.Context(), m, "", "", user.ClientInfo{IP: "192.0.2.44"}))(t)
	r := must.Get(site.Resources.Find(t.Context(), user.Caller{ID: -1, Role: user.Owner}, api))(t)
	root.open(one+robot).shows(200, "Costs · write · 192.0.2.44", "End all of them").lacks(token.AccessToken)
	admin.send(list+"/sessions", "id", robot).shows(403)
	root.send(list+"/sessions", "id", robot).shows(200, "The sessions of the machine have ended").lacks("192.0.2.44")
	if info, err := site.MachineTokens.Inspect(t.Context(), r, token.AccessToken); err != nil || info.Active {
		t.Errorf("the token goes on: %+v, %v", info, err)
	}
	if again := root.send(list+"/secret", "id", api).shows(200, "not shown again"); again.shownValue("resource_secret") == secret {
		t.Error("the secret of the resource is the same")
	}
	for _, path := range []string{list, one + robot, one + api} {
		admin.open(path).shows(403)
	}
	admin.send(list+"/remove", "id", robot).shows(403)
	root.send(list+"/remove", "id", robot).shows(200, "The machine was removed").lacks("Arm")
	root.send(list+"/remove", "id", api).shows(200, "The resource was removed").lacks("Costs")
	root.open(one + api).shows(404)
	root.open(one + robot).shows(404)
}

func TestAdminsSeeAndSetRolesAndGroups(t *testing.T) {
	site := newAuthSite(t)
	root, ann := site.person("root@example.org"), site.person("ann@example.org")
	site.promote("root@example.org", user.Owner)
	page := root.open("/dashboard/people").shows(200).link("ann@example.org")
	id := root.open(page).shows(200, "Roles and groups").hidden("id")
	root.send("/dashboard/people/labels", "id", id, "back", page, "roles", "tutor\r\n\r\nhead of desk", "groups", "Lyon").
		shows(200, "The roles and groups were changed", "head of desk, tutor", "<dd>Lyon</dd>", "head of desk\ntutor</textarea>")
	root.send("/dashboard/people/labels", "id", id, "back", page, "roles", "", "groups", "Lyon").shows(200, "<dd>Lyon</dd>").lacks("<dt>Roles</dt>", "tutor</textarea>")
	root.send("/dashboard/people/labels", "id", id, "back", page, "roles", "dean", "groups", strings.Repeat("x", 101)).shows(400, "at most 50 roles or groups")
	root.open(page).shows(200, "<dd>Lyon</dd>").lacks("dean")
	ann.send("/dashboard/people/labels", "id", id, "back", page, "roles", "owner").shows(403)
}
