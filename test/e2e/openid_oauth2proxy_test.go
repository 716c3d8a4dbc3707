package e2e_test

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/gobuild"
	"github.com/octavo-books/octavo/test/servers"
)

// oauth2-proxy is built from a module of its own, test/oauth2proxy.
func TestOAuth2ProxySignsPeopleInWithItsDefaultsAndWithPKCE(t *testing.T) {
	t.Parallel()
	deep.Only(t, "builds oauth2-proxy; Apache signs people in as well")
	program := filepath.Join(t.TempDir(), "oauth2-proxy")
	if err := gobuild.Program(t.Context(), "../oauth2proxy", program, "github.com/oauth2-proxy/oauth2-proxy/v7"); err != nil {
		t.Fatal(err)
	}
	s := startAuth(t)
	ann := s.member(t, byCookie, "ann")
	for flag, more := range map[string][]string{"--no-pkce": nil, "--pkce": {"--code-challenge-method=S256"}} {
		address := servers.Address(t)
		app := s.partyAt(t, "http://"+address+"/oauth2/callback", flag)
		start(t, nil, program, append(more, "--provider=oidc", "--oidc-issuer-url="+s.URL, "--client-id="+app.id, "--client-secret="+app.secret,
			"--redirect-url=http://"+address+"/oauth2/callback", "--email-domain=*", "--cookie-secret=0123456789abcdef", "--cookie-secure=false", "--cookie-name=at"+flag, // the ports of this machine share cookies
			"--http-address="+address, "--upstream=static://202", "--skip-provider-button", "--set-xauthrequest")...)
		deliver(t, through(t, "GET", "http://"+address+"/ping", "")) // waits until it listens
		resp := ann.passes("http://"+address+"/", true)
		if user, email := resp.Header.Get("X-Auth-Request-User"), resp.Header.Get("X-Auth-Request-Email"); resp.StatusCode != http.StatusAccepted || user != ann.id || email != ann.email {
			t.Errorf("%s: %d for %q %q", flag, resp.StatusCode, user, email)
		}
	}
}
