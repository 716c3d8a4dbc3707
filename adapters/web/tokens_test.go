package web_test

import (
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/test/authkit"
)

const tokenList = "/account/security/tokens"

// tokenOn returns the token that a page shows.
func tokenOn(t *testing.T, p page) string {
	t.Helper()
	found := regexp.MustCompile(`<code>(oct_[^<]+)</code> <button[^>]* data-copy="Copied" hidden>Copy<`).FindStringSubmatch(p.body)
	if found == nil {
		t.Fatalf("the page shows no token: %s", p.body)
	}
	return found[1]
}

// tokenWorks reports whether a token signs a script in.
func (c *campus) tokenWorks(token string) bool {
	_, err := c.Authenticator.Authenticate(c.t.Context(), token, authkit.Chrome)
	return err == nil
}

func TestAPersonMakesAndRevokesAnAccessTokenOnThePages(t *testing.T) {
	site := newAuthSite(t)
	ann, eve := site.person("ann@example.org"), site.person("eve@example.org")
	ann.open("/account").shows(200, `href="`+tokenList+`"`)
	ann.open(tokenList).shows(200, "None.", "What the script may do")
	site.Clock.Advance(session.ProofLifetime)
	asked := ann.send(tokenList, "name", "Backup", "email", "yes", "market", "yes", "expires", "168h").shows(200, "Confirm that it is you")
	token := tokenOn(t, ann.send("/account/confirm", "password", authkit.Password, "next", asked.hidden("next"), "then", asked.hidden("then"), "form", asked.hidden("form")).
		shows(200, "it is not shown again", "/static/copy."))
	if !site.tokenWorks(token) {
		t.Error("the token does not work")
	}
	list := ann.open(tokenList).shows(200, "Backup", "Read your email address", "Use the marketplace as you", "last used", `<time datetime="`+site.Clock.Now().Add(7*24*time.Hour).Format(time.RFC3339)).lacks(token, "None.")
	id := list.hidden("id")

	eve.open(tokenList).shows(200, "None.")
	eve.send(tokenList+"/revoke", "id", id).shows(404)
	ann.send(tokenList+"/revoke", "id", id).shows(200, "The access token was revoked", "None.")
	ann.send(tokenList+"/revoke", "id", id).shows(404)
	if site.tokenWorks(token) {
		t.Error("the revoked token works")
	}
}

func TestAnAccessTokenWithoutScopesKeepsWhatWasTyped(t *testing.T) {
	site := newAuthSite(t)
	ann := site.person("ann@example.org")
	ann.send(tokenList, "name", "Backup", "expires", "2160h").shows(400, "A token has one or more of the scopes", `value="Backup"`, `value="2160h" selected`).lacks("checked")
	ann.send(tokenList, "name", " ", "openid", "yes", "expires", "168h").shows(400, "The name of a token", `name="openid" type="checkbox" value="yes" checked`)
	ann.send(tokenList, "name", "x", "openid", "yes", "expires", "9000h").shows(400, "365 days")
	ann.send(tokenList, "name", "x", "openid", "yes", "expires", "soon").shows(400, "365 days")
	ann.open(tokenList).shows(200, "None.")
	ann.lang = "fr"
	ann.send(tokenList, "name", "x", "expires", "168h").shows(400, "Choisissez au moins une chose")
	ann.request("POST", tokenList, map[string][]string{"name": {"x"}, "openid": {"yes"}, "expires": {"168h"}}, "Sec-Fetch-Site", "cross-site").shows(403)
}

func TestAnExpiredAccessTokenLeavesTheListAndMakesRoom(t *testing.T) {
	site := newAuthSite(t)
	ann := site.person("ann@example.org")
	site.Clock.Advance(time.Second)
	ann.proves()
	var all sync.WaitGroup
	browsers := make([]*visit, 4)
	for i := range browsers { // as many tabs, with the cookies of one browser
		browsers[i] = site.visitor()
		for name, value := range ann.cookies {
			browsers[i].cookies[name] = value
		}
		all.Go(func() {
			for range session.MaxPersonalTokens/len(browsers) + 2 {
				browsers[i].send(tokenList, "name", "Backup", "openid", "yes", "expires", "168h")
			}
		})
	}
	all.Wait()
	if n := strings.Count(ann.open(tokenList).shows(200).body, "<h2>Backup</h2>"); n != session.MaxPersonalTokens {
		t.Errorf("%d tokens", n)
	}
	ann.send(tokenList, "name", "one more", "openid", "yes", "expires", "168h").shows(409, "at most 50 access tokens", `value="one more"`)
	site.Clock.Advance(7 * 24 * time.Hour)
	ann.send("/login", "email", "ann@example.org", "password", authkit.Password, "next", tokenList).shows(200, "None.")
	ann.send(tokenList, "name", "one more", "openid", "yes", "expires", "168h").shows(200, "Your access token")
}
