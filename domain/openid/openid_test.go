package openid_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/openid"
)

var noon = time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)

func app(redirects ...string) openid.Client {
	return openid.Client{ID: "7", Name: "An app", RedirectURIs: redirects, IDTokenAlg: openid.RS256}
}

func TestAnAnswerIsSentOnlyToARegisteredAddress(t *testing.T) {
	c := app("https://app.example/callback", "https://app.example/other?tenant=1", "http://127.0.0.1/callback", "http://[::1]:8080/callback")
	for uri, allowed := range map[string]bool{
		"https://app.example/callback":                 true,
		"https://app.example/other?tenant=1":           true,
		"http://127.0.0.1/callback":                    true,
		"http://127.0.0.1:51004/callback":              true,
		"http://[::1]:9/callback":                      true,
		"":                                             false,
		"https://app.example/callback/":                false,
		"https://app.example/callback?x=1":             false,
		"https://app.example/callback#x":               false,
		"https://app.example/callback/../evil":         false,
		"https://app.example/CALLBACK":                 false,
		"https://APP.example/callback":                 false,
		"HTTPS://app.example/callback":                 false,
		"http://app.example/callback":                  false,
		"https://app.example:443/callback":             false,
		"https://app.example./callback":                false,
		"https://app.example/callback%00":              false,
		"https://app.example/%63allback":               false,
		"https%3A%2F%2Fapp.example%2Fcallback":         false,
		"https://user@app.example/callback":            false,
		"https://app.example@evil.example/callback":    false,
		"https://app.example.evil.example/callback":    false,
		"https://evil.example/https://app.example":     false,
		"https://app.example/callback https://evil":    false,
		" https://app.example/callback":                false,
		"//app.example/callback":                       false,
		`https://app.example\callback`:                 false,
		"https://app.example/other?tenant=2":           false,
		"http://127.0.0.1.evil.example/callback":       false,
		"http://127.0.0.1:80@evil.example/callback":    false,
		"http://127.0.0.1:080/callback":                false,
		"http://127.0.0.1:99999/callback":              false,
		"http://127.0.0.1:/callback":                   false,
		"http://127.0.0.2:80/callback":                 false,
		"http://localhost:80/callback":                 false,
		"https://127.0.0.1:80/callback":                false,
		"http://127.0.0.1:80/callback/x":               false,
		"http://127.0.0.1:80/x/../callback":            false,
		"http://0x7f000001/callback":                   false,
		"javascript:alert(1)//https://app.example/cal": false,
	} {
		if got := c.AllowsRedirect(uri); got != allowed {
			t.Errorf("%q: %v, want %v", uri, got, allowed)
		}
	}
}

func TestOnlySafeAddressesCanBeRegistered(t *testing.T) {
	for uri, public := range map[string]bool{
		"https://app.example/callback?tenant=1": false, "http://localhost:3000/cb": false, "http://127.0.0.1/cb": false, "http://[::1]/cb": false,
		"com.example.app:/cb": true, "com.example.app://cb": true,
	} {
		c := app(uri)
		c.Public = public
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", uri, err)
		}
	}
	for _, uri := range []string{
		"", "https://", "http://app.example/cb", "https://app.example/cb#x", "https://app.example/#", "https://*.example/cb", "https://u:p@app.example/cb",
		"javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "com.example.app:/cb", "/cb", "https://app.example/a b", "https://app.example/\n",
		"https://app.example;script-src/cb", "https://exämple.edu/cb", "https://app.example/" + strings.Repeat("x", 2000), "http://127.0.0.1.evil.example/cb",
	} {
		c := app(uri)
		if err := c.Validate(); !errors.Is(err, openid.ErrClientInvalid) {
			t.Errorf("%q is registered: %v, want %v", uri, err, openid.ErrClientInvalid)
		}
	}
	for _, scheme := range []string{"javascript:alert(1)", "data:text/html,x", "myapp:/cb", "com.example.app:cb"} {
		c := app(scheme)
		c.Public = true
		if c.Validate() == nil {
			t.Errorf("%q is registered for a public client", scheme)
		}
	}
}

