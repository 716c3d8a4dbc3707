package e2e_test

import (
	"cmp"
	"html"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/crewjam/saml"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/samlidp"
)

// samlParty is a server with a provider that writes what a test tells it to, under two names.
type samlParty struct {
	*e2e.Server
	t     *testing.T
	idp   *samlidp.Provider
	index string // of the newest session
	// groups of the person at the provider.
	groups []string
}

func newSAMLParty(t *testing.T, env ...string) *samlParty {
	t.Helper()
	w := &samlParty{t: t, idp: samlidp.New(t, "https://idp.campus.edu", 1)}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "idp.xml"), string(w.idp.Metadata("https://idp.campus.edu")))
	write(t, filepath.Join(dir, "saml.yaml"), "- {name: campus, label: The University, metadata: idp.xml, trustEmail: true, roles: [{when: 'isMemberOf contains \"market-staff\"', grant: admin, campus: Lyon}, {when: 'mail endsWith \"@campus.edu\"', grant: member}], groups: [{from: isMemberOf}]}\n- {name: other, metadata: idp.xml, trustEmail: true}\n- {name: federation, metadata: all.xml, trustEmail: true}\n")
	write(t, filepath.Join(dir, "all.xml"), twoUniversities(t))
	w.Server = e2e.StartWith(t, append(env, "SAML_PROVIDERS="+filepath.Join(dir, "saml.yaml")), "auth")
	return w
}

// twoUniversities is the aggregate of a federation.
func twoUniversities(t *testing.T) string {
	t.Helper()
	return string(samlidp.Federation(t, map[string]*samlidp.Provider{
		"Campus University": samlidp.New(t, "https://idp.campus.edu", 1), "Other University": samlidp.New(t, "https://idp.other.edu", 1),
	}, map[string]string{"Campus University": "campus.edu", "Other University": "other.edu"}))
}

// federationFile is a file for SAML_PROVIDERS.
func federationFile(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "all.xml"), twoUniversities(t))
	write(t, filepath.Join(dir, "saml.yaml"), "- {name: federation, label: Your university, metadata: all.xml}\n")
	return filepath.Join(dir, "saml.yaml")
}

// begins starts a sign-in in a browser, and returns what the provider answers.
func (w *samlParty) begins(b *surfer) url.Values {
	w.t.Helper()
	return w.beginsAt(b, "/auth/saml/campus?next=%2Faccount")
}

func (w *samlParty) beginsAt(b *surfer, path string) url.Values {
	w.t.Helper()
	p := b.get(path)
	if p.status != http.StatusFound {
		w.t.Fatalf("%d %s", p.status, p.body)
	}
	request := samlidp.Request(w.t, p.location)
	answer := samlidp.Answer{
		Service: request.Issuer.Value, ACS: request.AssertionConsumerServiceURL, RequestID: request.ID, Now: time.Now(),
		NameID: saml.NameID{Format: string(saml.PersistentNameIDFormat), Value: "4711"},
		Change: func(a *saml.Assertion) { a.AuthnStatements[0].SessionIndex = w.index },
		Values: map[string][]string{"urn:oid:0.9.2342.19200300.100.1.3": {"zoe@campus.edu"}, "urn:oid:2.16.840.1.113730.3.1.241": {"Zoé"}, "urn:oid:1.3.6.1.4.1.5923.1.5.1.1": w.groups},
	}
	w.index = "of " + request.ID
	relay := must.Get(url.Parse(p.location))(w.t).Query().Get("RelayState")
	return url.Values{"SAMLResponse": {w.idp.Encode(answer)}, "RelayState": {relay}}
}

var hiddenInput = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)

func TestAnAnswerFromAnotherSiteIsSentAgainByOurOwnPage(t *testing.T) {
	t.Parallel()
	w := newSAMLParty(t)
	b := surf(t, w.Server)
	answer := w.begins(b)
	p := b.do(http.MethodPost, "/auth/saml/campus/acs", answer, "Sec-Fetch-Site", "cross-site", "Origin", "https://idp.campus.edu")
	if p.status != http.StatusOK || !strings.Contains(p.body, `action="/auth/saml/campus/acs" data-send`) || p.header.Get("Cache-Control") != "no-store" || p.header.Get("Set-Cookie") != "" {
		t.Fatalf("%d %v %s", p.status, p.header, p.body)
	}
	sent := url.Values{}
	for _, input := range hiddenInput.FindAllStringSubmatch(p.body, -1) {
		sent.Set(html.UnescapeString(input[1]), html.UnescapeString(input[2]))
	}
	if p = b.do(http.MethodPost, "/auth/saml/campus/acs", sent); p.status != http.StatusSeeOther || p.location != "/account" {
		t.Fatalf("%d to %q: %s", p.status, p.location, p.body)
	}
	data, code := b.client().GraphQL(t, `{ me { email verified identities { provider } } }`, nil)
	if code != "" || string(data) != `{"me":{"email":"zoe@campus.edu","verified":true,"identities":[{"provider":"campus"}]}}` {
		t.Errorf("%s %s", code, data)
	}
	refusedPage(t, "the answer once more", surf(t, w.Server), b.do(http.MethodPost, "/auth/saml/campus/acs", sent))
}

