package e2e_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/e2e"
)

func s256(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func TestAStudentSignsInByTheUniversityCompletesTheProfileAndTrades(t *testing.T) {
	t.Parallel()
	u := newUniversity(t)
	u.who = claimsOf("7", "zoe@campus.edu")
	s := e2e.StartWith(t, []string{signInWith(t, fmt.Sprintf(
		"- {name: campus, label: The University, issuer: %q, clientId: octavo, clientSecret: s, trustEmail: true, domains: [campus.edu, '*.campus.edu']}\n", u.URL))})
	b := openBrowser(t, s.URL)
	b.open("/login?next=%2Fsell")
	b.do(chromedp.Click(chromedp.CSS(".providers a")))
	b.text("Sign in as zoe@campus.edu")
	b.do(chromedp.Click(chromedp.CSS("button")))
	b.text("Please complete your student profile first.")
	b.header("Me")
	for name, value := range map[string]string{"firstName": "Zoé", "lastName": "Young", "university": "Campus", "campusMailbox": "1", "paymentUsername": "zoe"} {
		b.do(chromedp.SetValue(chromedp.CSS("input[name="+name+"]"), value))
	}
	b.do(chromedp.Click(chromedp.CSS("form[action='/account'] button")))
	b.text("Your changes are saved.")
	b.open("/sell")
	b.text("Sell a book")
	// The next sign-in needs no profile and leads to where the student wanted to go.
	b.do(chromedp.Click(chromedp.CSS("form[action='/logout'] button")))
	b.text("You are signed out.")
	b.open("/login?next=%2Fsell")
	b.do(chromedp.Click(chromedp.CSS(".providers a")))
	b.text("Sign in as zoe@campus.edu")
	b.do(chromedp.Click(chromedp.CSS("button")))
	b.text("Sell a book")
	b.await("location.pathname", "/sell")
}

// Before, the page that asks for the profile came in between, and the application waited for ever.
func TestANewcomerFromTheUniversityReachesTheApplicationThatAskedForTheSignIn(t *testing.T) {
	t.Parallel()
	u := newUniversity(t)
	u.who = claimsOf("7", "zoe@campus.edu")
	s := service{e2e.StartWith(t, []string{signInWith(t, fmt.Sprintf("- {name: campus, issuer: %q, clientId: octavo, clientSecret: s, trustEmail: true}\n", u.URL))})}
	app, b := s.party(t), surf(t, s.Server)
	p := b.get(app.request())
	for p.status == http.StatusSeeOther {
		p = b.get(p.location)
	}
	link := regexp.MustCompile(`href="(/auth/oidc/campus\?[^"]+)"`).FindStringSubmatch(p.body)
	if link == nil {
		t.Fatalf("%d %s", p.status, p.body)
	}
	p = b.enter(u, html.UnescapeString(link[1]))
	for p.status == http.StatusSeeOther {
		if opener := p.header.Get("Cross-Origin-Opener-Policy"); opener != "" {
			t.Errorf("on the way to %s the window is cut off from the application: %q", p.location, opener)
		}
		p = b.get(p.location)
	}
	if !strings.Contains(p.body, `action="/oauth2/consent"`) || !strings.Contains(p.body, "An application") {
		t.Errorf("want the consent page, got %d: %s", p.status, p.body)
	}
}

// providersOf has a trusted provider, one whose addresses are not trusted and a second
// trusted one.
func providersOf(u, other *university) string {
	return fmt.Sprintf("- {name: campus, issuer: %q, clientId: octavo, clientSecret: s, trustEmail: true}\n- {name: doubtful, label: Doubtful, issuer: %q, clientId: octavo, clientSecret: s}\n", u.URL, other.URL)
}

func TestExternalSignInWorksInTheAuthServiceAlone(t *testing.T) {
	t.Parallel()
	u, other := newUniversity(t), newUniversity(t)
	s := e2e.StartWith(t, []string{signInWith(t, providersOf(u, other)), "ALLOWED_ORIGINS=https://app.example.org"}, "auth")
	awaitLog(t, s, "campus, Doubtful") // of the banner
	u.who = claimsOf("1", "Ann@campus.edu")
	ann := surf(t, s)
	p := ann.enter(u, "/auth/oidc/campus?next="+url.QueryEscape("https://app.example.org/home?a=1"))
	if p.status != http.StatusSeeOther || p.location != "https://app.example.org/home?a=1" {
		t.Fatalf("%d to %q: %s", p.status, p.location, p.body)
	}
	data, code := ann.client().GraphQL(t, `{ me { email verified identities { id provider email } } identityProviders { name label } }`, nil)
	if code != "" || !strings.Contains(string(data), `"email":"ann@campus.edu","verified":true,"identities":[{"id":`) || !strings.Contains(string(data), `{"name":"doubtful","label":"Doubtful"}`) {
		t.Errorf("%s %s", code, data)
	}

	// The other provider's address is confirmed by a code, on a page without a script.
	other.who = claimsOf("9", "ann@campus.edu")
	again := surf(t, s)
	if p = again.enter(other, "/auth/oidc/doubtful"); p.location != "/auth/code" || again.cookie("octavo_access") != "" {
		t.Fatalf("%d to %q: %s", p.status, p.location, p.body)
	}
	if p = again.get("/auth/code"); p.status != http.StatusOK || !strings.Contains(p.body, "ann@campus.edu") || strings.Contains(p.body, "<script") {
		t.Errorf("%d %s", p.status, p.body)
	}
	mail := s.Mail("ann@campus.edu", "identity_code")
	if p = again.do("POST", "/auth/code", url.Values{"code": {"00000000"}}); p.status != http.StatusBadRequest || !strings.Contains(p.body, "This code is wrong") {
		t.Errorf("%d %s", p.status, p.body)
	}
	if p = surf(t, s).do("POST", "/auth/code", url.Values{"code": {*mail.Code}}); p.status != http.StatusBadRequest {
		t.Errorf("another browser: %d", p.status)
	}
	if p = again.do("POST", "/auth/code", url.Values{"code": {*mail.Code}}); p.status != http.StatusSeeOther || p.location != "/" {
		t.Fatalf("%d to %q: %s", p.status, p.location, p.body)
	}
	data, code = again.client().GraphQL(t, `{ me { email identities { id provider } } }`, nil)
	if code != "" || strings.Count(string(data), "provider") != 2 {
		t.Errorf("%s %s", code, data)
	}
	s.Mail("ann@campus.edu", "identity_linked")
}

// linkForm are the fields of the form that links an account to a provider.
var linkForm = url.Values{"link": {"1"}, "next": {"/"}}

func TestALinkIsMadeByAFormOfOurOwn(t *testing.T) {
	t.Parallel()
	u, other := newUniversity(t), newUniversity(t)
	s := e2e.StartWith(t, []string{signInWith(t, providersOf(u, other))}, "auth")
	u.who, other.who = claimsOf("1", "ann@campus.edu"), claimsOf("2", "private@elsewhere.org")
	ann := surf(t, s)
	ann.enter(u, "/auth/oidc/campus")
	anotherSiteLinksNothing(t, s, ann)
	if p := ann.get("/account/security"); !strings.Contains(p.body, "ann@campus.edu") || !strings.Contains(p.body, `action="/auth/oidc/doubtful"`) {
		t.Errorf("the page about signing in: %d %s", p.status, p.body)
	}
	eve := surf(t, s)
	eves := eve.depart("/auth/oidc/doubtful")
	stolen := strings.Replace(other.answer(eves), eves.Get("state"), ann.link().Get("state"), 1)
	if p := ann.get(stolen); p.status != http.StatusBadRequest {
		t.Errorf("Eve's code with Ann's state: %d %s", p.status, p.body)
	}
	answer := other.answer(ann.link())
	if p := eve.get(answer); p.status != http.StatusBadRequest {
		t.Errorf("Ann's answer in Eve's browser: %d %s", p.status, p.body)
	}
	if p := ann.get(answer); p.status != http.StatusSeeOther || p.location != "/" {
		t.Fatalf("%d to %q: %s", p.status, p.location, p.body)
	}
	data, code := ann.client().GraphQL(t, `{ me { email identities { id email } } }`, nil)
	if code != "" || !strings.Contains(string(data), "private@elsewhere.org") || !strings.Contains(string(data), `"email":"ann@campus.edu","identities"`) {
		t.Errorf("%s %s", code, data)
	}
}

// link submits the form and returns the request to the provider.
func (b *surfer) link() url.Values {
	b.t.Helper()
	p := b.do("POST", "/auth/oidc/doubtful", linkForm)
	to, found := strings.CutPrefix(p.header.Get("Refresh"), "0; url=")
	request, err := url.Parse(to)
	if p.status != http.StatusOK || !found || err != nil {
		b.t.Fatalf("%d %v %s", p.status, p.header, p.body)
	}
	return request.Query()
}

// anotherSiteLinksNothing tries what another site can make the browser do.
func anotherSiteLinksNothing(t *testing.T, s *e2e.Server, ann *surfer) {
	t.Helper()
	if p := ann.get("/auth/oidc/doubtful?link=1"); p.status != http.StatusOK || p.location != "" || !strings.Contains(p.body, `method="post"`) {
		t.Errorf("a link to the start: %d to %q", p.status, p.location)
	}
	for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "", "Origin", "https://evil.example"}, {"Sec-Fetch-Site", "same-site"}} {
		if p := ann.do("POST", "/auth/oidc/doubtful", linkForm, header...); p.status != http.StatusForbidden {
			t.Errorf("%v: %d", header, p.status)
		}
	}
	if p := surf(t, s).do("POST", "/auth/oidc/doubtful", linkForm); p.status != http.StatusSeeOther || !strings.HasPrefix(p.location, "/login") {
		t.Errorf("nobody: %d to %q", p.status, p.location)
	}
}
