package inspector_test

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/inspector"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

const operatorToken = "token of the operator"

// tokenSite asks for a token.
func tokenSite(t *testing.T, token string) *site {
	return newSite(t, func(s *site) inspector.Access { return inspector.WithToken(token, rand.Reader, s.Now) })
}

func (s *site) enter(token string) *http.Response {
	return s.send("POST", "/webhooks/sign-in", url.Values{"token": {token}, "next": {"/webhooks?state=dead"}})
}

func TestATokenOpensThePages(t *testing.T) {
	s := tokenSite(t, operatorToken)
	answer := s.send("GET", "/webhooks?state=dead", nil)
	if to := answer.Header.Get("Location"); answer.StatusCode != 303 || to != "/webhooks/sign-in?next=%2Fwebhooks%3Fstate%3Ddead" {
		t.Fatalf("answered %d to %s", answer.StatusCode, to)
	}
	s.wants(s.get(200, answer.Header.Get("Location")), `type="password"`, `value="/webhooks?state=dead"`, "but not", "Sign out")
	if wrong := s.enter("token of the operato"); wrong.StatusCode != 401 || len(wrong.Cookies()) != 0 {
		t.Errorf("a wrong token: %d %v", wrong.StatusCode, wrong.Cookies())
	}
	answer = s.enter(operatorToken)
	if to := answer.Header.Get("Location"); answer.StatusCode != 303 || to != "/webhooks?state=dead" {
		t.Fatalf("the right token: %d to %s", answer.StatusCode, to)
	}
	line := answer.Header.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/webhooks", "Max-Age=43200"} {
		if !strings.Contains(line, want) || strings.Contains(line, "operator") {
			t.Errorf("the cookie %q lacks %s", line, want)
		}
	}
	s.get(200, "/webhooks")
	if answer := s.send("GET", "/webhooks/sign-in?next=/webhooks/rules", nil); answer.Header.Get("Location") != "/webhooks/rules" {
		t.Errorf("signed in, the form is shown: %d", answer.StatusCode)
	}
	if answer := s.send("POST", "/webhooks/sign-out", url.Values{}); answer.StatusCode != 303 || len(s.cookies) != 0 {
		t.Errorf("signing out: %d %v", answer.StatusCode, s.cookies)
	}
	s.get(303, "/webhooks")
}

func TestOnlyACookieOfThisTokenAndTimeIsValid(t *testing.T) {
	s := tokenSite(t, operatorToken)
	s.enter(operatorToken)
	good := s.cookies["octavo_webhooks"].Value
	try := func(value string) int {
		s.cookies["octavo_webhooks"] = &http.Cookie{Name: "octavo_webhooks", Value: value}
		return s.send("GET", "/webhooks", nil).StatusCode
	}
	if got := try(good); got != 200 {
		t.Errorf("the cookie is answered %d", got)
	}
	later := "9" + good
	other := tokenSite(t, "another token")
	other.enter("another token")
	for name, value := range map[string]string{
		"cut": good[:len(good)-1], "with a later expiry": later, "of another token": other.cookies["octavo_webhooks"].Value, "empty": "", "without a MAC": strings.SplitN(good, ".", 2)[0], "dots": "..",
	} {
		if got := try(value); got != 303 {
			t.Errorf("a cookie %s is answered %d", name, got)
		}
	}
	s.now = s.now.Add(12*time.Hour - time.Second)
	if got := try(good); got != 200 {
		t.Errorf("before its end, the cookie is answered %d", got)
	}
	s.now = s.now.Add(time.Second)
	if got := try(good); got != 303 {
		t.Errorf("at its end, the cookie is answered %d", got)
	}
}

func TestTokensCannotBeGuessedFast(t *testing.T) {
	s := tokenSite(t, operatorToken)
	bearer := func(token string) int {
		return s.send("GET", "/webhooks", nil, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }).StatusCode
	}
	for range 9 {
		s.enter("a guess")
	}
	if got := bearer("a guess"); got != 303 {
		t.Errorf("the tenth guess is answered %d", got)
	}
	if answer := s.enter(operatorToken); answer.StatusCode != 429 || answer.Header.Get("Retry-After") == "" || len(answer.Cookies()) != 0 {
		t.Errorf("after ten guesses, the token is answered %d", answer.StatusCode)
	}
	if got := bearer(operatorToken); got != 429 {
		t.Errorf("after ten guesses, the bearer token is answered %d", got)
	}
	s.now = s.now.Add(time.Minute)
	for range 30 {
		if got := bearer(operatorToken); got != 200 {
			t.Fatalf("a minute later, the token is answered %d", got)
		}
	}
}

