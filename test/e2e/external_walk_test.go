package e2e_test

import (
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

// walk is a student's way through Octavo: in by the university, a book sold, out by the university's directory.
type walk struct {
	*tab
	s *e2e.Server
}

func newWalk(t *testing.T, s *e2e.Server) walk {
	t.Helper()
	expects := func(m chromedp.ConsoleMessage) bool { return !strings.HasPrefix(m.URL, s.URL) || isRefusal(m) }
	return walk{openBrowserThat(t, s.URL, expects), s}
}

// sells completes the profile of a newcomer and posts a book, on the pages.
func (w walk) sells(title string) {
	w.t.Helper()
	w.open("/account")
	for name, value := range map[string]string{"firstName": "Zoé", "lastName": "Young", "university": "Campus", "campusMailbox": "1", "paymentUsername": "zoe"} {
		w.do(chromedp.SetValue(chromedp.CSS("input[name="+name+"]"), value))
	}
	w.do(chromedp.Click(chromedp.CSS("form[action='/account'] button")))
	w.text("Your changes are saved.")
	w.open("/sell")
	w.typed("name", title, "course", "MTH 165", "edition", "1", "price", "42.50", "condition", "Good")
	w.press("/sell")
	w.text("Your book is listed.")
}

// client sends requests with the session of the browser.
func (w walk) client() e2e.Client {
	w.t.Helper()
	found, err := chromedp.Call(w.ctx, network.GetCookies, network.GetCookiesParams{URLs: []string{w.s.URL}})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, c := range found.Cookies {
		if c.Name == "octavo_access" {
			return e2e.Client{URL: w.s.URL, Token: c.Value}
		}
	}
	w.t.Fatalf("the browser has no session but %+v", found.Cookies)
	return e2e.Client{}
}

// deactivates the account as the directory of the university does.
func (w walk) deactivates(email string) {
	w.t.Helper()
	_, body := scim(w.t, w.s, scimToken, "GET", "/Users?filter="+url.QueryEscape(`userName eq "`+email+`"`), "")
	_, rest, found := strings.Cut(body, `"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	if !found {
		w.t.Fatal(body)
	}
	off := `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[{"op":"replace","value":{"active":false}}]}`
	if status, body := scim(w.t, w.s, scimToken, "PATCH", "/Users/"+id, off); status != http.StatusOK || !strings.Contains(body, `"active":false`) {
		w.t.Fatalf("%d %s", status, body)
	}
}

// sellsAndIsOut is the way from the first page after a sign-in on.
func (w walk) sellsAndIsOut(email string) {
	w.t.Helper()
	w.sells("Linear Algebra")
	anybody, session := e2e.Client{URL: w.s.URL}, w.client()
	session.Must(w.t, http.StatusOK, "GET", "/api/user/getUserData", nil)
	const books = "/api/books/getBooksNoToken/10/0"
	if a := anybody.Must(w.t, http.StatusOK, "GET", books, nil); !strings.Contains(string(a.Body), "Linear Algebra") {
		w.t.Fatalf("the book is not for sale: %s", a.Body)
	}
	w.deactivates(email)
	session.Must(w.t, http.StatusUnauthorized, "GET", "/api/user/getUserData", nil)
	w.open("/account")
	w.await("location.pathname", "/login")
	if a := anybody.Must(w.t, http.StatusOK, "GET", books, nil); strings.Contains(string(a.Body), "Linear Algebra") {
		w.t.Errorf("the book of somebody who has left is for sale: %s", a.Body)
	}
}

func TestAStudentOfAUniversityWithSAMLSellsABookAndIsOutAtOnceWhenTheyLeave(t *testing.T) {
	deep.Only(t, "each part of the way has a test of its own")
	t.Parallel()
	idp := newSimpleSAMLphp(t)
	providers := filepath.Join(t.TempDir(), "saml.yaml")
	write(t, providers, fmt.Sprintf("- {name: campus, label: The University, metadata: '%s', domains: [campus.edu], trustEmail: true}\n", idp.metadata()))
	s := e2e.StartWith(t, []string{"SAML_PROVIDERS=" + providers, "SCIM_TOKEN=" + scimToken})
	idp.write(t, "sp.xml", surf(t, s).get("/auth/saml/campus/metadata").body)
	w := newWalk(t, s)
	signsIn := func() {
		w.open("/login?next=%2Faccount")
		w.do(chromedp.Click(chromedp.CSS(".providers a")))
	}
	signsIn()
	w.await("!!document.querySelector('input[name=password]') && document.readyState", "complete")
	w.do(chromedp.SetValue(chromedp.CSS("input[name=username]"), "zoe"), chromedp.SetValue(chromedp.CSS("input[name=password]"), "tulip-bulb"))
	w.do(chromedp.Click(chromedp.CSS("#submit_button, button[type=submit], input[type=submit]")))
	w.await("location.pathname", "/account")
	w.sellsAndIsOut("zoe@campus.edu")
	signsIn() // the university may know them still
	w.text("suspended")
}

func TestAStudentOfAUniversityWithOpenIDConnectSellsABookAndIsOutAtOnceWhenTheyLeave(t *testing.T) {
	deep.Only(t, "each part of the way has a test of its own")
	t.Parallel()
	address := servers.Address(t)
	s := e2e.StartWith(t, []string{"SCIM_TOKEN=" + scimToken, signInWith(t, fmt.Sprintf(
		"- {name: campus, label: The University, issuer: 'http://%s', clientId: octavo, clientSecret: %s, trustEmail: true, domains: [campus.edu]}\n", address, nodeSecret))})
	startNodeProvider(t, address, "{}", newNodeClient("octavo", s.URL+"/auth/oidc/campus/callback"))
	poll.For(t, "Octavo finds the provider", func() bool { return surf(t, s).get("/auth/oidc/campus").status == http.StatusFound })
	w := newWalk(t, s)
	signsIn := func() {
		w.open("/login?next=%2Faccount")
		w.do(chromedp.Click(chromedp.CSS(".providers a")))
	}
	signsIn()
	w.await("!!document.querySelector('input[name=login]') && document.readyState", "complete")
	w.typed("login", "zoe@campus.edu", "password", "any\r")
	w.await("document.querySelector('input[name=prompt]')?.value ?? ''", "consent")
	w.do(chromedp.Click(chromedp.CSS("button[type=submit]")))
	w.await("location.pathname", "/account")
	w.sellsAndIsOut("zoe@campus.edu")
	signsIn()
	w.text("suspended")
}
