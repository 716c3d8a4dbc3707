package e2e_test

import (
	"strings"
	"testing"
)

func TestAnApplicationIsToldTheClaimsThatItAsksForAndNoOthers(t *testing.T) {
	t.Parallel()
	s := startAuth(t)
	app := s.party(t)
	ann := s.member(t, byBearer, "ann")
	browser := s.newClient(t, byCookie)
	browser.email = ann.email
	const claims = `{"userinfo":{"locale":{"essential":true},"nickname":null},"id_token":{"email":null,"auth_time":{"essential":true}}}`
	if _, doc := app.get("/.well-known/openid-configuration", ""); doc["claims_parameter_supported"] != true {
		t.Errorf("%v", doc["claims_parameter_supported"])
	}
	shown := browser.logIn(browser.open("GET", app.request("scope", "openid offline_access", "claims", claims), nil))
	if !strings.Contains(shown.body, "your language") || !strings.Contains(shown.body, "your email address") || strings.Contains(shown.body, "your name") {
		t.Fatalf("the page of consent is %d at %s: %s", shown.status, shown.at, shown.body)
	}
	tokens := app.exchange(browser.allow(shown).left.Query().Get("code"))
	_, told := app.verified(tokens.id)
	if tokens.scope != "openid offline_access" || told["email"] != ann.email || told["email_verified"] != nil || told["locale"] != nil || told["auth_time"] == nil {
		t.Errorf("%q %v", tokens.scope, told)
	}
	if _, about := app.get("/oauth2/userinfo", tokens.access); about["locale"] != "en" || about["email"] != nil || len(about) != 2 {
		t.Errorf("%v", about)
	}
	_, renewed, _ := app.call("/oauth2/token", map[string][]string{"grant_type": {"refresh_token"}, "refresh_token": {tokens.refresh}, "scope": {"openid"}})
	access, _ := renewed["access_token"].(string)
	if _, about := app.get("/oauth2/userinfo", access); renewed["scope"] != "openid" || about["locale"] != "en" {
		t.Errorf("after a refresh: %v %v", renewed, about)
	}
	if _, info, _ := app.call("/oauth2/introspect", map[string][]string{"token": {access}}); info["scope"] != "openid" {
		t.Errorf("%v", info)
	}

	if again := browser.open("GET", app.request("scope", "openid offline_access", "claims", claims), nil); again.left == nil {
		t.Errorf("consent is asked for twice: %s", again.body)
	}
	for claims, refusal := range map[string]string{
		`{"id_token":{"acr":{"essential":true,"value":"urn:octavo:2"}}}`:   "unmet_authentication_requirements",
		`{"id_token":{"sub":{"value":"` + strings.Repeat("9", 12) + `"}}}`: "login_required",
		`{"id_token":["sub"]}`: "invalid_request",
		`{"userinfo":{"x":"` + strings.Repeat("x", 9000) + `"}}`:                 "invalid_request",
		`{"id_token":{"acr":{"essential":true,"values":["urn:other:level:3"]}}}`: "unmet_authentication_requirements",
	} {
		silent := "none"
		if strings.Contains(claims, "octavo:2") {
			silent = ""
		}
		refused := browser.open("GET", app.request("scope", "openid", "claims", claims, "prompt", silent), nil)
		if refused.left == nil || refused.left.Query().Get("error") != refusal {
			t.Errorf("%.60s: %d at %s, left to %v", claims, refused.status, refused.at, refused.left)
		}
	}
}
