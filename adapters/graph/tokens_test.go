package graph_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func TestAPersonalTokenIsShownOnceListedAndRevoked(t *testing.T) {
	c := newCore(t, nil)
	ann := c.at("ann", "Lyon", user.Regular)
	by := c.CallerOf(t, ann)
	must.Do(t, c.Store.Sessions.ProveSession(t.Context(), by.ID, by.Session, session.Password, c.Clock.Now()))
	header := bearer(ann.AccessToken)
	made := c.ask(`mutation { createToken(name: "backup", scopes: ["openid", "email"], expiresIn: 3600) }`, nil, header...)
	_, rest, _ := strings.Cut(made.Text, `"createToken":"`)
	token, _, _ := strings.Cut(rest, `"`)
	if !strings.HasPrefix(token, "oct_") {
		t.Fatalf("made %s", made.Text)
	}
	for _, seconds := range []string{"0", "31536001", "18446747674", "-18446744074"} { // the last ones are an hour and nothing in 64 bits
		if a := c.ask(`mutation { createToken(name: "x", scopes: ["openid"], expiresIn: `+seconds+`) }`, nil, header...); a.code() != "BAD_REQUEST" {
			t.Errorf("a token for %s seconds: %s", seconds, a.Text)
		}
	}
	if a := c.ask(`{ me { id email name role sessions { id } tokens { id } totpEnabled } }`, nil, bearer(token)...); a.code() != "FORBIDDEN" {
		t.Errorf("it reads %s", a.Text)
	}
	if a := c.ask(`{ me { id email sessions { id } tokens { id } } }`, nil, bearer(token)...); !strings.Contains(a.Text, `"email":"ann@`) || !strings.Contains(a.Text, `"sessions":null,"tokens":null`) {
		t.Errorf("it reads %s", a.Text)
	}
	for _, q := range []string{
		`mutation { createToken(name: "more", scopes: ["openid"], expiresIn: 3600) }`, `mutation { signOut }`, `mutation { updateMe(name: "Eve") { id } }`, `{ users { edges { cursor } } }`,
	} {
		if a := c.ask(q, nil, bearer(token)...); a.code() != "FORBIDDEN" {
			t.Errorf("%s: %s", q, a.Text)
		}
	}
	listed := c.ask(`{ me { tokens { id name scopes createdAt expiresAt lastUsedAt } } }`, nil, header...)
	if !strings.Contains(listed.Text, `"name":"backup","scopes":["openid","email"]`) || strings.Contains(listed.Text, token) || strings.Contains(listed.Text, `"lastUsedAt":null`) {
		t.Errorf("listed %s", listed.Text)
	}
	id, _, _ := strings.Cut(strings.SplitN(listed.Text, `"id":"`, 2)[1], `"`)
	revoke := map[string]any{"id": id}
	if a := c.ask(`mutation($id: ID!) { revokeToken(id: $id) }`, revoke, header...); a.code() != "" {
		t.Errorf("revoked %s", a.Text)
	}
	if a := c.ask(`{ me { id } }`, nil, bearer(token)...); a.code() != "UNAUTHENTICATED" {
		t.Errorf("afterwards it reads %s", a.Text)
	}
	if a := c.ask(`mutation($id: ID!) { revokeToken(id: $id) }`, revoke, header...); a.code() != "NOT_FOUND" {
		t.Errorf("revoked twice: %s", a.Text)
	}
}
