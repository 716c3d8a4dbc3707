package e2e_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/servers"
)

// openApache starts an Apache whose pages under /protected need a sign-in by mod_auth_openidc with the lines
// of the recipe.
func (s service) openApache(t *testing.T, address string, app party, lines string) (log string) {
	t.Helper()
	program := servers.Need(t, "Apache", "apt-get install apache2", "apache2", "/usr/sbin/apache2")
	const modules = "/usr/lib/apache2/modules/"
	if _, err := os.Stat(modules + "mod_auth_openidc.so"); err != nil {
		servers.Need(t, "mod_auth_openidc", "apt-get install libapache2-mod-auth-openidc", "mod_auth_openidc")
	}
	dir := t.TempDir()
	config := "ServerRoot " + dir + "\nPidFile " + dir + "/pid\nErrorLog /dev/stderr\nMutex pthread\nListen " + address + "\nServerName " + address + "\nDocumentRoot /usr/share\n"
	if os.Geteuid() == 0 {
		config += "User nobody\nGroup nogroup\n"
	}
	for _, name := range []string{"mpm_event", "authn_core", "authz_core", "authz_user", "headers", "auth_openidc"} {
		config += "LoadModule " + name + "_module " + modules + "mod_" + name + ".so\n"
	}
	config += lines + "\n<Location /protected>\nAuthType openid-connect\nRequire valid-user\nHeader always set X-User \"expr=%{REMOTE_USER}\"\n</Location>\n"
	config = strings.NewReplacer(
		"https://octavo.example.edu", s.URL, "https://groups.example.edu", "http://"+address, "CLIENT_ID", app.id, "CLIENT_SECRET", app.secret, "PASSPHRASE", "one for the test",
	).Replace(config)
	log = start(t, nil, program, "-X", "-f", save(t, "apache.conf", config))
	deliver(t, through(t, "GET", "http://"+address+"/", "")) // waits until it listens
	return log
}

// passes follows a browser through a sign-in at another program and returns the last answer.
func (p *person) passes(address string, consent bool) *http.Response {
	p.t.Helper()
	shown := p.open("GET", address, nil)
	if shown.left == nil && consent {
		shown = p.allow(shown)
	}
	if shown.left == nil {
		p.t.Fatalf("want to be sent back, got %d at %s: %s", shown.status, shown.at, shown.body)
	}
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, shown.left.String(), nil)
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header = p.header.Clone()
	resp, err := p.http.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp
}

func TestApacheSignsPeopleInWithItsDefaultsAndWithPKCE(t *testing.T) {
	t.Parallel()
	s := startAuth(t)
	ann := s.member(t, byCookie, "ann")
	ann.header.Set("Accept", "text/html") // Apache sends only browsers to sign in
	lines := recipe(t, "openid-clients.md", "apache", 0)
	for name, test := range map[string]struct{ lines, flag string }{
		"defaults": {strings.ReplaceAll(lines, "OIDCPKCEMethod S256\n", ""), "--no-pkce"}, "PKCE": {lines, "--pkce"},
	} {
		address := servers.Address(t)
		app := s.partyAt(t, "http://"+address+"/protected/redirect_uri", test.flag)
		out := s.openApache(t, address, app, test.lines)
		resp := ann.passes("http://"+address+"/protected/", true)
		if user := resp.Header.Get("X-User"); !strings.HasPrefix(user, ann.id+"@") || resp.StatusCode != http.StatusNotFound { // signed in, and there is no such page
			log, _ := os.ReadFile(out)
			t.Errorf("%s: %d for %q: %s", name, resp.StatusCode, user, log)
		}
	}
}
