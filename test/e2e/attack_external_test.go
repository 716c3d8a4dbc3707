package e2e_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

// refusedPage fails the test unless nobody was signed in and the page says so in plain words.
func refusedPage(t *testing.T, what string, b *surfer, p page) {
	t.Helper()
	if p.status < 400 || p.status > 499 || !strings.Contains(p.body, "You are not signed in") || b.cookie("octavo_access") != "" {
		t.Errorf("%s: %d to %q: %s", what, p.status, p.location, p.body)
	}
	for _, inner := range []string{"oidc:", "nonce", "jwt", "invalid_grant", "issuer", "goroutine"} {
		if strings.Contains(p.body, inner) {
			t.Errorf("%s: the page shows %q", what, inner)
		}
	}
}

func TestAttacksOnAnExternalSignInAreRefused(t *testing.T) {
	t.Parallel()
	u := newUniversity(t)
	s := e2e.StartWith(t, []string{signInWith(t, providersOf(u, u))}, "auth")
	u.who = claimsOf("1", "ann@campus.edu")
	t.Run("state and code", func(t *testing.T) { foreignStatesAndCodes(t, s, u) })
	t.Run("the ticket", func(t *testing.T) { forgedAndStolenTickets(t, s, u) })
	for path, want := range map[string]int{"/auth/oidc/nobody": 404, "/auth/oidc/": 404, "/auth/oidc/campus/../nobody/callback": 404} {
		if p := surf(t, s).get(path); p.status != want {
			t.Errorf("%s: %d", path, p.status)
		}
	}
	if p := surf(t, s).get("/auth/code"); p.status != http.StatusBadRequest {
		t.Errorf("the page of a code without one: %d", p.status)
	}
}

// foreignStatesAndCodes are answers to other requests, and answers without a part.
func foreignStatesAndCodes(t *testing.T, s *e2e.Server, u *university) {
	b, eve := surf(t, s), surf(t, s)
	_, eves := b.depart("/auth/oidc/campus"), eve.depart("/auth/oidc/campus")
	answer := u.answer(eves)
	refusedPage(t, "login CSRF: Eve's answer in another browser", b, b.get(answer))
	refusedPage(t, "and without any cookie", surf(t, s), surf(t, s).get(answer))
	b = surf(t, s)
	mine := b.depart("/auth/oidc/campus")
	injected := strings.Replace(u.answer(eves), "state="+eves.Get("state"), "state="+mine.Get("state"), 1)
	refusedPage(t, "code injection: Eve's code with the state of this browser", b, b.get(injected))
	b = surf(t, s)
	mine = b.depart("/auth/oidc/campus")
	mine.Del("code_challenge")
	refusedPage(t, "PKCE downgrade", b, b.get(u.answer(mine)))
	for what, query := range map[string]string{"no state": "code=x", "no code": "state=%s", "an error": "error=access_denied&state=%s", "two states": "state=x&state=%s&code=x", "nothing": ""} {
		b := surf(t, s)
		if strings.Contains(query, "%s") {
			query = fmt.Sprintf(query, b.depart("/auth/oidc/campus").Get("state"))
		}
		refusedPage(t, what, b, b.get("/auth/oidc/campus/callback?"+query))
	}
}

// forgedAndStolenTickets are cookies of a sign-in that were changed, or that another browser has.
func forgedAndStolenTickets(t *testing.T, s *e2e.Server, u *university) {
	b := surf(t, s)
	answer := u.answer(b.depart("/auth/oidc/campus"))
	name := keptName("octavo_elsewhere", answer)
	ticket := b.cookie(name)
	for what, value := range map[string]string{"changed": ticket[:len(ticket)-2] + "AA", "cut": ticket[:40], "no ticket": "", "plain": "eyJQcm92aWRlciI6ImNhbXB1cyJ9"} {
		eve := surf(t, s)
		refusedPage(t, "a ticket that is "+what, eve, eve.get(answer, "Cookie", name+"="+value))
	}
	eve := surf(t, s)
	refusedPage(t, "the stolen ticket in another kind of browser", eve, eve.get(answer, "Cookie", name+"="+ticket, "User-Agent", "Another/1"))
	if p := b.do(http.MethodHead, answer, nil); p.status != http.StatusOK || b.cookie("octavo_access") != "" {
		t.Errorf("HEAD: %d", p.status)
	}
	if p := b.get(answer); p.status != http.StatusSeeOther {
		t.Fatalf("the owner of the ticket: %d %s", p.status, p.body)
	}
	replay := surf(t, s)
	refusedPage(t, "the same answer again", replay, replay.get(answer, "Cookie", name+"="+ticket))
}

