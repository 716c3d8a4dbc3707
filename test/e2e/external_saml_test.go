package e2e_test

import (
	"encoding/pem"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/samlidp"
	"github.com/octavo-books/octavo/test/servers"
)

// simpleSAMLphp is SimpleSAMLphp as an identity provider, at an address that is another site for browsers.
type simpleSAMLphp struct{ url, folder string }

const simpleSAMLphpWWW = "/usr/share/simplesamlphp/www"

func newSimpleSAMLphp(t *testing.T) *simpleSAMLphp {
	t.Helper()
	const install = "apt-get install simplesamlphp php-cli php-xml"
	php := servers.Need(t, "PHP", install, "php")
	if _, err := os.Stat(simpleSAMLphpWWW); err != nil {
		servers.Missing(t, "SimpleSAMLphp", install)
	}
	address := servers.Address(t)
	_, port, _ := strings.Cut(address, ":")
	i := &simpleSAMLphp{url: "http://localhost:" + port, folder: t.TempDir()}
	must.Do(t, os.MkdirAll(filepath.Join(i.folder, "metadata"), 0o700))
	for _, name := range []string{"config.php", "authsources.php", "metadata/saml20-idp-hosted.php"} {
		text := string(must.Get(os.ReadFile(filepath.Join("testdata/simplesamlphp", name)))(t))
		write(t, filepath.Join(i.folder, name), strings.NewReplacer("FOLDER", i.folder, "BASE", i.url).Replace(text))
	}
	idp := samlidp.New(t, i.url, 1)
	i.write(t, "idp.key", string(samlidp.PEM(t, idp.Key)))
	i.write(t, "idp.crt", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: idp.Certificate.Raw})))
	i.write(t, "sp.xml", `<EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata"/>`)
	start(t, []string{"SIMPLESAMLPHP_CONFIG_DIR=" + i.folder, "PHP_CLI_SERVER_WORKERS=4"}, php, "-d", "error_reporting=0", "-d", "session.save_path="+i.folder, "-S", address, "-t", simpleSAMLphpWWW)
	poll.For(t, "SimpleSAMLphp answers", func() bool {
		resp, err := http.Get(i.metadata())
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return i
}

func (i *simpleSAMLphp) metadata() string { return i.url + "/saml2/idp/metadata.php" }

func (i *simpleSAMLphp) write(t *testing.T, name, text string) {
	t.Helper()
	write(t, filepath.Join(i.folder, name), text)
}

// A real identity provider, which checks the signature of the request, signs its answer and encrypts the assertion.
func TestAStudentSignsInWithSimpleSAMLphpFromAnotherSite(t *testing.T) {
	deep.Only(t, "a made-up identity provider signs people in as well")
	t.Parallel()
	idp := newSimpleSAMLphp(t)
	providers := filepath.Join(t.TempDir(), "saml.yaml")
	write(t, providers, fmt.Sprintf("- {name: campus, label: The University, metadata: '%s', domains: [campus.edu], trustEmail: true}\n", idp.metadata()))
	s := e2e.StartWith(t, []string{"SAML_PROVIDERS=" + providers})
	idp.write(t, "sp.xml", surf(t, s).get("/auth/saml/campus/metadata").body)
	b := openBrowser(t, s.URL)
	b.open("/login?next=%2Faccount")
	b.do(chromedp.Click(chromedp.CSS(".providers a")))
	signIn := func() {
		b.await("!!document.querySelector('input[name=password]') && document.readyState", "complete") // the provider redirects first
		b.do(chromedp.SetValue(chromedp.CSS("input[name=username]"), "zoe"), chromedp.SetValue(chromedp.CSS("input[name=password]"), "tulip-bulb"))
		b.do(chromedp.Click(chromedp.CSS("#submit_button, button[type=submit], input[type=submit]")))
		b.text("zoe@campus.edu")
		b.await("location.pathname", "/account")
	}
	signIn()
	// A second sign-in needs no password there. To sign out here signs out there: then it does.
	b.do(chromedp.Click(chromedp.CSS("form[action='/logout'] button")))
	b.text("You are signed out.")
	b.open("/login?next=%2Faccount")
	b.do(chromedp.Click(chromedp.CSS(".providers a")))
	signIn()
	// And the other way round.
	b.do(chromedp.Navigate(idp.url + "/saml2/idp/initSLO.php?RelayState=" + url.QueryEscape(s.URL+"/account")))
	b.await("location.pathname", "/login")
}

func TestAStudentFindsTheUniversityOfAFederationWithoutAScript(t *testing.T) {
	t.Parallel()
	w := newSAMLParty(t)
	b := surf(t, w.Server)
	p := b.get("/auth/saml/federation?next=%2Faccount")
	if p.status != http.StatusOK || !strings.Contains(p.body, "Campus University") || !strings.Contains(p.body, "Other University") {
		t.Fatalf("%d %s", p.status, p.body)
	}
	if p = b.get("/auth/saml/federation?q=nowhere"); !strings.Contains(p.body, "No university was found") {
		t.Errorf("%s", p.body)
	}
	p = b.get("/auth/saml/federation?q=CAMPUS+univ&next=%2Faccount")
	link := regexp.MustCompile(`<li><a href="(/auth/saml/federation\?[^"]+)">([^<]+)</a>`).FindAllStringSubmatch(p.body, -1)
	if len(link) != 1 || link[0][2] != "Campus University" {
		t.Fatalf("%v in %s", link, p.body)
	}
	if p = b.do(http.MethodPost, "/auth/saml/federation/acs", w.beginsAt(b, html.UnescapeString(link[0][1]))); p.status != http.StatusSeeOther || p.location != "/account" {
		t.Fatalf("%d to %q: %s", p.status, p.location, p.body)
	}
	// Its address is of a domain that is no scope of the university: there the federation would be trusted with everybody's.
	w.idp.EntityID = "https://idp.other.edu"
	if p = surf(t, w.Server).do(http.MethodPost, "/auth/saml/federation/acs", url.Values{}); p.status != http.StatusBadRequest {
		t.Errorf("%d", p.status)
	}
	other := surf(t, w.Server)
	if p = other.do(http.MethodPost, "/auth/saml/federation/acs", w.beginsAt(other, "/auth/saml/federation?at=https%3A%2F%2Fidp.other.edu")); p.location != "/auth/code" {
		t.Errorf("%d to %q: %s", p.status, p.location, p.body)
	}
}

// A provider asks in hidden frames, too, in which browsers send no cookies.
func TestAProviderEndsASessionWithoutItsBrowser(t *testing.T) {
	t.Parallel()
	w := newSAMLParty(t)
	var browsers []*surfer
	for range 2 {
		b := surf(t, w.Server)
		if p := b.do(http.MethodPost, "/auth/saml/campus/acs", w.begins(b)); p.status != http.StatusSeeOther {
			t.Fatalf("%d %s", p.status, p.body)
		}
		browsers = append(browsers, b)
	}
	asks := w.idp.LogoutAddress(w.URL+"/auth/saml/campus/slo", "4711", w.index)
	p := surf(t, w.Server).get(asks)
	if p.status != http.StatusSeeOther || !strings.HasPrefix(p.location, "https://idp.campus.edu/slo?SAMLResponse=") || !strings.Contains(p.location, "RelayState=back") {
		t.Fatalf("%d to %q: %s", p.status, p.location, p.body)
	}
	if p := browsers[1].get("/account"); p.status == http.StatusOK {
		t.Errorf("the session goes on: %d", p.status)
	}
	if p := browsers[0].get("/account"); p.status != http.StatusOK {
		t.Errorf("another session of the person has ended: %d to %q", p.status, p.location)
	}
}

// The application, Octavo and the university are signed out of, one after the other.
func TestASignOutOfAnApplicationAlsoEndsTheSessionAtTheUniversity(t *testing.T) {
	t.Parallel()
	w := newSAMLParty(t)
	const bye = "https://app.example/bye"
	app := service{w.Server}.party(t, "--post-logout-redirect-uri", bye)
	b, phone := surf(t, w.Server), surf(t, w.Server)
	for _, one := range []*surfer{phone, b} {
		if p := one.do(http.MethodPost, "/auth/saml/campus/acs", w.begins(one)); p.status != http.StatusSeeOther {
			t.Fatalf("%d %s", p.status, p.body)
		}
	}
	query := url.Values{"client_id": {app.id}, "post_logout_redirect_uri": {bye}, "state": {"x"}}
	if asked := b.get("/oauth2/end_session?" + query.Encode()); !strings.Contains(asked.body, `name="everywhere"`) {
		t.Errorf("the page does not ask: %d %s", asked.status, asked.body)
	}
	query.Set("confirmed", "yes")
	query.Set("everywhere", "yes")
	p := b.do(http.MethodPost, "/oauth2/end_session", query)
	there, leads := strings.CutPrefix(p.header.Get("Refresh"), "0; url=")
	if !leads || !strings.HasPrefix(there, "https://idp.campus.edu/slo?SAMLRequest=") {
		t.Fatalf("%d, refresh %q: %s", p.status, p.header.Get("Refresh"), p.body)
	}
	for name, one := range map[string]*surfer{"this browser": b, "the phone": phone} {
		if p := one.get("/account"); p.status == http.StatusOK {
			t.Errorf("%s is still signed in", name)
		}
	}
	stranger := surf(t, w.Server)
	answer := strings.TrimPrefix(w.idp.LogoutAnswer(w.URL+"/auth/saml/campus/slo", "id-1"), w.URL)
	if p := stranger.get(answer); p.status != http.StatusSeeOther || p.location != "/" {
		t.Errorf("a browser that waits for no answer: %d to %q", p.status, p.location)
	}
	if p := b.get(answer); p.header.Get("Refresh") != "0; url="+bye+"?state=x" {
		t.Errorf("after the university: %d, refresh %q: %s", p.status, p.header.Get("Refresh"), p.body)
	}
	if p := b.get(answer); p.location != "/" {
		t.Errorf("the answer once more leads to %q, refresh %q", p.location, p.header.Get("Refresh"))
	}
}
