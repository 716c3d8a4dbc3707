package e2e_test

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

var signUpLink = regexp.MustCompile(`href="(/signup[^"]*)"`)

// signsUpFor follows the link for signing up on the page to which an application has led the browser, and signs up.
func (p *person) signsUpFor(app party) shownPage {
	p.t.Helper()
	login := p.open("GET", app.request(), nil)
	link := signUpLink.FindStringSubmatch(login.body)
	if login.at.Path != "/login" || link == nil {
		p.t.Fatalf("%d at %s: %s", login.status, login.at, login.body)
	}
	form := p.open("GET", html.UnescapeString(link[1]), nil)
	next := form.at.Query().Get("next")
	if !strings.Contains(form.body, "An application") || !strings.Contains(form.body, html.EscapeString(next)) {
		p.t.Errorf("the form does not say where it leads: %s", form.body)
	}
	return p.open("POST", "/signup", url.Values{
		"email": {p.email}, "password": {password}, "firstName": {"Ann"}, "lastName": {"Lee"}, "university": {"Rochester"}, "next": {next},
	})
}

// confirms opens the link in the newest mail.
func (p *person) confirms(after string) shownPage {
	p.t.Helper()
	link := p.s.MailAfter(p.email, "verification", after).Link
	if link == nil || strings.Contains(*link, "?") {
		p.t.Fatalf("the link is %v", link)
	}
	p.open("GET", *link, nil)
	return p.open("POST", *link, url.Values{"password": {""}})
}

func TestAPersonWhoSignsUpForAnApplicationGoesOnToIt(t *testing.T) {
	t.Parallel()
	s := service{e2e.StartWith(t, []string{behindProxy}, "auth", "market")}
	app := s.party(t)
	browser := func(email string) *person {
		p := s.newClient(t, byCookie)
		p.header.Set("Accept", "text/html")
		p.email = email
		return p
	}
	same := browser(address("same"))
	same.signsUpFor(app)
	app.exchange(same.answer(same.allow(same.confirms(""))).Get("code"))

	other, phone := browser(address("other")), browser("")
	sent := other.signsUpFor(app)
	first := s.Mail(other.email, "verification").ID
	other.open("POST", "/resend", url.Values{"email": {other.email}, "next": {sent.at.Query().Get("next")}})
	phone.email = other.email
	login := phone.confirms(first)
	if !strings.Contains(login.body, "Sign in to An application") || !strings.Contains(login.body, "Your address is confirmed") {
		t.Fatalf("%d at %s: %s", login.status, login.at, login.body)
	}
	app.exchange(phone.answer(phone.allow(phone.logIn(login))).Get("code"))

	for _, next := range []string{"https://evil.example/", "//evil.example", "/oauth2/consent?request=x", "/oauth2/consent?request=https://evil.example", `/\evil.example`} {
		ben := browser(address("ben"))
		ben.open("POST", "/signup", url.Values{
			"email": {ben.email}, "password": {password}, "firstName": {"Ben"}, "lastName": {"Lee"}, "university": {"Rochester"}, "next": {next},
		})
		if home := ben.confirms(""); home.left != nil || home.at.String() != s.URL+"/" || strings.Contains(home.body, "evil.example") {
			t.Errorf("%s: %d at %s, left to %v", next, home.status, home.at, home.left)
		}
	}
}

func TestAPersonWhoConfirmsWithACodeGoesOnToTheApplication(t *testing.T) {
	t.Parallel()
	s := startAuth(t)
	app, ann := s.party(t), s.newClient(t, byCookie)
	ann.email = address("ann")
	form := ann.signsUpFor(app)
	next := regexp.MustCompile(`name="next" value="([^"]+)"`).FindStringSubmatch(form.body)
	if next == nil {
		t.Fatalf("%d at %s: %s", form.status, form.at, form.body)
	}
	consent := ann.open("POST", "/verify", url.Values{"email": {ann.email}, "code": {ann.code("verification", "")}, "next": {html.UnescapeString(next[1])}})
	app.exchange(ann.answer(ann.allow(consent)).Get("code"))
}
