package e2e_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/must"
)

// logoutToken says that a session at the university has ended.
func (u *university) logoutToken(id, sid string) string {
	u.t.Helper()
	claims := must.Get(json.Marshal(map[string]any{
		"iss": u.URL, "aud": "octavo", "sid": sid, "jti": id, "iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(),
		"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}},
	}))(u.t)
	options := (&jose.SignerOptions{}).WithHeader("kid", "k").WithType("logout+jwt")
	signer := must.Get(jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: u.key}, options))(u.t)
	return must.Get(must.Get(signer.Sign(claims))(u.t).CompactSerialize())(u.t)
}

func TestAUniversitySignsPeopleOutAtOnce(t *testing.T) {
	t.Parallel()
	u, other := newUniversity(t), newUniversity(t)
	s := e2e.StartWith(t, []string{signInWith(t, providersOf(u, other))}, "auth")
	u.who = claimsOf("1", "ann@campus.edu")
	browsers := map[string]*surfer{}
	for _, sid := range []string{"here", "there"} {
		u.who["sid"] = sid
		browsers[sid] = surf(t, s)
		browsers[sid].enter(u, "/auth/oidc/campus")
	}
	service := surf(t, s)
	tell := func(token string) page {
		return service.do("POST", "/auth/oidc/campus/logout", url.Values{"logout_token": {token}}, "Sec-Fetch-Site", "")
	}
	if p := tell(other.logoutToken("1", "here")); p.status != http.StatusBadRequest || !strings.Contains(p.body, "invalid_request") {
		t.Errorf("a token of another service: %d %s", p.status, p.body)
	}
	token := u.logoutToken("1", "here")
	if p := tell(token); p.status != http.StatusOK || p.header.Get("Cache-Control") != "no-store" || p.body != "" {
		t.Fatalf("%d %s", p.status, p.body)
	}
	for sid, want := range map[string]string{"here": "UNAUTHENTICATED", "there": ""} {
		if data, code := browsers[sid].client().GraphQL(t, `{ me { email } }`, nil); code != want {
			t.Errorf("%s: %s %s, want %q", sid, code, data, want)
		}
	}
	if p := tell(token); p.status != http.StatusBadRequest {
		t.Errorf("the same token again: %d %s", p.status, p.body)
	}
	if p := service.do("POST", "/auth/oidc/campus/logout", url.Values{}); p.status != http.StatusBadRequest {
		t.Errorf("without a token: %d", p.status)
	}
}
