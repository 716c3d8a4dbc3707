package openidprofile

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

// config are the modules of the Config profile.
func config() []Module {
	return []Module{{Config, "oidcc-discovery-endpoint-verification", func(r *run) {
		r.must(r.discovery["issuer"] == r.Issuer, "the issuer is %v", r.discovery["issuer"])
		for _, name := range []string{"authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"} {
			address, err := url.Parse(r.endpoint(name))
			r.must(err == nil && address.IsAbs() && address.Host != "" && address.Fragment == "", "%s is %s", name, address)
		}
		for list, value := range map[string]string{
			"response_types_supported": "code", "scopes_supported": "openid", "id_token_signing_alg_values_supported": "RS256", "claims_supported": "sub",
			"grant_types_supported": "authorization_code", "token_endpoint_auth_methods_supported": "client_secret_basic",
		} {
			r.must(r.says(list, value), "%s is %v, without %s", list, r.discovery[list], value)
		}
		r.must(r.says("subject_types_supported", "public") || r.says("subject_types_supported", "pairwise"), "subjects are %v", r.discovery["subject_types_supported"])
		r.publishesKeys()
	}}}
}

// publishesKeys wants public keys with different names.
func (r *run) publishesKeys() {
	var set struct{ Keys []map[string]any }
	r.check(json.Unmarshal(r.keys, &set))
	seen := map[any]bool{}
	for _, key := range set.Keys {
		r.must(key["kid"] != nil && !seen[key["kid"]] && key["kty"] != "oct" && key["d"] == nil, "a key is %v", key["kid"])
		seen[key["kid"]] = true
	}
	r.must(len(seen) > 0, "there is no key")
}

// logouts are the modules of the profile of logouts that begin at a client.
func logouts() []Module {
	return []Module{
		{RPLogout, "oidcc-rp-initiated-logout-discovery-endpoint-verification", func(r *run) { r.endpoint("end_session_endpoint") }},
		{RPLogout, "oidcc-rp-initiated-logout", func(r *run) { r.signsOut(r.Basic, "state", state) }},
		{RPLogout, "oidcc-rp-initiated-logout-no-state", func(r *run) { r.signsOut(r.Basic, "state", "") }},
		{RPLogout, "oidcc-rp-initiated-logout-bad-post-logout-redirect-uri", func(r *run) {
			r.showsError("post_logout_redirect_uri", "https://evil.example/bye")
		}},
		{RPLogout, "oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri", func(r *run) {
			r.showsError("post_logout_redirect_uri", r.Basic.PostLogoutURI+"?foo=bar")
		}},
		{RPLogout, "oidcc-rp-initiated-logout-modified-id-token-hint", func(r *run) {
			_, t := r.signedIn(r.Basic)
			r.showsError("id_token_hint", t.id[:len(t.id)-4]+"AAAA")
		}},
		{RPLogout, "oidcc-rp-initiated-logout-bad-id-token-hint", func(r *run) { r.showsError("id_token_hint", r.forged()) }},
		{RPLogout, "oidcc-rp-initiated-logout-no-id-token-hint", func(r *run) { r.staysThere("id_token_hint", "") }},
		{RPLogout, "oidcc-rp-initiated-logout-no-params", func(r *run) {
			r.staysThere("id_token_hint", "", "post_logout_redirect_uri", "", "state", "")
		}},
		{RPLogout, "oidcc-rp-initiated-logout-only-state", func(r *run) {
			r.staysThere("id_token_hint", "", "post_logout_redirect_uri", "")
		}},
		{RPLogout, "oidcc-rp-initiated-logout-no-post-logout-redirect-uri", func(r *run) { r.staysThere("post_logout_redirect_uri", "") }},
	}
}

// endsSession opens the endpoint in a browser in which somebody has signed in to a client.
func (r *run) endsSession(c Client, change ...string) (*browser, tokens, Page) {
	b, t := r.signedIn(c)
	q := with(url.Values{"id_token_hint": {t.id}, "post_logout_redirect_uri": {c.PostLogoutURI}, "state": {state}}, change)
	return b, t, b.open(http.MethodGet, r.endpoint("end_session_endpoint")+"?"+q.Encode(), nil)
}

// signsOut wants the browser back at the client and nobody signed in any more. It returns the tokens of the
// sign-in that has ended, and the last page.
func (r *run) signsOut(c Client, change ...string) (tokens, Page) {
	b, t, page := r.endsSession(c, change...)
	page, _ = b.follow(page)
	r.must(page.Left != nil, "%d at %s", page.Status, page.URL)
	to, _, _ := strings.Cut(page.Left.String(), "?")
	q := page.Left.Query()
	r.must(to == c.PostLogoutURI && (len(change) == 0 || q.Get("state") == change[1] && q.Has("state") == (change[1] != "")), "left to %s", page.Left)
	again, _ := b.authorize(c, "prompt", "none")
	r.must(again.Get("error") == "login_required" || again.Get("error") == "interaction_required", "after the sign-out the answer is %v", again)
	return t, page
}

// showsError wants an error that the user sees.
func (r *run) showsError(change ...string) {
	page := r.staysThere(change...)
	r.must(page.Status >= 400, "%d at %s, without an error", page.Status, page.URL.Path)
}

// staysThere wants pages of the provider only, also if the user agrees to a sign-out. It returns the first.
func (r *run) staysThere(change ...string) Page {
	b, _, first := r.endsSession(r.Basic, change...)
	page, _ := b.follow(first)
	r.must(page.Left == nil && page.Status < 500, "%d at %s, left to %s", page.Status, page.URL.Path, page.Left)
	return first
}

// forged returns an ID token that somebody else has signed.
func (r *run) forged() string {
	_, t := r.signedIn(r.Basic)
	parsed, err := jose.ParseSigned(t.id, []jose.SignatureAlgorithm{jose.RS256})
	r.check(err)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	r.check(err)
	options := (&jose.SignerOptions{}).WithType("JWT").WithHeader("kid", parsed.Signatures[0].Header.KeyID)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: key}, options)
	r.check(err)
	signed, err := signer.Sign(r.payload(t.id))
	r.check(err)
	token, err := signed.CompactSerialize()
	r.check(err)
	return token
}
