package e2e_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
)

// openPageOfLibrary serves the page with oidc-client-ts at an address that is another site than Octavo's.
func openPageOfLibrary(t *testing.T, s service) (url string, app party) {
	t.Helper()
	library := filepath.Join(fromNPM(t, "oidcclient"), "node_modules/oidc-client-ts/dist/browser/oidc-client-ts.js")
	page := string(must.Get(os.ReadFile("../sdks/oidcclient.html"))(t))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/favicon.ico":
			w.WriteHeader(http.StatusNoContent)
		case "/oidc-client-ts.js":
			http.ServeFile(w, r, library)
		default:
			_, _ = w.Write([]byte(strings.NewReplacer("ISSUER", s.URL, "CLIENT_ID", app.id).Replace(page)))
		}
	}))
	t.Cleanup(server.Close)
	url = strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	app = s.partyAt(t, url+"/callback", "--public", "--post-logout-redirect-uri", url+"/bye")
	return url, app
}

// libraryShows waits until the page shows a step and returns what the library then knows.
func (b *tab) libraryShows(step string) (known struct{ Name, Sub, Email, Token, Refresh string }) {
	b.t.Helper()
	b.await("document.querySelector('pre')?.textContent ?? ''", `"name":"`+step+`"`)
	must.Do(b.t, json.Unmarshal([]byte(b.evaluate("document.querySelector('pre').textContent")), &known))
	return known
}

// A public client in a browser, with PKCE: the library that pages use most.
func TestAPageSignsPeopleInWithOIDCClientTS(t *testing.T) {
	t.Parallel()
	deep.Only(t, "libraries in Node and in Go sign people in as well")
	s := startAuth(t)
	ann := s.member(t, byBearer, "ann")
	url, app := openPageOfLibrary(t, s)
	b := openBrowser(t, url)
	b.open("/")
	b.libraryShows("nobody")
	b.do(chromedp.Click(chromedp.CSS("#in")))
	b.text("Forgot your password?")
	b.typed("email", ann.email, "password", password+"\r")
	b.await("document.querySelector(\"form[action='/oauth2/consent']\") ? 'asked' : ''", "asked")
	b.do(chromedp.Click(chromedp.CSS("button[value=allow]")))
	first := b.libraryShows("signed in")
	if first.Sub != ann.id || first.Email != ann.email || first.Refresh == "" {
		t.Fatalf("%+v", first)
	}
	b.do(chromedp.Click(chromedp.CSS("#renew")))
	second := b.libraryShows("renewed")
	if second.Sub != ann.id || second.Token == first.Token || second.Refresh == first.Refresh {
		t.Errorf("%+v became %+v", first, second)
	}
	if status, _ := app.get("/oauth2/userinfo", second.Token); status != http.StatusOK {
		t.Errorf("the renewed token: %d", status)
	}
	b.do(chromedp.Click(chromedp.CSS("#out")))
	b.await("location.pathname", "/bye")
	if left := b.libraryShows("nobody"); left.Token != "" {
		t.Errorf("%+v", left)
	}
	if status, _ := app.get("/oauth2/userinfo", second.Token); status != http.StatusUnauthorized {
		t.Errorf("after the sign-out: %d, want 401", status)
	}
	b.do(chromedp.Click(chromedp.CSS("#in")))
	b.text("Forgot your password?") // signed out at Octavo, too
}
