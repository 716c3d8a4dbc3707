package openid_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/openid"
)

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