func TestAnExternalSignInNeverRedirectsToAStranger(t *testing.T) {
	t.Parallel()
	u := newUniversity(t)
	u.who = claimsOf("1", "ann@campus.edu")
	s := e2e.StartWith(t, []string{signInWith(t, providersOf(u, u)), "ALLOWED_ORIGINS=https://app.example.org"}, "auth")
	for _, next := range []string{
		"https://evil.example", "//evil.example", "///evil.example", "////evil.example", `/\evil.example`, `\\evil.example`, `/\/evil.example`, "/%5Cevil.example", "/%2F%2Fevil.example",
		"https:evil.example", "https:/evil.example", "https:///evil.example", "http://app.example.org", "https://app.example.org.evil.example", "https://app.example.org@evil.example",
		"https://app.example.org:444", "http://localhost.evil.example", "http://127.0.0.1.evil.example", "http://localhost@evil.example", "https://evil.example#https://app.example.org", `https://app.example.org\@evil.example`, "javascript:alert(1)", "data:text/html,x", " https://evil.example", "\t//evil.example",
		"/\t/evil.example", "https://evil.example\r\nLocation: x", "//app.example.org", "evil.example", "?next=//evil.example", "/" + strings.Repeat("x", 3000), "https://аpp.example.org",
	} {
		b := surf(t, s)
		p := b.enter(u, "/auth/oidc/campus?next="+url.QueryEscape(next))
		if p.status != http.StatusSeeOther || p.location != "/" {
			t.Errorf("%q: %d to %q", next, p.status, p.location)
		}
	}
	for _, next := range []string{"/", "/account?x=//y", "https://app.example.org", "https://app.example.org/a?b=c#d", s.URL + "/x", "http://localhost:5173/a", "http://127.0.0.1:8080"} {
		b := surf(t, s)
		if p := b.enter(u, "/auth/oidc/campus?next="+url.QueryEscape(next)); p.location != next {
			t.Errorf("%q: to %q", next, p.location)
		}
	}
}

func TestAProviderThatIsDownStopsNeitherTheStartNorOtherSignIns(t *testing.T) {
	t.Parallel()
	u := newUniversity(t)
	u.who = claimsOf("1", "ann@campus.edu")
	s := e2e.StartWith(t, []string{signInWith(t, fmt.Sprintf(
		"- {name: down, issuer: 'http://127.0.0.1:9', clientId: octavo}\n- {name: inside, issuer: 'https://10.255.255.1', clientId: octavo}\n- {name: campus, issuer: %q, clientId: octavo, trustEmail: true}\n", u.URL))}, "auth")
	for _, name := range []string{"down", "inside"} {
		b := surf(t, s)
		if p := b.get("/auth/oidc/" + name); p.status != http.StatusServiceUnavailable || p.header.Get("Retry-After") == "" || !strings.Contains(p.body, "cannot be reached") || strings.Contains(p.body, "127.0.0.1:9") {
			t.Errorf("%s: %d %s", name, p.status, p.body)
		}
	}
	awaitLog(t, s, "10.255.255.1 is private")
	if p := surf(t, s).enter(u, "/auth/oidc/campus"); p.status != http.StatusSeeOther {
		t.Errorf("%d %s", p.status, p.body)
	}
}

func TestCookiesOfAnExternalSignInAreAsTight(t *testing.T) {
	t.Parallel()
	u := newUniversity(t)
	u.who = claimsOf("1", "ann@campus.edu")
	s := e2e.StartWith(t, []string{signInWith(t, providersOf(u, u)), "COOKIE_SECURE=true", "COOKIE_SAMESITE=strict"}, "auth")
	b := surf(t, s)
	p := b.get("/auth/oidc/campus")
	set := p.header.Get("Set-Cookie")
	name := keptName("__Host-octavo_elsewhere", p.location)
	for _, part := range []string{name + "=", "HttpOnly", "Secure", "SameSite=Lax", "Path=/", "Max-Age=600"} {
		if !strings.Contains(set, part) {
			t.Errorf("%s lacks %s", set, part)
		}
	}
	request, err := url.Parse(p.location)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{request.Query().Get("state"), request.Query().Get("nonce")} {
		if secret == "" || strings.Contains(set, secret) {
			t.Errorf("the cookie shows %q", secret)
		}
	}
	value, _, _ := strings.Cut(strings.TrimPrefix(set, name+"="), ";")
	p = b.get(u.answer(request.Query()), "Cookie", name+"="+value)
	if p.status != http.StatusOK || p.header.Get("Refresh") != "0; url=/" || !strings.Contains(strings.Join(p.header.Values("Set-Cookie"), "\n"), "SameSite=Strict") {
		t.Errorf("%d %v", p.status, p.header)
	}
}

// keptName returns the name of the cookie of a sign-in, which belongs to the state in an address.
func keptName(kind, address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return kind
	}
	return kind + "_" + u.Query().Get("state")[:12]
}
