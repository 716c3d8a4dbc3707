package rest_test

import (
	"flag"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/message"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares a page with its golden file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is now\n%s", name, got)
	}
}

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

func TestOpeningTheLinkInABrowserConfirmsNothing(t *testing.T) {
	w := newMarketFixture(t)
	w.post("/api/auth/signup", "", signup("ann"))
	path := "/api/auth/confirm/" + w.link("ann@rochester.edu")
	accept := header("Accept", browser)
	french := header("Accept-Language", "fr-CA,fr;q=0.9,en;q=0.8")
	golden(t, "confirm_ask_en.html", w.get(path, "", accept).raw)
	golden(t, "confirm_ask_fr.html", w.get(path, "", accept, french).raw)
	w.get(path, "", header("Accept", "*/*")).wantStatus(200, "") // a scanner
	w.get(path, "").wantStatus(200, "")
	credentials := object{"email": "ann@rochester.edu", "password": password}
	w.post("/api/auth/login", "", credentials).wantStatus(401, "invalid_credentials")
	form := header("Content-Type", "application/x-www-form-urlencoded")
	r := w.post(path, "", "", accept, form).wantStatus(303, "")
	golden(t, "confirm_done_en.html", w.get(path, "", accept).wantStatus(200, "").raw)
	golden(t, "confirm_done_fr.html", w.get(path, "", accept, french).raw)
	if to := w.post(path, "", "a=b", accept, french, form).wantStatus(303, "").header.Get("Location"); to != "/login" {
		t.Errorf("confirming again leads to %q", to)
	}
	w.post("/api/auth/login", "", credentials).wantStatus(200, "")
	if r.header.Get("Cache-Control") != "no-store" || r.header.Get("X-Robots-Tag") != "noindex" {
		t.Errorf("the link may leak: %v", r.header)
	}
}

func TestAConfirmedAccountWithoutAPasswordIsSentToSetOne(t *testing.T) {
	w := newMarketFixture(t)
	if err := w.Accounts.SignUp(t.Context(), account.SignUpRequest{Email: "ann@rochester.edu", Password: "the password of a rival"}); err != nil {
		t.Fatal(err)
	}
	w.post("/api/auth/signup", "", signup("ann"))
	path, accept := "/api/auth/confirm/"+w.link("ann@rochester.edu"), header("Accept", browser)
	for range 2 {
		golden(t, "confirm_no_password_en.html", w.post(path, "", nil, accept).wantStatus(200, "").raw)
	}
	golden(t, "confirm_no_password_fr.html", w.post(path, "", nil, accept, header("Accept-Language", "fr")).raw)
	reset := object{"email": "ann@rochester.edu", "code": w.LastMail(t, message.PasswordReset, "ann@rochester.edu").Code, "password": password}
	w.post("/api/auth/passwordReset", "", reset).wantStatus(200, "")
	w.post(path, "", nil, accept).wantStatus(303, "")
	w.login("ann")
}

func TestTheOwnerOfAnAddressSeesTheSignUpAndChoosesThePassword(t *testing.T) {
	w := newMarketFixture(t)
	planted := signup("mallory")
	planted["email"], planted["password"], planted["lastName"] = "ann@rochester.edu", "what mallory has chosen", "<b>Mallory</b>"
	w.post("/api/auth/signup", "", planted).wantStatus(201, "")
	path, accept, french := "/api/auth/confirm/"+w.link("ann@rochester.edu"), header("Accept", browser), header("Accept-Language", "fr")
	form := header("Content-Type", "application/x-www-form-urlencoded")
	golden(t, "confirm_stranger_en.html", w.get(path, "", accept).wantStatus(200, "").raw)
	golden(t, "confirm_refused_en.html", w.post(path, "", "password=short", accept, form).wantStatus(400, "").raw)
	golden(t, "confirm_refused_fr.html", w.post(path, "", "password=caf%00%C3%A9+du+jour", accept, form, french).wantStatus(400, "").raw)
	w.post(path, "", "password="+url.QueryEscape(password), accept, form).wantStatus(303, "")
	w.post("/api/auth/login", "", object{"email": "ann@rochester.edu", "password": "what mallory has chosen"}).wantStatus(401, "invalid_credentials")
	w.post("/api/auth/login", "", object{"email": "ann@rochester.edu", "password": password}).wantStatus(200, "")

	golden(t, "confirm_done_en.html", w.get(path, "", accept).wantStatus(200, "").raw)
	golden(t, "confirm_before_en.html", w.post(path, "", "password=another+long+one", accept, form).wantStatus(409, "").raw)
	golden(t, "confirm_before_fr.html", w.post(path, "", "password=another+long+one", accept, form, french).wantStatus(409, "").raw)
	if to := w.post(path, "", "password=", accept, form).wantStatus(303, "").header.Get("Location"); to != "/login" {
		t.Errorf("a used link leads to %q", to)
	}
}

