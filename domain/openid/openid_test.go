package openid_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
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

func TestHintsAboutAUserAreReadWithCare(t *testing.T) {
	for name, test := range map[string]struct{ hint, locales, email, lang string }{
		"both":          {" Ann@U.edu", "de fr-CA en", "ann@u.edu", "fr"},
		"neither":       {"", "", "", ""},
		"a phone":       {"+49 6221 54", "de", "", ""},
		"two addresses": {"ann@u.edu, bob@u.edu", "EN-gb", "", "en"},
	} {
		r, _, err := openid.ParseRequest(app("https://app.example/cb?tenant=1"), request("login_hint", test.hint, "ui_locales", test.locales), noon)
		if err != nil || r.LoginHint != test.email || string(r.Lang) != test.lang {
			t.Errorf("%s: %q %q, %v", name, r.LoginHint, r.Lang, err)
		}
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

const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" // RFC 7636, appendix B

func request(change ...string) url.Values {
	p := url.Values{
		"client_id": {"7"}, "redirect_uri": {"https://app.example/cb?tenant=1"}, "response_type": {"code"}, "scope": {"email openid unknown openid"},
		"state": {"a&b=c d"}, "nonce": {"n"}, "code_challenge": {challenge}, "code_challenge_method": {"S256"},
	}
	for i := 0; i < len(change); i += 2 {
		p.Set(change[i], change[i+1])
		if change[i+1] == "" {
			p.Del(change[i])
		}
	}
	return p
}

func TestARequestIsRead(t *testing.T) {
	c := app("https://app.example/cb?tenant=1")
	r, sendable, err := openid.ParseRequest(c, request("max_age", "60", "prompt", "consent"), noon)
	if err != nil || !sendable || r.Scopes != "openid email" || r.State != "a&b=c d" || r.Nonce != "n" || !r.Consent || !r.SignedInSince.Equal(noon.Add(-time.Minute)) {
		t.Fatalf("%+v, %v, %v", r, sendable, err)
	}
	answer := r.AnswerCode("https://octavo.example", "c0de")
	if answer != "https://app.example/cb?tenant=1&code=c0de&iss=https%3A%2F%2Foctavo.example&state=a%26b%3Dc+d" {
		t.Fatal(answer)
	}
}

func TestAMalformedRequestIsAnsweredWithAnErrorAndItsState(t *testing.T) {
	c := app("https://app.example/cb?tenant=1")
	for name, test := range map[string]struct {
		p    url.Values
		code string
	}{
		"no response type":         {request("response_type", ""), "invalid_request"},
		"implicit flow":            {request("response_type", "id_token token"), "unsupported_response_type"},
		"hybrid flow":              {request("response_type", "code id_token"), "unsupported_response_type"},
		"fragment":                 {request("response_mode", "fragment"), "invalid_request"},
		"form post":                {request("response_mode", "form_post"), "invalid_request"},
		"no PKCE":                  {request("code_challenge", ""), "invalid_request"},
		"plain PKCE":               {request("code_challenge_method", "plain"), "invalid_request"},
		"PKCE without a method":    {request("code_challenge_method", ""), "invalid_request"},
		"challenge too short":      {request("code_challenge", challenge[1:]), "invalid_request"},
		"challenge with stray bit": {request("code_challenge", challenge[:42]+"N"), "invalid_request"},
		"no scope":                 {request("scope", ""), "invalid_scope"},
		"no openid":                {request("scope", "email"), "invalid_scope"},
		"request object":           {request("request", "ey"), "request_not_supported"},
		"request uri":              {request("request_uri", "https://evil.example"), "request_uri_not_supported"},
		"registration":             {request("registration", "{}"), "registration_not_supported"},
		"none with login":          {request("prompt", "none login"), "invalid_request"},
		"unknown prompt":           {request("prompt", "create"), "invalid_request"},
		"negative age":             {request("max_age", "-1"), "invalid_request"},
		"age of letters":           {request("max_age", "1e3"), "invalid_request"},
		"age too large":            {request("max_age", "99999999999999999999"), "invalid_request"},
	} {
		r, sendable, err := openid.ParseRequest(c, test.p, noon)
		if err == nil || !sendable || !strings.Contains(r.AnswerError("i", asFault(t, err)), "error="+test.code) || !strings.Contains(r.AnswerError("i", asFault(t, err)), "state=a%26b%3Dc+d") {
			t.Errorf("%s: %+v, %v, %v", name, r, sendable, err)
		}
	}
	twice := request()
	twice.Add("nonce", "m")
	if _, sendable, err := openid.ParseRequest(c, twice, noon); !sendable || !errors.Is(err, openid.ErrInvalidRequest) {
		t.Error("a parameter may occur twice")
	}
	if _, sendable, err := openid.ParseRequest(c, request("nonce", strings.Repeat("n", 9000)), noon); !sendable || !errors.Is(err, openid.ErrInvalidRequest) {
		t.Error("parameters are not bounded")
	}
	twice = request()
	twice.Add("redirect_uri", "https://evil.example")
	for name, p := range map[string]url.Values{"twice": twice, "missing": request("redirect_uri", ""), "other": request("redirect_uri", "https://evil.example")} {
		if _, sendable, err := openid.ParseRequest(c, p, noon); sendable || !errors.Is(err, openid.ErrRedirectURI) {
			t.Errorf("redirect URI %s: an answer is sent", name)
		}
	}
}

func TestOnlyTheVerifierOfAChallengeMatches(t *testing.T) {
	const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	if !openid.VerifierMatches(challenge, verifier) {
		t.Error("the example of RFC 7636 does not match")
	}
	for _, other := range []string{"", challenge, verifier + "x", verifier[1:] + "A", strings.Repeat("x", 129)} {
		if openid.VerifierMatches(challenge, other) {
			t.Errorf("%q matches", other)
		}
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

func TestScopesAtAResourceAreKeptApart(t *testing.T) {
	const granted = "openid email r1/ r1/read r1/email r2/ r2/read"
	for asked, want := range map[string]string{
		"": granted, "openid": "openid r1/ r2/", "read": "r1/ r1/read r2/ r2/read", "email": "email r1/ r1/email r2/",
	} {
		if got, err := openid.Narrow(granted, asked); err != nil || got != want {
			t.Errorf("%q: %q, %v", asked, got, err)
		}
	}
	for _, more := range []string{"write", "r1/read", "r1/", "/"} {
		if got, err := openid.Narrow(granted, more); !errors.Is(err, openid.ErrScopeExceeded) {
			t.Errorf("%q: %q, %v", more, got, err)
		}
	}
	if own, plain := openid.OwnScopes(granted), openid.PlainScopes(granted); own != "openid email" || plain != "openid email read" {
		t.Errorf("own %q, plain %q", own, plain)
	}
	if g := (openid.Grant{Scopes: "openid r1/ r1/read"}).With("openid email r2/ r1/", noon); g.Scopes != "openid email r1/ r1/read r2/" {
		t.Errorf("%q", g.Scopes)
	}
	if at := openid.ScopesAt(granted, "r1", []string{"email", "write"}); at != "email" {
		t.Errorf("left at the resource is %q", at)
	}
	c := app("https://app.example/cb?tenant=1")
	r, _, err := openid.ParseRequest(c, request("scope", "openid r1/read x"), noon)
	if err != nil || r.Scopes != "openid" {
		t.Errorf("a client asks for %q, %v", r.Scopes, err)
	}
	if err := r.Ask("r1", []string{strings.Repeat("x", 3000), "x"}); err != nil || r.Scopes != "openid r1/ r1/x" {
		t.Errorf("%q, %v", r.Scopes, err)
	}
}

func TestAGrantCoversOnlyItsScopes(t *testing.T) {
	g := openid.Grant{}.With("email openid", noon)
	if g.Scopes != "openid email" || !g.Covers("openid") || !g.Covers("email openid") || g.Covers("openid profile") || !g.With("profile", noon).Covers("profile email") || !g.ChangedAt.Equal(noon) {
		t.Errorf("%+v", g)
	}
}

func asFault(t *testing.T, err error) *fault.Error {
	t.Helper()
	f := fault.As(err)
	if f == nil {
		t.Fatal(err)
	}
	return f
}

// An answer never leaves for another host, scheme or path than those of a registered address.
func FuzzAnAnswerStaysAtItsApplication(f *testing.F) {
	for _, seed := range [][2]string{
		{"https://app.example/cb", "https://app.example/cb"}, {"http://127.0.0.1/cb", "http://127.0.0.1:51004/cb"}, {"http://[::1]:8080/cb?x=1", "http://[::1]/cb?x=1"},
		{"http://localhost", "http://localhost:080"}, {"com.example.app:/cb", "com.example.app:/cb"}, {"https://app.example/cb", "https://app.example@evil.example/cb"},
		{"http://127.0.0.1/cb", "http://127.0.0.1:80@evil.example/cb"}, {"https://a.example/?q", "https://a.example/?q"}, {"http://127.0.0.1", "http://127.0.0.1?"},
	} {
		f.Add(seed[0], seed[1], "st&te", true)
	}
	f.Fuzz(func(t *testing.T, registered, uri, state string, public bool) {
		c := app(registered)
		c.Public = public
		if c.Validate() != nil || !c.AllowsRedirect(uri) {
			return
		}
		r := openid.Request{RedirectURI: uri, State: state}
		to, err := url.Parse(r.AnswerCode("https://octavo.example", "c0de"))
		want, err2 := url.Parse(registered)
		if err != nil || err2 != nil {
			t.Fatalf("%q, %q: %v, %v", registered, uri, err, err2)
		}
		loopback := want.Scheme == "http"
		if to.Scheme != want.Scheme || to.Hostname() != want.Hostname() || to.Path != want.Path || to.User != nil || to.Fragment != "" || !loopback && to.Host != want.Host {
			t.Errorf("%q: the answer leaves for %s", registered, to)
		}
		if q := to.Query(); q.Get("code") != "c0de" && !strings.Contains(want.RawQuery, "code") || q.Get("iss") == "" {
			t.Errorf("%q: the answer is %s", registered, to)
		}
	})
}

// No other text than the verifier belongs to a challenge, whatever its characters are.
func FuzzPKCE(f *testing.F) {
	f.Add("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", challenge)
	f.Add("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk ", challenge)
	f.Add(strings.Repeat("a", 129), "")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, verifier, sent string) {
		r, sendable, err := openid.ParseRequest(app("https://app.example/cb?tenant=1"), request("code_challenge", sent), noon)
		if !sendable {
			t.Fatalf("%q: %v", sent, err)
		}
		if err != nil {
			return
		}
		if r.Challenge != sent || len(sent) != 43 {
			t.Errorf("%q became %q", sent, r.Challenge)
		}
		if !openid.VerifierMatches(r.Challenge, verifier) {
			return
		}
		if len(verifier) < 43 || len(verifier) > 128 || openid.VerifierMatches(r.Challenge, verifier+"x") || openid.VerifierMatches("", verifier) {
			t.Errorf("%q belongs to %q", verifier, sent)
		}
	})
}

// Whatever a request says, it is shown or answered at the address that was registered.
func FuzzAuthorizationRequest(f *testing.F) {
	f.Add(request().Encode())
	f.Add(request("prompt", "none login", "max_age", "-1").Encode() + "&nonce=%ff")
	f.Add("client_id=7&redirect_uri=https://app.example/cb?tenant=1&state=%00")
	f.Fuzz(func(t *testing.T, query string) {
		p, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		r, sendable, err := openid.ParseRequest(app("https://app.example/cb?tenant=1"), p, noon)
		switch {
		case !sendable && (err == nil || r.RedirectURI != ""):
			t.Errorf("%q: %+v, %v", query, r, err)
		case sendable && !strings.HasPrefix(r.AnswerError("i", asFault(t, openid.ErrInvalidRequest)), "https://app.example/cb?tenant=1&"):
			t.Errorf("%q: the answer leaves for %s", query, r.RedirectURI)
		case err == nil && (len(r.Challenge) != 43 || !openid.HasScope(r.Scopes, openid.ScopeOpenID)):
			t.Errorf("%q: %+v", query, r)
		}
	})
}