func TestSigningInLeadsOnlyToThesePages(t *testing.T) {
	s := tokenSite(t, operatorToken)
	for next, want := range map[string]string{
		"/webhooks/deliveries/a?source=b": "/webhooks/deliveries/a?source=b", "": "/webhooks", "/": "/webhooks", "/webhooksx": "/webhooks", "https://evil.example/webhooks": "/webhooks",
		"//evil.example/webhooks": "/webhooks", `/webhooks\..\..\evil`: "/webhooks", "/webhooks/%5c": "/webhooks", "/webhooks\r\nX: y": "/webhooks",
	} {
		answer := s.send("POST", "/webhooks/sign-in", url.Values{"token": {operatorToken}, "next": {next}})
		if got := answer.Header.Get("Location"); answer.StatusCode != 303 || got != want {
			t.Errorf("%q leads to %q", next, got)
		}
	}
	from := func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }
	if answer := s.send("POST", "/webhooks/sign-in", url.Values{"token": {operatorToken}}, from); answer.StatusCode != 403 {
		t.Errorf("another site signs people in: %d", answer.StatusCode)
	}
}

func TestAccountsNeedAnAdmin(t *testing.T) {
	for name, c := range map[string]struct {
		by       user.Caller
		err      error
		signIn   string
		status   int
		location string
		text     string
	}{
		"an admin":                 {user.Caller{ID: 1, Role: user.Admin}, nil, "/login", 200, "", "Deliveries"},
		"an owner":                 {user.Caller{ID: 1, Role: user.Owner}, nil, "", 200, "", "Deliveries"},
		"a student":                {user.Caller{ID: 1, Student: true}, nil, "/login", 403, "", "Your account is not an admin"},
		"nobody":                   {user.Caller{}, nil, "/login", 303, "/login?next=%2Fwebhooks%3Fevent%3Dpush", ""},
		"nobody, without a market": {user.Caller{}, nil, "", 401, "", "Sign in to the auth service"},
		"an expired token":         {user.Caller{}, user.ErrUnauthenticated, "", 401, "", "Sign in to the auth service"},
		"a store that is away":     {user.Caller{}, fault.New(fault.Unavailable, "away", "Please try again."), "/login", 503, "", "Please try again."},
		"a defect":                 {user.Caller{}, errors.New("swordfish"), "/login", 500, "", "That did not work"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, func(*site) inspector.Access {
				return inspector.ForAdmins(func(http.ResponseWriter, *http.Request) (user.Caller, error) { return c.by, c.err }, c.signIn)
			})
			answer := s.send("GET", "/webhooks?event=push", nil)
			body := s.body(answer, c.status)
			s.wants(body, c.text, "but not", "swordfish", "Sign out")
			if c.status == 403 || c.status == 401 {
				s.wants(body, "but not", "All deliveries")
			}
			if got := answer.Header.Get("Location"); got != c.location {
				t.Errorf("it leads to %q", got)
			}
			for _, path := range []string{"/webhooks/deliveries/x", "/webhooks/payload?id=x", "/webhooks/delivery?id=x"} {
				if got := s.send("GET", path, nil).StatusCode; c.status != 200 && got != c.status {
					t.Errorf("%s is answered %d", path, got)
				}
			}
			want := c.status
			if want == 200 {
				want = 404 // there is no such delivery
			}
			if got := s.send("POST", "/webhooks/redeliver", url.Values{"id": {"x"}}).StatusCode; got != want {
				t.Errorf("sending again is answered %d, want %d", got, want)
			}
			if answer := s.send("GET", "/webhooks/sign-in", nil); answer.StatusCode != 404 {
				t.Errorf("there is a form for a token: %d", answer.StatusCode)
			}
		})
	}
}

func TestWithoutATokenOtherMachinesAreRefused(t *testing.T) {
	s := newSite(t, func(*site) inspector.Access {
		return inspector.ForThisMachine(func(r *http.Request) bool { return r.Header.Get("Via") == "" })
	})
	s.get(200, "/webhooks")
	answer := s.send("GET", "/webhooks", nil, func(r *http.Request) { r.Header.Set("Via", "1.1 proxy") })
	s.wants(s.body(answer, 403), "Set WEBHOOK_API_TOKEN", "but not", "No deliveries")
}
