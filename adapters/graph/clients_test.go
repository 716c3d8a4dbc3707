package graph_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

func TestOwnersManageApplications(t *testing.T) {
	c := newCore(t, nil)
	header := bearer(c.at("root", "Lyon", user.Owner).AccessToken)
	const fields = "client { id name redirectUris postLogoutRedirectUris public firstParty pkce requireAcr idTokenAlg logoUri accessLifetime sessionLifetime previousSecretUntil } secret"
	added := c.ask(`mutation { addClient(input: {name: "Study", redirectUris: ["https://a.example/cb"], pkce: false, logoUri: "https://a.example/l.png"}) { `+fields+` } }`, nil, header...)
	if added.code() != "" || !strings.Contains(added.Text, `"pkce":false`) || !strings.Contains(added.Text, `"idTokenAlg":"RS256"`) || strings.Contains(added.Text, `"secret":null`) {
		t.Fatalf("%s", added)
	}
	_, rest, _ := strings.Cut(added.Text, `"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	for name, test := range map[string]struct{ call, want, lacks string }{
		"changed":   {`updateClient(id: $id, input: {name: "Groups", logoUri: "", requireAcr: "phr", postLogoutRedirectUris: []})`, `"name":"Groups","redirectUris":["https://a.example/cb"],"postLogoutRedirectUris":[]`, "l.png"},
		"lifetimes": {`updateClient(id: $id, input: {accessLifetime: 300, sessionLifetime: 43200})`, `"accessLifetime":300,"sessionLifetime":43200`, `"secret":"`},
		"as it was": {`updateClient(id: $id, input: {})`, `"pkce":false`, `"secret":"`},
		"renewed":   {`renewClientSecret(id: $id, overlap: 604800)`, `"previousSecretUntil":"20`, `"secret":null`},
	} {
		a := c.ask(`mutation($id: ID!) { `+test.call+` { `+fields+` } }`, map[string]any{"id": id}, header...)
		if a.code() != "" || !strings.Contains(a.Text, test.want) || strings.Contains(a.Text, test.lacks) {
			t.Errorf("%s: %s", name, a)
		}
	}
	for call, test := range map[string]struct{ id, want string }{
		`updateClient(id: $id, input: {redirectUris: ["http://a.example/"]}) { secret }`: {id, "BAD_REQUEST"},
		`updateClient(id: $id, input: {accessLifetime: 86401}) { secret }`:               {id, "BAD_REQUEST"},
		`renewClientSecret(id: $id, overlap: 604801) { secret }`:                         {id, "BAD_REQUEST"},
		`updateClient(id: $id, input: {}) { secret }`:                                    {"1", "NOT_FOUND"}, `removeClient(id: $id)`: {"1", "NOT_FOUND"},
	} {
		if a := c.ask(`mutation($id: ID!) { `+call+` }`, map[string]any{"id": test.id}, header...); a.code() != test.want {
			t.Errorf("%s: %s, want %s", call, a, test.want)
		}
	}
	if a := c.ask(`{ clients { id name } }`, nil, bearer(c.at("dean", "Lyon", user.Admin).AccessToken)...); a.code() != "FORBIDDEN" {
		t.Errorf("an admin lists %s", a)
	}
	if a := c.ask(`{ clients { id name } }`, nil, header...); !strings.Contains(a.Text, id) {
		t.Errorf("listed %s", a)
	}
	if a := c.ask(`mutation($id: ID!) { removeClient(id: $id) }`, map[string]any{"id": id}, header...); !strings.Contains(a.Text, `"removeClient":0`) {
		t.Errorf("removed %s", a)
	}
}
