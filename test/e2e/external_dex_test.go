package e2e_test

import (
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/gobuild"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

// Dex is built from a module of its own, test/dex.
func TestAPersonSignsInWithDex(t *testing.T) {
	deep.Only(t, "builds Dex")
	t.Parallel()
	program := filepath.Join(t.TempDir(), "dex")
	if err := gobuild.Program(t.Context(), "../dex", program, "."); err != nil {
		t.Fatal(err)
	}
	address := servers.Address(t)
	s := e2e.StartWith(t, []string{signInWith(t, fmt.Sprintf("- {name: dex, issuer: 'http://%s', clientId: octavo, clientSecret: s3cret, trustEmail: true}\n", address))}, "auth")
	start(t, nil, program, address, s.URL+"/auth/oidc/dex/callback", "ann@campus.edu", e2e.Password)
	poll.For(t, "Dex answers", func() bool { return surf(t, s).get("/auth/oidc/dex").status == http.StatusFound })
	for range 2 { // a newcomer, and a known identity
		b := surf(t, s)
		p := b.get("/auth/oidc/dex?next=%2Faccount")
		for p.location != "" { // to its form
			p = b.get(absolute(t, address, p.location))
		}
		form := regexp.MustCompile(`<form method="post" action="([^"]+)"`).FindStringSubmatch(p.body)
		if form == nil {
			t.Fatalf("Dex shows %d %s", p.status, p.body)
		}
		p = b.do("POST", absolute(t, address, strings.ReplaceAll(form[1], "&amp;", "&")), url.Values{"login": {"ann@campus.edu"}, "password": {e2e.Password}})
		for p.location != "" && p.location != "/account" {
			p = b.get(absolute(t, address, p.location))
		}
		if p.location != "/account" {
			t.Fatalf("%d to %q: %s", p.status, p.location, p.body)
		}
		data, code := b.client().GraphQL(t, `{ me { email verified identities { provider email } } }`, nil)
		if code != "" || string(data) != `{"me":{"email":"ann@campus.edu","verified":true,"identities":[{"provider":"dex","email":"ann@campus.edu"}]}}` {
			t.Errorf("%s %s", code, data)
		}
	}
}

// absolute resolves a reference on one of Dex's pages.
func absolute(t *testing.T, address, reference string) string {
	t.Helper()
	u, err := url.Parse("http://" + address + "/")
	if err != nil {
		t.Fatal(err)
	}
	to, err := u.Parse(reference)
	if err != nil {
		t.Fatal(err)
	}
	return to.String()
}
