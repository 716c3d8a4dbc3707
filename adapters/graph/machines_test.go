package graph_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

// idIn returns the first id in an answer.
func idIn(a answer) string {
	_, rest, _ := strings.Cut(a.Text, `"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

func TestOwnersManageMachinesAndResources(t *testing.T) {
	c := newCore(t, nil)
	header := bearer(c.at("root", "Lyon", user.Owner).AccessToken)
	const resource, robot = "resource { id name identifier scopes previousSecretUntil } secret", "machine { id name resources scopes jwks jwksUri previousSecretUntil } secret"
	added := c.ask(`mutation { addResource(input: {name: "Prices", identifier: "https://prices.example", scopes: ["read", "write"]}) { `+resource+` } }`, nil, header...)
	api := idIn(added)
	if added.code() != "" || !strings.HasPrefix(api, "r") || strings.Contains(added.Text, `"secret":null`) {
		t.Fatalf("%s", added)
	}
	added = c.ask(`mutation($r: ID!) { addMachine(input: {name: "Robot", resources: [$r], scopes: ["read"]}) { `+robot+` } }`, map[string]any{"r": api}, header...)
	id := idIn(added)
	if added.code() != "" || !strings.HasPrefix(id, "m") || strings.Contains(added.Text, `"secret":null`) {
		t.Fatalf("%s", added)
	}
	for _, test := range []struct{ call, id, want string }{ // each builds on those before
		{`updateResource(id: $id, input: {name: "Costs"}) { ` + resource + ` }`, api, `"name":"Costs","identifier":"https://prices.example","scopes":["read","write"],"previousSecretUntil":null},"secret":null`},
		{`renewResourceSecret(id: $id, overlap: 604800) { ` + resource + ` }`, api, `"previousSecretUntil":"20`},
		{`updateMachine(id: $id, input: {scopes: ["write"]}) { ` + robot + ` }`, id, `"name":"Robot","resources":["` + api + `"],"scopes":["write"],"jwks":null,"jwksUri":null`},
		{`renewMachineSecret(id: $id, overlap: 60) { ` + robot + ` }`, id, `"previousSecretUntil":"20`},
		{`updateMachine(id: $id, input: {resources: ["r1"]}) { secret }`, id, "NOT_FOUND"},
		{`updateMachine(id: $id, input: {scopes: []}) { secret }`, id, "BAD_REQUEST"},
		{`renewMachineSecret(id: $id, overlap: 604801) { secret }`, id, "BAD_REQUEST"},
		{`renewResourceSecret(id: $id, overlap: -1) { secret }`, api, "BAD_REQUEST"},
		{`updateResource(id: $id, input: {identifier: "prices"}) { secret }`, api, "BAD_REQUEST"},
		{`updateResource(id: $id, input: {}) { secret }`, "r1", "NOT_FOUND"},
		{`updateMachine(id: $id, input: {}) { secret }`, "m1", "NOT_FOUND"},
		{`removeMachine(id: $id)`, "m1", "NOT_FOUND"},
		{`removeResource(id: $id)`, "", "NOT_FOUND"},
		{`addResource(input: {name: $id, identifier: "https://prices.example", scopes: ["read"]}) { secret }`, "Twice", "BAD_REQUEST"},
	} {
		query := `mutation($id: ID!) { ` + test.call + ` }`
		if strings.Contains(test.call, "name: $id") {
			query = `mutation($id: String!) { ` + test.call + ` }`
		}
		a := c.ask(query, map[string]any{"id": test.id}, header...)
		if a.code() != test.want && (a.code() != "" || !strings.Contains(a.Text, test.want)) {
			t.Errorf("%s: %s, want %s", test.call, a, test.want)
		}
	}
	if a := c.ask(`{ machines { id } resources { id } }`, nil, bearer(c.at("dean", "Lyon", user.Admin).AccessToken)...); a.code() != "FORBIDDEN" {
		t.Errorf("an admin lists %s", a)
	}
	if a := c.ask(`{ machines { id name } resources { id name } }`, nil, header...); !strings.Contains(a.Text, id) || !strings.Contains(a.Text, api) {
		t.Errorf("listed %s", a)
	}
	if a := c.ask(`mutation($m: ID!, $r: ID!) { removeMachine(id: $m) removeResource(id: $r) }`, map[string]any{"m": id, "r": api}, header...); !strings.Contains(a.Text, `"removeMachine":0,"removeResource":0`) {
		t.Errorf("removed %s", a)
	}
}