func TestAnAttributeMakesAnAdminAndItsLossTakesThatAway(t *testing.T) {
	t.Parallel()
	w := newSAMLParty(t)
	var earlier *surfer
	for _, step := range []struct {
		groups []string
		want   string
	}{
		{nil, `{"role":"USER","roles":["member"],"groups":[]}`},
		{[]string{"market-staff", "deans"}, `{"role":"ADMIN","roles":["member"],"groups":["deans","market-staff"]}`},
		{[]string{"market-staff", "deans"}, `{"role":"ADMIN","roles":["member"],"groups":["deans","market-staff"]}`},
		{[]string{"not-market-staff"}, `{"role":"USER","roles":["member"],"groups":["not-market-staff"]}`},
	} {
		w.groups = step.groups
		b := surf(t, w.Server)
		if p := b.do(http.MethodPost, "/auth/saml/campus/acs", w.begins(b)); p.status != http.StatusSeeOther {
			t.Fatalf("%d %s", p.status, p.body)
		}
		for _, one := range []*surfer{b, cmp.Or(earlier, b)} { // what changes holds in other sessions, too
			if data, code := one.client().GraphQL(t, `{ me { role roles groups } }`, nil); code != "" || string(data) != `{"me":`+step.want+`}` {
				t.Errorf("%q: %s %s, want %s", step.groups, code, data, step.want)
			}
		}
		earlier = b
	}
}

func TestAnAnswerCountsInTheBrowserThatAskedForItAndOnce(t *testing.T) {
	t.Parallel()
	w := newSAMLParty(t)
	eve, b := surf(t, w.Server), surf(t, w.Server)
	eves := w.begins(eve)
	w.begins(b)
	refusedPage(t, "Eve's answer in another browser", b, b.do(http.MethodPost, "/auth/saml/campus/acs", eves))
	b = surf(t, w.Server)
	mine := w.begins(b)
	refusedPage(t, "Eve's answer with the state of this browser", b, b.do(http.MethodPost, "/auth/saml/campus/acs", url.Values{"SAMLResponse": eves["SAMLResponse"], "RelayState": mine["RelayState"]}))
	awaitLog(t, w.Server, "InResponseTo")
	refusedPage(t, "a second answer to one request", b, b.do(http.MethodPost, "/auth/saml/campus/acs", mine))
	b = surf(t, w.Server)
	refusedPage(t, "the answer for another provider's name", b, b.do(http.MethodPost, "/auth/saml/other/acs", w.begins(b)))
	b = surf(t, w.Server)
	for what, form := range map[string]url.Values{
		"nothing": {}, "no state": {"SAMLResponse": eves["SAMLResponse"]}, "no answer": {"RelayState": w.begins(b)["RelayState"]},
	} {
		refusedPage(t, what, b, b.do(http.MethodPost, "/auth/saml/campus/acs", form))
	}
	if p := b.do(http.MethodPost, "/auth/saml/campus/acs", url.Values{"SAMLResponse": {strings.Repeat("A", 400<<10)}}); p.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a huge answer: %d", p.status)
	}
	for _, query := range []string{"", "?SAMLRequest=x", "?SAMLResponse=x&RelayState=y"} {
		if p := b.get("/auth/saml/campus/slo" + query); p.status != http.StatusBadRequest || !strings.Contains(p.body, "did not confirm it") {
			t.Errorf("a sign-out of nobody, %q: %d %s", query, p.status, p.body)
		}
	}
	// One that is stolen before it was used needs the cookie of its browser.
	b = surf(t, w.Server)
	stolen := w.begins(b)
	refusedPage(t, "a stolen answer", eve, eve.do(http.MethodPost, "/auth/saml/campus/acs", stolen))
	if p := b.do(http.MethodPost, "/auth/saml/campus/acs", stolen); p.status != http.StatusSeeOther {
		t.Errorf("its own browser: %d %s", p.status, p.body)
	}
}

func TestASAMLSignInWorksWithStrictCookies(t *testing.T) {
	t.Parallel()
	w := newSAMLParty(t, "COOKIE_SAMESITE=strict")
	b := surf(t, w.Server)
	if p := b.do(http.MethodPost, "/auth/saml/campus/acs", w.begins(b)); p.status != http.StatusOK || p.header.Get("Refresh") != "0; url=/account" || b.cookie("octavo_access") == "" {
		t.Fatalf("%d %v %s", p.status, p.header, p.body)
	}
	if p := b.get("/auth/oidc/campus?next=%2Faccount"); p.location != "/auth/saml/campus?next=%2Faccount" {
		t.Errorf("the address of other providers leads to %q", p.location)
	}
}
