package web_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
)

// opensApplication is the visit of somebody whom an application has sent to sign in.
func (v *visit) opensApplication(name string, change ...string) page {
	v.t.Helper()
	c, _, err := v.Clients.Add(v.t.Context(), user.Caller{ID: user.OperatorID, Role: user.Owner}, openid.Client{
		Name: name, RedirectURIs: []string{"https://app.example/cb"}, IDTokenAlg: openid.ES512,
	})
	if err != nil {
		v.t.Fatal(err)
	}
	p := url.Values{
		"client_id": {c.ID}, "redirect_uri": {"https://app.example/cb"}, "response_type": {"code"}, "scope": {"openid"},
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "code_challenge_method": {"S256"},
	}
	for i := 0; i < len(change); i += 2 {
		p.Set(change[i], change[i+1])
	}
	step, err := v.Authorizations.Begin(v.t.Context(), user.Caller{}, p)
	if err != nil || !step.SignIn {
		v.t.Fatalf("%+v, %v", step, err)
	}
	v.cookies["octavo_request_"+strings.Repeat("k", 12)] = step.Pending
	return v.open("/oauth2/consent?request=" + strings.Repeat("k", 12))
}

func TestThePageOfAnApplicationsSignInNamesItAndLeadsNowhereElse(t *testing.T) {
	site := newSite(t, true, nil, nil)
	site.CreateUser(t, "ann@example.org")
	v := site.visitor()
	v.open("/login").shows(200, "<nav", `href="/sell"`)
	at := v.opensApplication("Course catalogue & more")
	at.shows(200, "<h1>Sign in to Course catalogue & more</h1>", `name="password"`).lacks("<nav", `href="/sell"`, `href="/"`, `href="/cart"`)
	wrong := v.send("/login", "email", "ann@example.org", "password", "a wrong one", "next", at.hidden("next"))
	wrong.shows(401, "<h1>Sign in to Course catalogue & more</h1>").lacks("<nav", `href="/sell"`)
	asked := v.send("/login", "email", "ann@example.org", "password", authkit.Password, "next", at.hidden("next"))
	asked.shows(200, "wants to read", `value="allow"`).lacks("<nav", `href="/sell"`)
	v.open(asked.at).shows(200, "wants to read") // a reload
	if n := len(v.cookies); v.cookies["octavo_request_"+strings.Repeat("k", 12)] != "" {
		t.Errorf("the browser still carries the request, with %d cookies", n)
	}
	v.open("/login?again=yes&next=/sell").shows(200, "<nav", "<h1>Sign in</h1>")
}
