package openidprofile

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// responses are the modules of the Basic profile that are about what a client gets.
func responses() []Module {
	return []Module{
		{Basic, "oidcc-server", func(r *run) { r.signedIn(r.Basic) }},
		{Basic, "oidcc-response-type-missing", func(r *run) {
			b := r.newBrowser()
			page, _ := b.follow(b.open(http.MethodGet, r.request(r.Basic, "response_type", ""), nil))
			if page.Left == nil {
				r.must(page.Status >= 400, "the browser shows %d at %s", page.Status, page.URL)
				return
			}
			code := page.Left.Query().Get("error")
			r.must(code == "invalid_request" || code == "unsupported_response_type", "the answer is %s", page.Left)
		}},
		{Basic, "oidcc-idtoken-signature", func(r *run) {
			_, t := r.signedIn(r.Basic)
			r.payload(t.id)
		}},
		{Basic, "oidcc-idtoken-unsigned", func(r *run) {
			r.needs(r.says("id_token_signing_alg_values_supported", "none"), "ID tokens without a signature")
			r.must(false, "a client without signatures is registered by hand")
		}},
		{Basic, "oidcc-userinfo-get", func(r *run) {
			_, t := r.signedIn(r.Basic)
			r.userInfo(t)
		}},
		{Basic, "oidcc-userinfo-post-header", func(r *run) { r.postUserInfo(func(t tokens) (string, url.Values) { return "Bearer " + t.access, nil }) }},
		{Basic, "oidcc-userinfo-post-body", func(r *run) {
			r.postUserInfo(func(t tokens) (string, url.Values) { return "", url.Values{"access_token": {t.access}} })
		}},
		{Basic, "oidcc-server-client-secret-post", func(r *run) {
			q, _ := r.newBrowser().authorize(r.Post)
			status, body := r.post(r.Post, exchange(r.Post, q, "client_id", r.Post.ID, "client_secret", r.Post.Secret))
			r.issued(r.Post, status, body, nonce)
		}},
		{Basic, "oidcc-claims-essential", func(r *run) {
			_, t := r.signedIn(r.Basic, "claims", `{"userinfo":{"name":{"essential":true}}}`)
			r.should(r.userInfo(t)["name"] != nil, "there is no name")
		}},
		{Basic, "oidcc-refresh-token", refreshes},
	}
}

func (r *run) postUserInfo(sent func(tokens) (header string, form url.Values)) {
	_, t := r.signedIn(r.Basic)
	header, form := sent(t)
	req, err := http.NewRequest(http.MethodPost, r.endpoint("userinfo_endpoint"), strings.NewReader(form.Encode()))
	r.check(err)
	if header != "" {
		req.Header.Set("Authorization", header)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	r.about(t, req)
}

func refreshes(r *run) {
	r.needs(r.says("grant_types_supported", "refresh_token"), "refresh tokens")
	_, first := r.signedIn(r.Basic, "scope", "openid offline_access", "prompt", "consent")
	r.needs(first.refresh != "", "refresh tokens")
	status, body := r.post(r.Basic, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {first.refresh}})
	r.must(status == http.StatusOK && body["access_token"] != nil, "the token endpoint answers %d %v", status, body)
	if raw, _ := body["id_token"].(string); raw != "" { // a refresh need not give one
		second := r.verify(r.Basic, raw)
		r.must(second["sub"] == first.claims["sub"] && second["auth_time"] == first.claims["auth_time"], "%v became %v", first.claims, second)
	}
	_, foreign := r.signedIn(r.Query, "scope", "openid offline_access", "prompt", "consent")
	status, body = r.post(r.Basic, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {foreign.refresh}})
	r.must(status == http.StatusBadRequest && body["error"] == "invalid_grant", "the token of another client: %d %v", status, body)
}

// standard are the claims of the scopes.
var standard = map[string][]string{
	"profile": {"name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile", "picture", "website", "gender", "birthdate", "zoneinfo", "locale", "updated_at"},
	"email":   {"email", "email_verified"},
	"address": {"address"},
	"phone":   {"phone_number", "phone_number_verified"},
}

// scopes are the modules of the Basic profile about scopes.
func scopes() []Module {
	return []Module{
		{Basic, "oidcc-scope-profile", func(r *run) { r.claimsOf("openid profile") }},
		{Basic, "oidcc-scope-email", func(r *run) { r.claimsOf("openid email") }},
		{Basic, "oidcc-scope-address", func(r *run) { r.claimsOf("openid address") }},
		{Basic, "oidcc-scope-phone", func(r *run) { r.claimsOf("openid phone") }},
		{Basic, "oidcc-scope-all", func(r *run) { r.claimsOf("openid profile email address phone") }},
		{Basic, "oidcc-alternate-happy-flow", func(r *run) {
			b := r.newBrowser()
			address := r.endpoint("authorization_endpoint") + "?" + reversed(r.parameters(r.Basic, []string{"scope", "email openid"}))
			page, _ := b.follow(b.open(http.MethodGet, address, nil))
			t := r.redeem(r.Basic, b.answered(r.Basic, page))
			r.must(r.userInfo(t)["email"] != nil, "there is no address")
		}},
		{Basic, "oidcc-ensure-other-scope-order-succeeds", func(r *run) { r.claimsOf("email openid") }},
	}
}

// reversed encodes parameters in another order than all others are sent in.
func reversed(q url.Values) string {
	var parts []string
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(q))) {
		parts = append(parts, name+"="+url.QueryEscape(q.Get(name)))
	}
	return strings.Join(parts, "&")
}

// claimsOf asks for scopes and wants some of the claims of each, and no others. A provider that lacks one
// of the scopes must ignore it.
func (r *run) claimsOf(all string) {
	_, t := r.signedIn(r.Basic, "scope", all)
	about, allowed, lacks := r.userInfo(t), []string{"sub"}, ""
	for _, scope := range strings.Fields(all) {
		if scope == "openid" {
			continue
		}
		if !r.says("scopes_supported", scope) {
			lacks = scope
			continue
		}
		allowed = append(allowed, standard[scope]...)
		r.must(slices.ContainsFunc(standard[scope], func(name string) bool { return about[name] != nil }), "nothing of %s in %v", scope, about)
	}
	for name := range about {
		r.must(slices.Contains(allowed, name), "%s was not asked for", name)
	}
	r.needs(lacks == "", "scope "+lacks)
}
