package e2e_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

func TestWithExternalSignInsOnlyPagesLeadToTheServiceAndAnOwnerBreaksTheGlass(t *testing.T) {
	t.Parallel()
	u := newUniversity(t)
	s := e2e.StartWith(t, []string{"SIGN_IN=sso", signInWith(t, fmt.Sprintf("- {name: campus, issuer: %q, clientId: octavo, clientSecret: s, trustEmail: true}\n", u.URL))}, "auth")
	b := surf(t, s)
	for path, to := range map[string]string{
		"/login?next=%2Faccount": "/auth/oidc/campus?next=%2Faccount", "/forgotten": "/login", "/reset": "/login", "/login/mail": "/login", "/signup": "/login",
		"/verify": "/login", "/resend": "/login",
	} {
		if p := b.get(path); p.status != http.StatusSeeOther || p.location != to {
			t.Errorf("%s: %d to %q, want %q", path, p.status, p.location, to)
		}
	}
	if p := b.get("/login?again=yes"); p.status != http.StatusOK || !strings.Contains(p.body, `href="/auth/oidc/campus"`) || strings.Contains(p.body, "password") || strings.Contains(p.body, "passkey") {
		t.Errorf("%d %s", p.status, p.body)
	}
	if p := b.get("/invitation?token=x"); !strings.Contains(p.body, `href="/auth/oidc/campus"`) || strings.Contains(p.body, "password") {
		t.Errorf("%d %s", p.status, p.body)
	}
	u.who = claimsOf("1", "ann@campus.edu")
	if p := b.enter(u, "/auth/oidc/campus"); p.status != http.StatusSeeOther {
		t.Fatalf("%d %s", p.status, p.body)
	}
	for path, lacks := range map[string]string{"/account": "/account/password", "/account/security": "data-passkey"} {
		if p := b.get(path); p.status != http.StatusOK || strings.Contains(p.body, lacks) || !strings.Contains(p.body, "/account/security/t") {
			t.Errorf("%s offers what does not sign in: %d %s", path, p.status, p.body)
		}
	}
	_, code := e2e.Client{URL: s.URL}.GraphQL(t, `mutation { signIn(email: "ann@campus.edu", password: "some good password") { accessToken } }`, nil)
	data, _ := e2e.Client{URL: s.URL}.GraphQL(t, `{ signInOptions { password code passkey signUp externalSignUp } }`, nil)
	if code != "SSO_REQUIRED" || !strings.Contains(string(data), `{"password":false,"code":false,"passkey":false,"signUp":false,"externalSignUp":true}`) {
		t.Errorf("signIn: %s; options: %s", code, data)
	}

	if out, code := s.Octavo("users", "break-glass", "ann@campus.edu"); code == 0 || !strings.Contains(out, "Only an owner") {
		t.Errorf("somebody who is no owner: %d %s", code, out)
	}
	if out, code := s.Octavo("users", "suspend", "--not-seen", "60d", "--service", "campus"); code != 0 || !strings.Contains(out, "0 would be suspended") {
		t.Errorf("%d %s", code, out)
	}
	if out, code := s.Octavo("users", "suspend", "--not-seen", "1h", "--service", "campus", "--yes"); code == 0 || !strings.Contains(out, "1d or more") {
		t.Errorf("%d %s", code, out)
	}
	s.Promote("ann@campus.edu", "owner")
	out, _ := s.Octavo("users", "break-glass", "ann@campus.edu")
	password, _, _ := strings.Cut(strings.TrimPrefix(out, "password: "), "\n")
	if out, code := s.Octavo("users", "suspend", "ann@campus.edu"); code == 0 || !strings.Contains(out, "last owner") {
		t.Errorf("the last owner: %d %s", code, out)
	}
	ann := surf(t, s)
	if p := ann.get("/login?break-glass=yes"); !strings.Contains(p.body, `type="password"`) {
		t.Errorf("no form for the password: %s", p.body)
	}
	p := ann.do("POST", "/login", url.Values{"email": {"ann@campus.edu"}, "password": {password}})
	if p.status != http.StatusSeeOther || ann.cookie("octavo_access") == "" {
		t.Errorf("%d %s", p.status, p.body)
	} else if p = ann.get("/account"); !strings.Contains(p.body, `action="/account/password"`) {
		t.Errorf("an owner who breaks the glass cannot change the password: %d %s", p.status, p.body)
	}
}

func TestTheProgramRefusesExternalSignInsOnlyWithoutAService(t *testing.T) {
	t.Parallel()
	for _, setting := range []string{"SIGN_IN=sso", "ALLOW_REGISTRATION=sso"} {
		out, code := e2e.Octavo(t, []string{setting, "DATA_DIR=" + t.TempDir()}, "serve")
		if code != 2 || !strings.Contains(out, "OIDC_PROVIDERS") {
			t.Errorf("%s: %d %s", setting, code, out)
		}
	}
}
