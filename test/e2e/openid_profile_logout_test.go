package e2e_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

// partyBye is where the client of the profiles may send people who have signed out.
const partyBye = "https://app.example/bye"

// configProfile is the case of the Config profile of the OpenID Foundation's suite.
var configProfile = map[string]func(*testing.T, profile){
	"oidcc-discovery-endpoint-verification": func(t *testing.T, p profile) {
		_, about := p.get("/.well-known/openid-configuration", "")
		for _, name := range []string{"authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri", "end_session_endpoint"} {
			if address, _ := about[name].(string); !strings.HasPrefix(address, p.s.URL+"/") {
				t.Errorf("%s is %v", name, about[name])
			}
		}
		for name, value := range map[string]string{
			"scopes_supported": "openid", "response_types_supported": "code", "subject_types_supported": "public",
			"id_token_signing_alg_values_supported": "RS256", "claims_supported": "sub", "grant_types_supported": "authorization_code",
			"token_endpoint_auth_methods_supported": "client_secret_basic",
		} {
			if all, _ := about[name].([]any); !slices.Contains(all, any(value)) {
				t.Errorf("%s is %v, want %s in it", name, about[name], value)
			}
		}
		if about["issuer"] != p.s.URL || about["claims_parameter_supported"] != false || about["request_uri_parameter_supported"] != false {
			t.Errorf("%v", about)
		}
		_, keys := p.get("/.well-known/jwks.json", "")
		for _, one := range keys["keys"].([]any) {
			if k := one.(map[string]any); k["kid"] == nil || k["use"] != "sig" || k["d"] != nil {
				t.Errorf("a key is %v", k)
			}
		}
	},
}

// logoutProfile are the cases of the profile of RP-initiated logout. The client of the suite sends the ID
// token of the browser's user unless a case is about another one.
var logoutProfile = map[string]func(*testing.T, profile){
	"oidcc-rp-initiated-logout-discovery-endpoint-verification": func(t *testing.T, p profile) {
		if _, about := p.get("/.well-known/openid-configuration", ""); about["end_session_endpoint"] != p.s.URL+"/oauth2/end_session" {
			t.Errorf("%v", about["end_session_endpoint"])
		}
	},
	"oidcc-rp-initiated-logout": func(t *testing.T, p profile) {
		p.signsOut(t, partyBye+"?state=st%26te", "id_token_hint", "", "post_logout_redirect_uri", partyBye, "state", "st&te")
	},
	"oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri": func(t *testing.T, p profile) {
		p.staysHere(t, "id_token_hint", "", "post_logout_redirect_uri", partyBye+"?foo=bar")
	},
	"oidcc-rp-initiated-logout-bad-post-logout-redirect-uri": func(t *testing.T, p profile) {
		p.staysHere(t, "id_token_hint", "", "post_logout_redirect_uri", "https://evil.example/bye", "state", "x")
	},
	"oidcc-rp-initiated-logout-modified-id-token-hint": func(t *testing.T, p profile) {
		hint := p.anew(t).tokens().id
		p.staysHere(t, "id_token_hint", hint[:len(hint)-4]+"AAAA", "post_logout_redirect_uri", partyBye, "state", "x")
	},
	"oidcc-rp-initiated-logout-no-id-token-hint": func(t *testing.T, p profile) {
		p.staysHere(t, "post_logout_redirect_uri", partyBye, "state", "x")
	},
	"oidcc-rp-initiated-logout-no-params": func(t *testing.T, p profile) { p.staysHere(t) },
	"oidcc-rp-initiated-logout-only-state": func(t *testing.T, p profile) {
		p.staysHere(t, "state", "x")
	},
	"oidcc-rp-initiated-logout-no-post-logout-redirect-uri": func(t *testing.T, p profile) {
		p.staysHere(t, "id_token_hint", "", "state", "x")
	},
	"oidcc-rp-initiated-logout-no-state": func(t *testing.T, p profile) {
		p.signsOut(t, partyBye, "id_token_hint", "", "post_logout_redirect_uri", partyBye)
	},
}

// anew is the profile with a browser of its own, in which the same person signs in.
func (p profile) anew(t *testing.T) profile {
	t.Helper()
	browser := p.s.newClient(t, byCookie)
	browser.email, browser.id = p.browser.email, p.browser.id
	p.browser = browser
	return p
}

// endSession opens the endpoint in a new browser in which the person is signed in; an empty
// id_token_hint stands for theirs.
func (p profile) endSession(t *testing.T, parameters ...string) (profile, shownPage) {
	t.Helper()
	p = p.anew(t)
	tokens, q := p.tokens(), url.Values{}
	for i := 0; i < len(parameters); i += 2 {
		value := parameters[i+1]
		if parameters[i] == "id_token_hint" && value == "" {
			value = tokens.id
		}
		q.Set(parameters[i], value)
	}
	return p, p.browser.open("GET", "/oauth2/end_session?"+q.Encode(), nil)
}

func (p profile) signsOut(t *testing.T, to string, parameters ...string) {
	t.Helper()
	of, shown := p.endSession(t, parameters...)
	if shown.left == nil || shown.left.String() != to {
		t.Fatalf("%d at %s, left to %s, want %s", shown.status, shown.at, shown.left, to)
	}
	if q := of.browser.answer(of.browser.open("GET", of.request("prompt", "none"), nil)); q.Get("error") != "login_required" {
		t.Errorf("after signing out: %v", q)
	}
}

// staysHere wants a page of Octavo, which may ask first, and no redirect to the client.
func (p profile) staysHere(t *testing.T, parameters ...string) {
	t.Helper()
	if _, shown := p.endSession(t, parameters...); shown.left != nil || shown.status >= 500 {
		t.Errorf("%d at %s, left to %s", shown.status, shown.at, shown.left)
	}
}
