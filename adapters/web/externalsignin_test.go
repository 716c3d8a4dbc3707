package web_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
)

// signsInAt signs in at a provider, which makes the claims, and returns the page that follows.
func (v *visit) signsInAt(provider, next string, c identity.Claims) page {
	v.t.Helper()
	to, err := url.Parse(v.open("/auth/oidc/" + provider + "?" + url.Values{"next": {next}}.Encode()).shows(http.StatusFound).header.Get("Location"))
	if err != nil {
		v.t.Fatal(err)
	}
	state := to.Query().Get("state")
	v.ProviderClient.Put(state, c)
	return v.open("/auth/oidc/" + provider + "/callback?" + url.Values{"code": {state}, "state": {state}}.Encode())
}

func annAtProvider() identity.Claims {
	return identity.Claims{Subject: "1", Email: "ann@example.org", EmailVerified: true, MultiFactor: true}
}

func TestAnExternalSignInLeadsToThePageForTheSecondFactor(t *testing.T) {
	site := newAuthSite(t)
	site.person("ann@example.org")
	app := site.EnableSecondFactor(t, site.CallerOf(t, site.SignIn(t, "ann@example.org")))
	v := site.visitor()
	v.signsInAt("trusted", "/account/security", annAtProvider()).shows(200, "Enter your code", `value="/account/security"`)
	v.open("/account").shows(200, `action="/login"`)
	v.send("/login/code", "code", app.Next(), "next", "/account/security").shows(200, "Connected accounts", "Trusted Inc")
}

func TestALimitDoesNotLoseTheCodeOfAnExternalSignIn(t *testing.T) {
	site := newSite(t, false, func(_ *auth.Ports, c *auth.Config) { c.Rules.Codes = limit.Rule{Burst: 1, Period: time.Minute} }, nil)
	v := site.visitor()
	v.signsInAt("doubtful", "/account", annAtProvider()).shows(200, "Enter the code", "ann@example.org")
	v.send("/auth/code", "code", "00000000").shows(400, "This code is wrong")
	code := site.LastMail(t, message.IdentityCode, "ann@example.org").Code
	v.send("/auth/code", "code", code).shows(429, "Enter the code")
	site.Clock.Advance(time.Minute)
	v.send("/auth/code", "code", code).shows(200, "Your account", "ann@example.org")
}

func TestAnExternalSignInEndsTheSessionThatTheBrowserHadBefore(t *testing.T) {
	site := newAuthSite(t)
	v := site.person("bob@example.org")
	copied := site.visitor()
	for name, value := range v.cookies {
		copied.cookies[name] = value
	}
	copied.open("/account").shows(200, "bob@example.org")
	v.signsInAt("trusted", "/account", annAtProvider()).shows(200, "ann@example.org")
	copied.open("/account").shows(200, `action="/login"`)
}
