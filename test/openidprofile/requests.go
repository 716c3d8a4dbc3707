package openidprofile

import (
	"net/http"
	"slices"
	"time"
)

// Challenge and verifier of PKCE (RFC 7636, appendix B).
const (
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

// requests are the modules of the Basic profile about parameters of authorization requests.
func requests() []Module {
	all := []Module{
		{Basic, "oidcc-ensure-request-with-valid-pkce-succeeds", func(r *run) {
			q, _ := r.newBrowser().authorize(r.Basic, "code_challenge", challenge, "code_challenge_method", "S256")
			status, body := r.post(r.Basic, exchange(r.Basic, q, "code_verifier", verifier))
			r.issued(r.Basic, status, body, nonce)
		}},
		{Basic, "oidcc-prompt-login", func(r *run) { r.signsInAgain("prompt", "login") }},
		{Basic, "oidcc-max-age-1", func(r *run) {
			claims := r.signsInAgain("max_age", "1")
			r.must(claims["auth_time"] != nil, "there is no auth_time")
		}},
		{Basic, "oidcc-max-age-10000", func(r *run) { r.sameSignIn(false, "max_age", "10000") }},
		{Basic, "oidcc-prompt-none-logged-in", func(r *run) { r.sameSignIn(true, "prompt", "none") }},
		{Basic, "oidcc-id-token-hint", func(r *run) {
			b, t := r.signedIn(r.Basic)
			r.sameAs(b, t, true, "prompt", "none", "id_token_hint", t.id)
		}},
		{Basic, "oidcc-prompt-none-not-logged-in", func(r *run) {
			q, _ := r.newBrowser().authorize(r.Basic, "prompt", "none")
			r.must(q.Get("error") == "login_required" || q.Get("error") == "interaction_required", "the answer is %v", q)
		}},
		{Basic, "oidcc-ensure-registered-redirect-uri", func(r *run) { r.refusesAddress("https://evil.example/callback") }},
		{Basic, "oidcc-redirect-uri-query-mismatch", func(r *run) { r.refusesAddress(r.Query.RedirectURI + "&more=1") }},
		{Basic, "oidcc-redirect-uri-query-OK", func(r *run) { r.signedIn(r.Query) }},
		{Basic, "oidcc-ensure-post-request-succeeds", func(r *run) {
			b := r.newBrowser()
			page, _ := b.follow(b.open(http.MethodPost, r.endpoint("authorization_endpoint"), r.parameters(r.Basic, nil)))
			r.redeem(r.Basic, b.answered(r.Basic, page))
		}},
		{Basic, "oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported", func(r *run) {
			r.refuses("request_uri_not_supported", "request_uri", "https://app.example/request")
		}},
		{Basic, "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported", func(r *run) {
			r.refuses("request_not_supported", "request", "eyJhbGciOiJub25lIn0.e30.")
		}},
		{Basic, "oidcc-ensure-request-object-with-redirect-uri", func(r *run) {
			r.refuses("request_not_supported", "request", "eyJhbGciOiJub25lIn0.eyJyZWRpcmVjdF91cmkiOiJodHRwczovL2FwcC5leGFtcGxlL2NhbGxiYWNrIn0.")
		}},
	}
	return append(all, accepted()...)
}

// accepted are the modules that send a parameter which a provider may ignore.
func accepted() (all []Module) {
	for name, change := range map[string][]string{
		"oidcc-ensure-request-without-nonce-succeeds-for-code-flow": {"nonce", ""},
		"oidcc-display-page":  {"display", "page"},
		"oidcc-display-popup": {"display", "popup"},
		"oidcc-ensure-request-with-unknown-parameter-succeeds": {"extra", "foobar"},
		"oidcc-login-hint":                              {"login_hint", "someone@campus.edu"},
		"oidcc-ui-locales":                              {"ui_locales", "fr en"},
		"oidcc-claims-locales":                          {"claims_locales", "fr en"},
		"oidcc-ensure-request-with-acr-values-succeeds": {"acr_values", "1 2"},
	} {
		all = append(all, Module{Basic, name, func(r *run) { r.signedIn(r.Basic, change...) }})
	}
	return all
}

// refuses wants an error at the client.
func (r *run) refuses(code string, change ...string) {
	q, _ := r.newBrowser().authorize(r.Basic, change...)
	r.must(q.Get("error") == code, "the answer is %v", q)
}

// refusesAddress wants an error that the user sees.
func (r *run) refusesAddress(to string) {
	b := r.newBrowser()
	page, _ := b.follow(b.open(http.MethodGet, r.request(r.Query, "redirect_uri", to), nil))
	r.must(page.Left == nil && page.Status >= 400, "%d at %s, left to %s", page.Status, page.URL.Path, page.Left)
}

// signsInAgain wants the user to sign in a second time, after more than a second, and returns the claims
// of the second ID token.
func (r *run) signsInAgain(change ...string) map[string]any {
	b, first := r.signedIn(r.Basic)
	signedIn := time.Now()
	<-time.After(time.Until(signedIn.Truncate(time.Second).Add(2100 * time.Millisecond))) // auth_time has whole seconds
	q, asked := b.authorize(r.Basic, change...)
	second := r.redeem(r.Basic, q, change...)
	r.must(slices.Contains(asked, SignIn), "the user has not signed in again but was asked %v", asked)
	before, _ := first.claims["auth_time"].(float64)
	after, ok := second.claims["auth_time"].(float64)
	r.must(!ok || after > before && after >= float64(signedIn.Unix()), "signed in at %v and then at %v", before, after)
	return second.claims
}

// sameSignIn wants the same sign-in again, without a page if silent.
func (r *run) sameSignIn(silent bool, change ...string) {
	b, first := r.signedIn(r.Basic)
	r.sameAs(b, first, silent, change...)
}

func (r *run) sameAs(b *browser, first tokens, silent bool, change ...string) {
	q, asked := b.authorize(r.Basic, change...)
	second := r.redeem(r.Basic, q, change...)
	r.must(!slices.Contains(asked, SignIn) && (!silent || len(asked) == 0), "the user was asked %v", asked)
	before, after := first.claims["auth_time"], second.claims["auth_time"]
	r.must(second.claims["sub"] == first.claims["sub"] && (before == nil || after == nil || before == after), "%v and %v", first.claims, second.claims)
}
