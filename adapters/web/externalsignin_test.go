package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
)

// signsInAt signs in at a provider, which makes the claims, and returns the page that follows.
func (v *visit) signsInAt(provider, next string, c identity.Claims) page {
	v.t.Helper()
	return v.open(v.departs(provider, next, c))
}

func annAtProvider() identity.Claims {
	return identity.Claims{Subject: "1", Email: "ann@example.org", EmailVerified: true, Methods: "fed mfa"}
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

// departs starts a sign-in in a tab and returns the answer of the provider, which makes the claims.
func (v *visit) departs(provider, next string, c identity.Claims) string {
	v.t.Helper()
	to, err := url.Parse(v.open("/auth/oidc/" + provider + "?" + url.Values{"next": {next}}.Encode()).shows(http.StatusFound).header.Get("Location"))
	if err != nil {
		v.t.Fatal(err)
	}
	state := to.Query().Get("state")
	v.ProviderClient.Put(state, c)
	return "/auth/oidc/" + provider + "/callback?" + url.Values{"code": {state}, "state": {state}}.Encode()
}

func TestASignInInProductionDoesNotReturnToAPortOfTheReadersMachine(t *testing.T) {
	v := newAuthSite(t).visitor()
	v.signsInAt("trusted", "http://localhost:5173/", annAtProvider()).shows(200, "Sign out")
}

func TestSignInsInTwoTabsGoOnSideBySide(t *testing.T) {
	site := newAuthSite(t)
	v := site.visitor()
	first, second := v.departs("trusted", "/account", annAtProvider()), v.departs("trusted", "/account/security", annAtProvider())
	v.open("/auth/oidc/trusted/callback?code=x&state=forged-by-another-site").shows(400)
	v.open(first).shows(200, "Your account")
	v.open(second).shows(200, "Connected accounts")

	v = site.visitor()
	one, two := v.departs("doubtful", "/account", identity.Claims{Subject: "1", Email: "one@example.org"}), v.departs("doubtful", "/account/security", identity.Claims{Subject: "2", Email: "two@example.org"})
	asksOne, asksTwo := v.open(one).shows(200, "one@example.org"), v.open(two).shows(200, "two@example.org")
	code := func(address string) string { return site.LastMail(t, message.IdentityCode, address).Code }
	v.send("/auth/code", "in", asksOne.hidden("in"), "code", code("one@example.org")).shows(200, "Your account", "one@example.org")
	v.send("/auth/code", "in", asksTwo.hidden("in"), "code", code("two@example.org")).shows(200, "Connected accounts")
}

func TestTwoTabsThatWaitForASecondFactorGoOnSideBySide(t *testing.T) {
	site := newAuthSite(t)
	site.person("ann@example.org")
	app := site.EnableSecondFactor(t, site.CallerOf(t, site.SignIn(t, "ann@example.org")))
	v := site.visitor()
	first, second := v.open(v.departs("trusted", "/account", annAtProvider())), v.open(v.departs("trusted", "/account/security", annAtProvider()))
	v.send("/login/code", "in", first.hidden("in"), "next", first.hidden("next"), "code", app.Next()).shows(200, "Your account")
	site.Clock.Advance(time.Minute)
	v.send("/login/code", "in", second.hidden("in"), "next", second.hidden("next"), "code", app.Next()).shows(200, "Connected accounts")
}

func TestALimitDoesNotLoseTheCodeOfAnExternalSignIn(t *testing.T) {
	site := newSite(t, false, func(_ *authrooms.Ports, c *auth.Config) { c.Rules.Codes = limit.Rule{Burst: 1, Period: time.Minute} }, nil)
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

func TestAConnectedSignInIsRemovedUnlessItIsTheLastWayIn(t *testing.T) {
	site := newAuthSite(t)
	const form = `action="/account/security/identities/remove"><input type="hidden" name="id" value="`
	site.person("ann@example.org") // has a password, too
	for email, left := range map[string]bool{"ann@example.org": false, "bob@example.org": true} {
		c := annAtProvider()
		c.Subject, c.Email, c.AuthenticatedAt = email, email, site.Clock.Now()
		v := site.visitor()
		id := after(t, v.signsInAt("trusted", "/account/security", c).shows(200, "Connected accounts").body, form)
		if !left {
			v.proves()
		}
		p := v.send("/account/security/identities/remove", "id", id)
		if still := strings.Contains(v.open("/account/security").body, form); still != left || (p.status == http.StatusConflict) != left {
			t.Errorf("%s: %d, and the sign-in is still connected: %v, want %v", email, p.status, still, left)
		}
		v.send("/account/security/identities/remove", "id", "999").shows(404)
	}
}

// A university gives the address of somebody who has left to a newcomer.
func TestTheNextOwnerOfAnAddressDoesNotEnterTheAccountOfThePreviousOne(t *testing.T) {
	site := newAuthSite(t)
	site.person("ann@example.org")
	old := site.visitor()
	old.signsInAt("trusted", "/account", annAtProvider()).shows(200, "Your account")
	newcomer := annAtProvider()
	newcomer.Subject = "2"
	v := site.visitor()
	asked := v.signsInAt("trusted", "/account", newcomer).shows(200, "belongs to another sign-in at this service", `name="password"`)
	v.open("/account").shows(200, `action="/login"`)

	// Whoever knows the password connects it.
	v.send("/login", "email", "ann@example.org", "password", authkit.Password, "next", asked.hidden("next")).shows(200, "Afterwards you can sign in to your account with this service")
	w := v.exchange(http.MethodPost, "/auth/oidc/trusted", url.Values{"link": {"1"}, "next": {"/account/security"}})
	to, err := url.Parse(strings.TrimPrefix(w.Header().Get("Refresh"), "0; url="))
	if err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %v %v", w.Code, w.Header(), err)
	}
	state := to.Query().Get("state")
	site.ProviderClient.Put(state, newcomer)
	v.open("/auth/oidc/trusted/callback?"+url.Values{"code": {state}, "state": {state}}.Encode()).shows(200, "Connected accounts")
	site.visitor().signsInAt("trusted", "/account", newcomer).shows(200, "Your account", "ann@example.org")
}

func TestAnAdminConnectsASignInElsewhereToAnAccount(t *testing.T) {
	site := newAuthSite(t)
	root := site.person("root@example.org")
	site.promote("root@example.org", user.Owner)
	site.visitor().signsInAt("trusted", "/account", annAtProvider()).shows(200, "Your account")
	newcomer := annAtProvider()
	newcomer.Subject = "the-other-one"
	site.visitor().signsInAt("trusted", "/account", newcomer).shows(200, "belongs to another sign-in")
	u, err := site.Store.Identity.FindUserByEmail(t.Context(), "ann@example.org")
	if err != nil {
		t.Fatal(err)
	}
	here := "/dashboard/people/person?id=" + u.ID.String()
	root.open(here).shows(200, "trusted the-other-one", "Connect a sign-in")
	root.send("/dashboard/people/identity", "id", u.ID.String(), "provider", "trusted", "subject", " ", "back", here).shows(400)
	root.send("/dashboard/people/identity", "id", u.ID.String(), "provider", "trusted", "subject", "the-other-one", "back", here).shows(200, "The person can sign in with this service now", "identity.linked")
	v := site.visitor()
	v.signsInAt("trusted", "/account", newcomer).shows(200, "Your account", "ann@example.org")
	v.send("/dashboard/people/identity", "id", u.ID.String(), "provider", "trusted", "subject", "x").shows(403)
}

func TestAServiceIsAskedForTheSignInThatAnApplicationWants(t *testing.T) {
	site := newAuthSite(t)
	v := site.visitor()
	for want, change := range map[string][]string{"prompt login": {"prompt", "login"}, "max_age 60": {"max_age", "60"}, "nothing": nil} {
		next := v.opensApplication("An app", change...).shows(200, `name="password"`).hidden("next")
		v.open("/auth/oidc/trusted?" + url.Values{"next": {next}}.Encode()).shows(http.StatusFound)
		if r := site.ProviderClient.Asked; r.Login != (want == "prompt login") || (r.MaxAge == "60") != (want == "max_age 60") {
			t.Errorf("%s: the service is asked for %+v", want, r.Freshness)
		}
	}
}

func TestAServiceThatKnewThePersonFromBeforeIsNotEnoughForAnApplicationThatWantsMore(t *testing.T) {
	site := newAuthSite(t)
	v := site.visitor()
	next := v.opensApplication("An app", "prompt", "login").shows(200, `name="password"`).lacks("knew you from before").hidden("next")
	old := annAtProvider()
	old.AuthenticatedAt = site.Clock.Now().Add(-time.Hour)
	again := v.signsInAt("trusted", next, old).shows(200, "knew you from before", `name="password"`, "Sign in to An app")
	anew := annAtProvider()
	anew.AuthenticatedAt = site.Clock.Now()
	v.signsInAt("trusted", again.hidden("next"), anew).shows(200, "wants to read")
}