func TestTheJSONConfirmationCanSetThePassword(t *testing.T) {
	w := newMarketFixture(t)
	w.post("/api/auth/signup", "", signup("ann"))
	path := "/api/auth/confirm/" + w.link("ann@rochester.edu")
	w.post(path, "", object{"password": "short"}).wantStatus(400, "password_invalid")
	w.post(path, "", object{"password": 12345678}).wantStatus(400, "invalid_fields")
	w.post(path, "", "password=a&password=b", header("Content-Type", "application/x-www-form-urlencoded")).wantStatus(400, "invalid_fields")
	w.post(path, "", "password=%zz", header("Content-Type", "application/x-www-form-urlencoded")).wantStatus(400, "invalid_query")
	w.post(path, "", "password=another long one", header("Content-Type", "text/plain")).wantStatus(415, "unsupported_media_type")
	w.post("/api/auth/login", "", object{"email": "ann@rochester.edu", "password": password}).wantStatus(401, "invalid_credentials")
	w.post(path, "", object{"password": "another long one"}).wantStatus(200, "")
	w.post("/api/auth/login", "", object{"email": "ann@rochester.edu", "password": "another long one"}).wantStatus(200, "")
	w.post(path, "", object{"password": "a third long one"}).wantStatus(409, "already_confirmed")
	w.post(path, "", object{}).wantStatus(200, "")
	w.post(path, "", nil).wantStatus(200, "")
}

func TestAHeadRequestNeverConfirms(t *testing.T) {
	w := newMarketFixture(t)
	w.post("/api/auth/signup", "", signup("ann"))
	path := "/api/auth/confirm/" + w.link("ann@rochester.edu")
	credentials := object{"email": "ann@rochester.edu", "password": password}
	for _, accept := range []string{"application/json", "*/*", browser} {
		w.call(http.MethodHead, path, "", nil, header("Accept", accept)).wantStatus(200, "")
		w.post("/api/auth/login", "", credentials).wantStatus(401, "invalid_credentials")
	}
	w.get(path, "", header("Accept", "application/json")).wantStatus(200, "")
	w.post("/api/auth/login", "", credentials).wantStatus(200, "")
}

func TestAnInvalidLinkIsNotFound(t *testing.T) {
	w := newMarketFixture(t)
	w.post("/api/auth/signup", "", signup("ann"))
	expired := w.link("ann@rochester.edu")
	w.Clock.Advance(24*time.Hour + time.Second)
	for _, token := range []string{"x", expired, "%00", "%F0%9F%93%9A", strings.Repeat("a", 5000)} {
		path := "/api/auth/confirm/" + token
		w.get(path, "", header("Accept", "application/json")).wantStatus(404, "link_invalid")
		w.post(path, "", nil).wantStatus(404, "link_invalid")
		golden(t, "confirm_gone_en.html", w.get(path, "", header("Accept", browser)).wantStatus(404, "").raw)
		golden(t, "confirm_gone_fr.html", w.post(path, "", nil, header("Accept", browser), header("Accept-Language", "fr")).wantStatus(404, "").raw)
	}
}

func TestTheDocumentIsValid(t *testing.T) {
	if err := newSiteWithoutUseCases(t).document.Validate(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestConfirmingInTheBrowserThatSignedUpSignsItIn(t *testing.T) {
	w := newMarketFixture(t)
	accept, form := header("Accept", browser), header("Content-Type", "application/x-www-form-urlencoded")
	cookiesOf := func(r *result) func(*http.Request) {
		return func(next *http.Request) {
			for _, line := range r.header["Set-Cookie"] {
				if c, err := http.ParseSetCookie(line); err == nil && c.MaxAge >= 0 {
					next.AddCookie(c)
				}
			}
		}
	}
	here := w.post("/api/auth/signup", "", signup("kim")).wantStatus(201, "")
	in := w.post("/api/auth/confirm/"+w.link("kim@rochester.edu"), "", "password=", accept, form, cookiesOf(here)).wantStatus(303, "")
	if to := in.header.Get("Location"); to != "/" {
		t.Errorf("the browser that signed up is led to %q", to)
	}
	w.get("/api/user/getUserData", "", cookiesOf(in)).wantStatus(200, "")

	// Whoever signed up with somebody else's address is not signed in by what the owner does, nor is the owner's browser.
	other := w.post("/api/auth/signup", "", signup("liz")).wantStatus(201, "")
	elsewhere := w.post("/api/auth/confirm/"+w.link("liz@rochester.edu"), "", "password=", accept, form, cookiesOf(here)).wantStatus(303, "")
	if to := elsewhere.header.Get("Location"); to != "/login" {
		t.Errorf("another browser is led to %q", to)
	}
	w.get("/api/user/getUserData", "", cookiesOf(elsewhere)).wantStatus(401, "unauthenticated")
	w.get("/api/user/getUserData", "", cookiesOf(other)).wantStatus(401, "unauthenticated")
}
