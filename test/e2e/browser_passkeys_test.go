package e2e_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/deep"
)

// Chromium's virtual authenticator answers as a phone would whose owner agrees.
func TestAPersonAddsAPasskeyAndSignsInWithItInABrowser(t *testing.T) {
	t.Parallel()
	deep.NotShort(t, "a browser takes long")
	s := startAuth(t)
	ann := s.member(t, byBearer, "passkey")
	b := openBrowser(t, strings.Replace(s.URL, "127.0.0.1", "localhost", 1))
	if _, err := chromedp.Call(b.ctx, webauthn.Enable, webauthn.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	phone, err := chromedp.Call(b.ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
		HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}})
	if err != nil {
		t.Fatal(err)
	}
	agrees := func(at bool) {
		_, err := chromedp.Call(b.ctx, webauthn.SetAutomaticPresenceSimulation, webauthn.SetAutomaticPresenceSimulationParams{AuthenticatorID: phone.AuthenticatorID, Enabled: at})
		if err != nil {
			t.Fatal(err)
		}
	}
	set := func(field, value string) { b.do(chromedp.SetValue(chromedp.CSS("[name="+field+"]"), value)) }
	press := func(form string) { b.do(chromedp.Click(chromedp.CSS(`form[action="` + form + `"] button`))) }

	b.open("/login?next=/account/security")
	b.text("Sign in with a passkey")
	set("email", ann.email)
	set("password", password)
	press("/login")
	b.text("Authenticator app")
	set("name", "My phone")
	press("/account/security/passkeys")
	b.text("The passkey was added") // the sign-in counts as a proof
	b.text("My phone")
	b.keep("passkeys")

	press("/logout")
	b.text("You are signed out")
	b.open("/login?next=/account") // the authenticator takes up the offer to fill in the passkey
	b.text(ann.email)
	b.open("/account/security")
	b.text("last used")

	press("/logout")
	b.text("You are signed out")
	agrees(false) // they take no notice of the offer, and press the button
	b.open("/login?next=/account")
	b.text("Sign in with a passkey")
	press("/login/passkey")
	agrees(true)
	b.text(ann.email)
}
