package web_test

import (
	"context"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
)

// withSecondFactor creates the student ada with a second factor.
func (c *campus) withSecondFactor(t *testing.T) *authkit.App {
	t.Helper()
	c.student("ada")
	return c.EnableSecondFactor(t, c.CallerOf(t, c.SignIn(t, "ada@campus.edu")))
}

func TestThePageForTheCodeLeadsToTheRequestedPage(t *testing.T) {
	c := newCampus(t)
	app := c.withSecondFactor(t)
	v := c.visitor()
	v.open("/login/code?next=%2Fmine").shows(200, `action="/login"`, `value="/mine"`) // nobody is signing in
	v.send("/login", "email", "ada@campus.edu", "password", authkit.Password, "next", "/mine").
		shows(200, "Enter your code", `autocomplete="one-time-code"`, `name="next" value="/mine"`).lacks("My books")
	v.open("/mine").shows(200, `action="/login"`)
	v.open("/login/code?next=https://evil.example/").shows(200, `name="next" value="/"`)
	v.send("/login/code", "code", "000000", "next", "/mine").shows(400, "This code is wrong", `name="next" value="/mine"`)
	v.send("/login/code", "code", app.Next(), "next", "/mine").shows(200, "My books")
	for name := range v.cookies {
		if strings.Contains(name, "challenge") || strings.Contains(name, "device") {
			t.Errorf("the cookie %s remains", name)
		}
	}
}

func TestADeviceIsRememberedByTheCheckboxOfTheCode(t *testing.T) {
	c := newCampus(t)
	app := c.withSecondFactor(t)
	v := c.visitor()
	v.send("/login", "email", "ada@campus.edu", "password", authkit.Password).shows(200, "Enter your code")
	v.send("/login/code", "code", app.Recovery[0], "remember", "yes").shows(200, "Sign out")
	v.send("/logout").shows(200, "Sign in")
	v.send("/login", "email", "ada@campus.edu", "password", authkit.Password, "next", "/mine").shows(200, "My books")
	c.visitor().send("/login", "email", "ada@campus.edu", "password", authkit.Password, "next", "/mine").shows(200, "Enter your code")
}

func TestAMailedCodeLeadsToThePageForTheSecondFactor(t *testing.T) {
	c := newCampus(t)
	app := c.withSecondFactor(t)
	if err := c.SignIns.RequestCode(context.Background(), "ada@campus.edu", user.EN, authkit.Firefox); err != nil {
		t.Fatal(err)
	}
	v := c.visitor()
	v.send("/login/mail/code", "email", "ada@campus.edu", "code", c.LastMail(t, message.SignInCode, "ada@campus.edu").Code, "next", "/mine").
		shows(200, "Enter your code").lacks("My books")
	v.send("/login/code", "code", app.Next(), "next", "/mine").shows(200, "My books")
}

func TestASignInThatIsOverStartsAgain(t *testing.T) {
	c := newCampus(t)
	app := c.withSecondFactor(t)
	v := c.visitor()
	v.lang = "fr"
	v.send("/login", "email", "ada@campus.edu", "password", authkit.Password, "next", "/mine").shows(200, "Saisissez votre code")
	for range 5 {
		v.send("/login/code", "code", "000000", "next", "/mine").shows(400, "Ce code est incorrect")
	}
	v.send("/login/code", "code", app.Next(), "next", "/mine").shows(400, "Veuillez recommencer", `href="/login?next=%2Fmine"`)
	v.open("/login/code?next=/mine").shows(200, `action="/login"`)
}

func TestAnAdminWithoutASecondFactorLearnsWhatTheDashboardRequires(t *testing.T) {
	c := newCampusBehind(t, func(_ *authrooms.Ports, cfg *auth.Config) { cfg.RequireSecondFactor = true }, nil)
	v := c.staff("root", user.Owner)
	v.open("/dashboard").shows(403, "Your role requires a second factor.")
	v.lang = "fr"
	v.open("/dashboard/people").shows(403, "Votre rôle exige un second facteur.")
	v.open("/account").shows(200)
}

func TestAnApplicationThatWantsASecondFactorGetsItFromARememberedBrowser(t *testing.T) {
	c := newCampus(t)
	app := c.withSecondFactor(t)
	v := c.visitor()
	v.send("/login", "email", "ada@campus.edu", "password", authkit.Password)
	v.send("/login/code", "code", app.Next(), "remember", "yes").shows(200, "Sign out")
	v.send("/logout")
	v.send("/login", "email", "ada@campus.edu", "password", authkit.Password, "next", "/mine").shows(200, "My books")
	at := v.opensApplication("Grades", "acr_values", "urn:octavo:2")
	at.shows(200, "This application wants you to sign in with a second factor or a passkey.", `name="password"`)
	v.send("/login", "email", "ada@campus.edu", "password", authkit.Password, "next", at.hidden("next")).shows(200, "Enter your code")
	v.send("/login/code", "code", app.Next(), "next", at.hidden("next")).shows(200, "wants to read")
}
