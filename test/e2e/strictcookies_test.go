package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
)

func TestWithStrictCookiesAnExternalSignInEndsTheSessionThatItReplaces(t *testing.T) {
	t.Parallel()
	deep.NotShort(t, "a browser takes long")
	u := newUniversity(t)
	u.URL = strings.Replace(u.URL, "127.0.0.1", "localhost", 1) // another site
	u.who = claimsOf("1", "ann@campus.edu")
	s := e2e.StartWith(t, []string{
		signInWith(t, fmt.Sprintf("- {name: campus, label: The University, issuer: %q, clientId: octavo, clientSecret: s, trustEmail: true}\n", u.URL)), "COOKIE_SAMESITE=strict",
	}, "auth")
	b := openBrowser(t, s.URL)
	for range 3 {
		b.open("/auth/oidc/campus?next=%2Faccount")
		b.text("Sign in as ann@campus.edu")
		b.do(chromedp.Click(chromedp.CSS("button")))
		b.text("Your account")
		b.await("'others: ' + document.querySelectorAll('form[action=\"/account/device\"]').length", "others: 0")
	}
}

func TestWithStrictCookiesAnApplicationFindsWhoIsSignedIn(t *testing.T) {
	t.Parallel()
	s := service{e2e.StartWith(t, []string{"COOKIE_SAMESITE=strict"}, "auth")}
	app := s.party(t, "--post-logout-redirect-uri", "https://app.example/bye")
	ann := s.member(t, byCookie, "ann")
	tokens := app.exchange(ann.authorize(app))
	from := func(cookies, dest, address string) (int, string) {
		req, err := http.NewRequest(http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Sec-Fetch-Site", "cross-site")
		req.Header.Set("Sec-Fetch-Dest", dest)
		req.Header.Set("Cookie", cookies)
		resp, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode, resp.Header.Get("Refresh") + resp.Header.Get("Location")
	}
	for path, framed := range map[string]int{
		strings.TrimPrefix(app.request("prompt", "none"), s.URL): http.StatusSeeOther, "/oauth2/end_session?id_token_hint=" + tokens.id: http.StatusOK, // it asks
	} {
		if status, to := from("", "document", s.URL+path); status != http.StatusOK || to != "0; url="+path {
			t.Errorf("%.30s leads to %q with %d", path, to, status)
		}
		if status, to := from("", "iframe", s.URL+path); status != framed || strings.HasPrefix(to, "0;") {
			t.Errorf("%.30s in a frame leads to %q with %d", path, to, status)
		}
	}
	if code := ann.answer(ann.open("GET", app.request("prompt", "none"), nil)).Get("code"); code == "" {
		t.Error("the second request is not answered")
	}
}
