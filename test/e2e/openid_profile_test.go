package e2e_test

import (
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// profile is what the cases of the certification profile share: a client and a browser whose
// person has consented.
type profile struct {
	party
	browser *person
}

// tokens signs in once more, with these parameters.
func (p profile) tokens(change ...string) issued {
	p.t.Helper()
	return p.exchange(p.browser.authorize(p.party, change...))
}

func (p profile) claims(change ...string) map[string]any {
	p.t.Helper()
	_, claims := p.verified(p.tokens(change...).id)
	return claims
}

// basicProfile are the cases of the OpenID Foundation's suite that need nothing but the provider.
var basicProfile = map[string]func(*testing.T, profile){
	"oidcc-server": func(t *testing.T, p profile) {
		claims := p.claims()
		for _, name := range []string{"iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "at_hash"} {
			if claims[name] == nil {
				t.Errorf("the ID token lacks %s", name)
			}
		}
	},
	"oidcc-response-type-missing": func(t *testing.T, p profile) { p.refused(t, "invalid_request", "response_type", "") },
	"oidcc-userinfo-get":          func(t *testing.T, p profile) { p.userInfo(t, "GET", "header") },
	"oidcc-userinfo-post-header":  func(t *testing.T, p profile) { p.userInfo(t, "POST", "header") },
	"oidcc-userinfo-post-body":    func(t *testing.T, p profile) { p.userInfo(t, "POST", "body") },
	"oidcc-ensure-request-without-nonce-succeeds-for-code-flow": func(t *testing.T, p profile) {
		if claims := p.claims("nonce", ""); claims["nonce"] != nil {
			t.Errorf("a nonce without one in the request: %v", claims["nonce"])
		}
	},
	"oidcc-scope-profile": func(t *testing.T, p profile) { p.about(t, "openid profile", "locale") },
	"oidcc-scope-email":   func(t *testing.T, p profile) { p.about(t, "openid email", "email", "email_verified") },
	"oidcc-scope-all": func(t *testing.T, p profile) {
		p.about(t, "openid profile email address phone", "email", "email_verified", "locale")
	},
	"oidcc-scope-address": func(t *testing.T, p profile) { p.about(t, "openid address") },
	"oidcc-scope-phone":   func(t *testing.T, p profile) { p.about(t, "openid phone") },
	"oidcc-ensure-request-with-valid-pkce-succeeds": func(_ *testing.T, p profile) {
		p.plain = false
		p.tokens()
	},
	"oidcc-ensure-request-object-with-redirect-uri": func(t *testing.T, p profile) {
		p.refused(t, "request_not_supported", "request", "eyJhbGciOiJub25lIn0.eyJyZWRpcmVjdF91cmkiOiJodHRwczovL2FwcC5leGFtcGxlL2NhbGxiYWNrIn0.")
	},
	"oidcc-ensure-other-scope-order-succeeds": func(t *testing.T, p profile) {
		p.about(t, "email openid", "email", "email_verified")
	},
	"oidcc-display-page":  func(_ *testing.T, p profile) { p.tokens("display", "page") },
	"oidcc-display-popup": func(_ *testing.T, p profile) { p.tokens("display", "popup") },
	"oidcc-prompt-login": func(t *testing.T, p profile) {
		first := p.claims()["auth_time"].(float64)
		if shown := p.browser.open("GET", p.request("prompt", "login"), nil); shown.at.Path != "/login" {
			t.Fatalf("want the sign-in page, got %s", shown.at)
		}
		if second := p.claims("prompt", "login")["auth_time"].(float64); second < first {
			t.Errorf("signed in at %v and then at %v", first, second)
		}
	},
	"oidcc-prompt-none-not-logged-in": func(t *testing.T, p profile) {
		stranger := p.s.newClient(t, byCookie)
		if q := stranger.answer(stranger.open("GET", p.request("prompt", "none"), nil)); q.Get("error") != "login_required" || q.Get("state") != "st&te +%" {
			t.Errorf("%v", q)
		}
	},
	"oidcc-prompt-none-logged-in": func(t *testing.T, p profile) {
		if q := p.browser.answer(p.browser.open("GET", p.request("prompt", "none"), nil)); q.Get("code") == "" {
			t.Errorf("%v", q)
		}
	},
	"oidcc-max-age-1": func(t *testing.T, p profile) {
		if shown := p.browser.open("GET", p.request("max_age", "0"), nil); shown.at.Path != "/login" {
			t.Fatalf("want the sign-in page, got %s", shown.at)
		}
		if p.claims("max_age", "0")["auth_time"] == nil {
			t.Error("no auth_time")
		}
	},
	"oidcc-max-age-10000": func(t *testing.T, p profile) {
		first := p.claims()
		if second := p.claims("max_age", "10000"); second["auth_time"] != first["auth_time"] || second["sub"] != first["sub"] {
			t.Errorf("%v and %v", first, second)
		}
	},
	"oidcc-id-token-hint": func(t *testing.T, p profile) {
		tokens := p.tokens()
		if q := p.browser.answer(p.browser.open("GET", p.request("prompt", "none", "id_token_hint", tokens.id), nil)); q.Get("code") == "" {
			t.Errorf("%v", q)
		}
	},
	"oidcc-login-hint":                              func(_ *testing.T, p profile) { p.tokens("login_hint", "someone@campus.edu") },
	"oidcc-ui-locales":                              func(_ *testing.T, p profile) { p.tokens("ui_locales", "fr en") },
	"oidcc-claims-locales":                          func(_ *testing.T, p profile) { p.tokens("claims_locales", "fr en") },
	"oidcc-ensure-request-with-acr-values-succeeds": func(_ *testing.T, p profile) { p.tokens("acr_values", "1 2") },
	"oidcc-ensure-request-with-unknown-parameter-succeeds": func(_ *testing.T, p profile) {
		p.tokens("extra", "foobar")
	},
	"oidcc-codereuse-30seconds": func(t *testing.T, p profile) {
		code := p.browser.authorize(p.party)
		tokens := p.exchange(code)
		for status := 200; status == 200; { // as long as it is the same exchange again
			var body map[string]any
			if status, body, _ = p.call("/oauth2/token", exchangeForm(code)); status == 200 && body["access_token"] != tokens.access {
				t.Fatalf("a code gives other tokens: %v", body)
			}
			<-time.After(100 * time.Millisecond) // up to the ten seconds
		}
		if status, _ := p.get("/oauth2/userinfo", tokens.access); status != 401 {
			t.Errorf("the first token is still valid: %d, want 401", status)
		}
	},
	"oidcc-ensure-registered-redirect-uri": func(t *testing.T, p profile) {
		if shown := p.browser.open("GET", p.request("redirect_uri", "https://evil.example/callback"), nil); shown.left != nil || shown.status != 400 {
			t.Errorf("%d at %s", shown.status, shown.left)
		}
	},
	"oidcc-redirect-uri-query-OK": func(t *testing.T, p profile) {
		const withQuery = partyURI + "?foo=bar"
		other := p.s.partyAt(t, withQuery, "--no-pkce")
		code := p.browser.authorize(other)
		if status, body, _ := other.call("/oauth2/token", exchangeForm(code, "redirect_uri", withQuery)); status != 200 {
			t.Errorf("%d %v, want 200", status, body)
		}
	},
	"oidcc-redirect-uri-query-mismatch": func(t *testing.T, p profile) {
		if shown := p.browser.open("GET", p.request("redirect_uri", partyURI+"?foo=bar"), nil); shown.left != nil {
			t.Errorf("at %s", shown.left)
		}
	},
	"oidcc-ensure-post-request-succeeds": func(t *testing.T, p profile) {
		address, err := url.Parse(p.request())
		if err != nil {
			t.Fatal(err)
		}
		if q := p.browser.answer(p.browser.open("POST", "/oauth2/authorize", address.Query())); q.Get("code") == "" {
			t.Errorf("%v", q)
		}
	},
	"oidcc-server-client-secret-post": func(t *testing.T, p profile) {
		form := exchangeForm(p.browser.authorize(p.party), "client_id", p.id, "client_secret", p.secret)
		if status, body, _ := p.call("/oauth2/token", form, func(r *http.Request) { r.Header.Del("Authorization") }); status != 200 {
			t.Errorf("%d %v, want 200", status, body)
		}
	},
	"oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported": func(t *testing.T, p profile) {
		p.refused(t, "request_uri_not_supported", "request_uri", "https://app.example/request")
	},
	"oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported": func(t *testing.T, p profile) {
		p.refused(t, "request_not_supported", "request", "e30.e30.")
	},
	"oidcc-claims-essential": func(_ *testing.T, p profile) {
		p.tokens("claims", `{"userinfo":{"name":{"essential":true}}}`)
	},
	"oidcc-refresh-token": func(t *testing.T, p profile) {
		tokens := p.tokens()
		_, first := p.verified(tokens.id)
		status, body, _ := p.call("/oauth2/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {tokens.refresh}})
		if status != 200 {
			t.Fatalf("%d %v, want 200", status, body)
		}
		if _, second := p.verified(body["id_token"].(string)); second["sub"] != first["sub"] || second["iss"] != first["iss"] || second["aud"] != first["aud"] || second["nonce"] != nil {
			t.Errorf("%v became %v", first, second)
		}
	},
}

func (p profile) refused(t *testing.T, code string, change ...string) {
	t.Helper()
	if q := p.browser.answer(p.browser.open("GET", p.request(change...), nil)); q.Get("error") != code || q.Get("state") != "st&te +%" || q.Has("code") {
		t.Errorf("%v", q)
	}
}

func (p profile) userInfo(t *testing.T, method, where string) {
	t.Helper()
	token := p.tokens().access
	form := url.Values{}
	if where == "body" {
		form.Set("access_token", token)
	}
	req, err := http.NewRequest(method, p.s.URL+"/oauth2/userinfo", strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if where == "header" {
		req.Header.Set("Authorization", "Bearer "+token)
	} else {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if status, body, _ := p.do(req); status != 200 || body["sub"] != p.browser.id {
		t.Errorf("%d %v", status, body)
	}
}

// about asks for scopes and compares the names of the claims.
func (p profile) about(t *testing.T, scopes string, names ...string) {
	t.Helper()
	_, body := p.get("/oauth2/userinfo", p.tokens("scope", scopes).access)
	delete(body, "sub")
	if got := slices.Sorted(maps.Keys(body)); !slices.Equal(got, slices.Sorted(slices.Values(names))) {
		t.Errorf("%s: %v", scopes, body)
	}
}

// The documentation lists the cases.
func TestTheProfilesOfOpenIDConnect(t *testing.T) {
	t.Parallel()
	s := startAuth(t)
	app, browser := s.party(t, "--no-pkce", "--post-logout-redirect-uri", partyBye), s.member(t, byCookie, "ann")
	browser.authorize(app)
	document, err := os.ReadFile("../../docs/openid.md")
	if err != nil {
		t.Fatal(err)
	}
	all := maps.Clone(basicProfile)
	maps.Copy(all, configProfile)
	maps.Copy(all, logoutProfile)
	for name, run := range all {
		if !strings.Contains(string(document), "`"+name+"`") {
			t.Errorf("docs/openid.md does not list %s", name)
		}
		t.Run(name, func(t *testing.T) {
			of, one := app, *browser
			of.t, one.t = t, t
			run(t, profile{of, &one})
		})
	}
}