func TestAClientNeedsItsSecretAndAPublicOneHasNone(t *testing.T) {
	confidential := app("https://app.example/cb")
	confidential.SecretHash = openid.HashSecret("the secret")
	public := app("https://app.example/cb")
	public.Public = true
	for name, c := range map[string]struct {
		client openid.Client
		secret string
		ok     bool
	}{
		"right": {confidential, "the secret", true}, "wrong": {confidential, "another", false}, "none": {confidential, "", false},
		"public without": {public, "", true}, "public with one": {public, "the secret", false},
		"hash never set": {app("https://app.example/cb"), "", false},
	} {
		if err := c.client.Authenticate(c.secret, noon); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAReplacedSecretWorksForItsOverlap(t *testing.T) {
	c := app("https://app.example/cb")
	c.SecretHash = openid.HashSecret("first")
	for _, overlap := range []time.Duration{-1, openid.MaxOverlap + 1} {
		if err := c.RenewSecret(openid.HashSecret("second"), noon, overlap); !errors.Is(err, openid.ErrOverlap) {
			t.Errorf("%s: %v, want %v", overlap, err, openid.ErrOverlap)
		}
	}
	works := func(secret string, at time.Time) bool { return c.Authenticate(secret, at) == nil }
	if err := c.RenewSecret(openid.HashSecret("second"), noon, openid.MaxOverlap); err != nil {
		t.Fatal(err)
	}
	end := noon.Add(openid.MaxOverlap)
	if !works("first", end.Add(-1)) || works("first", end) || !works("second", noon) || !works("second", end) || works("", noon) {
		t.Errorf("of %+v the wrong secrets work", c)
	}
	if err := c.RenewSecret(openid.HashSecret("third"), noon, time.Hour); err != nil || works("first", noon) || !works("second", noon) || !works("third", noon) {
		t.Errorf("of %+v the wrong secrets work, %v", c, err)
	}
	if err := c.RenewSecret(openid.HashSecret("fourth"), noon, 0); err != nil || works("second", noon) || works("third", noon) || !works("fourth", noon) {
		t.Errorf("of %+v the wrong secrets work, %v", c, err)
	}
}

func TestOnlyAClientWithASecretCanDoWithoutPKCE(t *testing.T) {
	optional, public := app("https://app.example/cb?tenant=1"), app("https://app.example/cb?tenant=1")
	optional.PKCEOptional, public.PKCEOptional, public.Public = true, true, true
	if err := public.Validate(); !errors.Is(err, openid.ErrClientInvalid) {
		t.Errorf("a public client without PKCE: %v", err)
	}
	for name, test := range map[string]struct {
		c  openid.Client
		p  url.Values
		ok bool
	}{
		"without":                {optional, request("code_challenge", "", "code_challenge_method", ""), true},
		"with":                   {optional, request(), true},
		"a method alone":         {optional, request("code_challenge", ""), false},
		"a challenge alone":      {optional, request("code_challenge_method", ""), false},
		"plain":                  {optional, request("code_challenge_method", "plain"), false},
		"without, by default":    {app("https://app.example/cb?tenant=1"), request("code_challenge", "", "code_challenge_method", ""), false},
		"without, public client": {public, request("code_challenge", "", "code_challenge_method", ""), false},
	} {
		if r, _, err := openid.ParseRequest(test.c, test.p, noon); (err == nil) != test.ok || err == nil && r.Challenge != test.p.Get("code_challenge") {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if !openid.VerifierMatches("", "") || openid.VerifierMatches("", strings.Repeat("a", 43)) {
		t.Error("a code without a challenge takes a verifier")
	}
}

func TestARefreshNarrowsScopesOnly(t *testing.T) {
	for asked, want := range map[string]string{"": "openid email", "email": "email", "email openid email": "openid email"} {
		if got, err := openid.Narrow("openid email", asked); err != nil || got != want {
			t.Errorf("%q: %q, %v", asked, got, err)
		}
	}
	if _, err := openid.Narrow("openid email", "openid profile"); !errors.Is(err, openid.ErrScopeExceeded) {
		t.Errorf("more: %v", err)
	}
}

func TestOnlySafeLinksOfAnApplicationCanBeRegistered(t *testing.T) {
	for name, set := range map[string]func(*openid.Client, string){
		"back": func(c *openid.Client, uri string) { c.BackchannelLogoutURI = uri }, "front": func(c *openid.Client, uri string) { c.FrontchannelLogoutURI = uri },
		"logo": func(c *openid.Client, uri string) { c.LogoURI = uri }, "policy": func(c *openid.Client, uri string) { c.PolicyURI = uri },
		"terms": func(c *openid.Client, uri string) { c.TermsURI = uri },
	} {
		for uri, ok := range map[string]bool{
			"": true, "https://app.example/x?y=z": true, "http://app.example/x": false, "javascript:alert(1)": false, "https://app.example/#x": false, "com.example.app:/x": false,
			"https://other.example/x": name != "front",
		} {
			c := app("https://app.example/cb")
			set(&c, uri)
			if err := c.Validate(); (err == nil) != ok || err != nil && !errors.Is(err, openid.ErrClientInvalid) {
				t.Errorf("%s %q: %v", name, uri, err)
			}
		}
	}
	c := app("https://app.example/cb")
	if c.RequireACR = "high"; !errors.Is(c.Validate(), openid.ErrClientInvalid) {
		t.Error("an unknown class is registered")
	}
}

func TestTheAuditLogSaysWhatChangedOfAnApplication(t *testing.T) {
	before, after := app("https://app.example/cb"), app("https://app.example/cb2")
	after.PKCEOptional, after.SecretHash = true, openid.HashSecret("x")
	if got := openid.Difference(before, after); got != "redirect URIs, PKCE" || openid.Difference(before, before) != "" {
		t.Errorf("%q", got)
	}
}

func TestOnlyPagesOfPublicClientsMayCallTheTokenEndpoint(t *testing.T) {
	public, confidential := app("https://spa.example/cb", "http://127.0.0.1/cb", "com.example.app:/cb"), app("https://web.example/cb")
	public.Public = true
	all := []openid.Client{public, confidential}
	for origin, want := range map[string]bool{
		"https://spa.example": true, "http://127.0.0.1:5173": true,
		"https://web.example": false, "https://spa.example.evil.example": false, "null": false, "": false, "http://spa.example": false, "com.example.app://": false,
	} {
		if openid.OriginAllowed(all, origin) != want {
			t.Errorf("%q: %v", origin, !want)
		}
	}
}

func TestAGrantCoversOnlyItsScopes(t *testing.T) {
	g := openid.Grant{}.With("email openid", noon)
	if g.Scopes != "openid email" || !g.Covers("openid") || !g.Covers("email openid") || g.Covers("openid profile") || !g.With("profile", noon).Covers("profile email") || !g.ChangedAt.Equal(noon) {
		t.Errorf("%+v", g)
	}
}
