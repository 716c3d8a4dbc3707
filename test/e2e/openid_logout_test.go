package e2e_test

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/golang-jwt/jwt/v5"

	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
)

// backChannel is where an application hears of sign-outs. It fails the first time.
type backChannel struct {
	*httptest.Server
	mu     sync.Mutex
	tokens []string
}

func newBackChannel(t *testing.T) *backChannel {
	t.Helper()
	b := &backChannel{}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.tokens = append(b.tokens, r.PostFormValue("logout_token"))
		if len(b.tokens) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(b.Close)
	return b
}

func (b *backChannel) heard() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string{}, b.tokens...)
}

// A library that applications use verifies the logout tokens, with the keys that the metadata name.
func TestApplicationsHearOfASignOutFromTokensThatLibrariesVerify(t *testing.T) {
	t.Parallel()
	s := startAuth(t)
	ann := s.member(t, byCookie, "ann")
	for _, alg := range []string{"RS256", "ES512"} {
		back := newBackChannel(t)
		app := s.party(t, "--backchannel-logout-uri", back.URL+"/back", "--id-token-alg", alg)
		tokens := app.exchange(ann.authorize(app, "scope", "openid"))
		_, claims := app.verified(tokens.id)
		ann.open("GET", "/oauth2/end_session?"+url.Values{"id_token_hint": {tokens.id}}.Encode(), nil)
		poll.For(t, "the application to be told again after its failure", func() bool { return len(back.heard()) >= 2 })
		provider := must.Get(oidc.NewProvider(t.Context(), s.URL))(t)
		verifier := provider.Verifier(&oidc.Config{ClientID: app.id, SupportedSigningAlgs: []string{alg}})
		for _, token := range back.heard() {
			verified := must.Get(verifier.Verify(t.Context(), token))(t)
			var said struct {
				Session string                    `json:"sid"`
				ID      string                    `json:"jti"`
				Nonce   *string                   `json:"nonce"`
				Events  map[string]map[string]any `json:"events"`
			}
			must.Do(t, verified.Claims(&said))
			event, ok := said.Events["http://schemas.openid.net/event/backchannel-logout"]
			if verified.Subject != ann.id || said.Session != claims["sid"] || said.ID == "" || said.Nonce != nil || !ok || len(event) != 0 || time.Until(verified.Expiry) > 3*time.Minute {
				t.Errorf("told %+v by %+v", said, verified)
			}
			parsed, _, err := jwt.NewParser().ParseUnverified(token, jwt.MapClaims{})
			if err != nil || parsed.Header["typ"] != "logout+jwt" {
				t.Errorf("the header is %v, %v", parsed.Header, err)
			}
		}
		if shown := ann.open("GET", "/oauth2/end_session?"+url.Values{"id_token_hint": {back.heard()[0]}, "post_logout_redirect_uri": {partyURI}}.Encode(), nil); shown.left != nil {
			t.Errorf("a logout token passes as an ID token: %s", shown.left)
		}
	}
}

// An application without a back channel hears of it from the browser, which may load its page and no other.
func TestTheBrowserTellsApplicationsOfASignOut(t *testing.T) {
	t.Parallel()
	s := startAuth(t)
	ann := s.member(t, byCookie, "ann")
	silent, front := s.party(t), s.party(t, "--frontchannel-logout-uri", "https://app.example/front?a=1", "--post-logout-redirect-uri", "https://app.example/bye")
	ann.authorize(silent)
	_, claims := front.verified(front.exchange(ann.authorize(front, "scope", "openid")).id)
	tokens := silent.exchange(ann.authorize(silent))
	shown := ann.open("GET", "/oauth2/end_session?"+url.Values{"id_token_hint": {tokens.id}}.Encode(), nil)
	page := html.UnescapeString(shown.body)
	frame := `<iframe src="https://app.example/front?a=1&` + url.Values{"iss": {s.URL}, "sid": {claims["sid"].(string)}}.Encode() + `"`
	if policy := shown.header.Get("Content-Security-Policy"); shown.status != http.StatusOK || strings.Count(page, "<iframe") != 1 || !strings.Contains(page, frame) ||
		!strings.Contains(policy, "frame-src https://app.example;") || shown.header.Get("Refresh") != "3; url=/" {
		t.Errorf("%d, policy %q, refresh %q: %s", shown.status, policy, shown.header.Get("Refresh"), page)
	}
	if again := ann.open("GET", "/account/applications", nil); again.at.Path != "/login" {
		t.Errorf("still signed in at %s", again.at)
	}
}
