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
