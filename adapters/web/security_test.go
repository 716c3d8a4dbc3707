package web_test

import (
	"encoding/base32"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/totp"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authenticator"
	"github.com/octavo-books/octavo/test/authkit"
)

// proves enters the password on the page that asks for it.
func (v *visit) proves() {
	v.t.Helper()
	v.send("/account/confirm", "password", authkit.Password, "next", "/account/security").shows(200, "Passkeys")
}

// secretOf reads the secret of an authenticator app from its page.
func secretOf(t *testing.T, p page) totp.Secret {
	t.Helper()
	found := regexp.MustCompile(`secret=([A-Z2-7]{32})`).FindStringSubmatch(p.body)
	if found == nil {
		t.Fatalf("the page has no secret: %s", p.body)
	}
	b, err := base32.StdEncoding.DecodeString(found[1])
	if err != nil {
		t.Fatal(err)
	}
	return totp.Secret(b)
}

func TestAnAuthenticatorAppIsConnectedAndDisconnectedWithoutScript(t *testing.T) {
	site := newAuthSite(t)
	ann := site.person("ann@example.org")
	site.Clock.Advance(session.ProofLifetime)
	ann.send("/account/security/totp").shows(200, "Confirm that it is you")
	ann.send("/account/confirm", "password", "a wrong password", "next", "/account/security").shows(401, "The current password is wrong")
	ann.proves()
	setup := ann.send("/account/security/totp").shows(200, "Scan this picture", "<svg")
	secret := secretOf(t, setup)
	ann.send("/account/security/totp/confirm", "code", "000000").shows(400, "This code is wrong", "Show a new picture")
	codes := ann.send("/account/security/totp/confirm", "code", secret.Code(totp.StepAt(site.Clock.Now()))).shows(200, "Your recovery codes")
	if n := strings.Count(codes.body, "<li><code>"); n != 10 {
		t.Errorf("%d recovery codes, want 10", n)
	}
	recovery := regexp.MustCompile(`<li><code>([^<]+)<`).FindStringSubmatch(codes.body)[1]
	ann.open("/account/security").shows(200, "New recovery codes").lacks("Connect an app")

	site.Clock.Advance(session.ProofLifetime)
	ann.send("/account/security/totp/disable", "code", recovery).shows(200, "Confirm that it is you", "recovery code")
	ann.send("/account/confirm", "password", authkit.Password, "code", secret.Code(totp.StepAt(site.Clock.Now())), "next", "/account/security").shows(200, "Turn it off")
	ann.send("/account/security/totp/disable", "code", "wrong").shows(400, "This code is wrong")
	ann.send("/account/security/totp/disable", "code", recovery).shows(200, "The authenticator app is turned off", "Connect an app")
}

// asks submits what the script static/passkeys.js does: it begins a ceremony and then
// submits the form with the browser's answer.
func (v *visit) asks(begin, finish string, answer func(json.RawMessage) json.RawMessage, pairs ...string) page {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	begun := v.request(http.MethodPost, begin, form)
	var c struct {
		ID      string
		Options json.RawMessage
	}
	if err := json.Unmarshal([]byte(begun.body), &c); err != nil || begun.status != http.StatusOK {
		v.t.Fatalf("%s: %d %s; want %d", begin, begun.status, begun.body, http.StatusOK)
	}
	return v.send(finish, append(pairs, "id", c.ID, "response", string(answer(c.Options)))...)
}

func TestAPasskeyIsAddedUsedAndRemovedOnThePages(t *testing.T) {
	site := newAuthSite(t)
	ann := site.person("ann@example.org")
	key := authenticator.New("octavo.example", authkit.Origin)
	site.Clock.Advance(session.ProofLifetime)
	if p := ann.request(http.MethodPost, "/account/security/passkeys/begin", url.Values{"name": {"Phone"}}); p.status != 200 || !strings.Contains(p.body, `"to":"/account/confirm?next=/account/security"`) {
		t.Errorf("without a proof: %d %s", p.status, p.body)
	}
	asked := ann.send("/account/security/passkeys", "name", "Phone", "begin", "yes").shows(200, "Confirm that it is you") // as the script then does
	asked = ann.send("/account/confirm", "password", "a wrong password", "next", asked.hidden("next"), "then", asked.hidden("then"), "form", asked.hidden("form")).shows(401, "Confirm that it is you")
	ann.send("/account/confirm", "password", authkit.Password, "next", asked.hidden("next"), "then", asked.hidden("then"), "form", asked.hidden("form")).shows(200, "data-go-on", `value="Phone"`)
	ann.open("/account/security").shows(200, "Add a passkey").lacks("data-go-on")
	ann.send("/account/security/passkeys", "name", "Phone").shows(200, "Your browser needs JavaScript", `value="Phone"`)
	page := ann.asks("/account/security/passkeys/begin", "/account/security/passkeys", key.Create, "name", "Phone").shows(200, "The passkey was added", "Phone", `src="/static/passkeys.js`)
	if csp := page.header.Get("Content-Security-Policy"); !strings.Contains(csp, "script-src 'self'") || strings.Contains(csp, "unsafe") {
		t.Errorf("the policy is %s", csp)
	}
	ann.send("/account/security/passkeys/remove", "id", "99").shows(404)

	v := site.visitor()
	v.asks("/login/passkey/begin", "/login/passkey", key.Sign, "next", "/account").shows(200, "Your account", "ann@example.org")
	other := authenticator.New("octavo.example", authkit.Origin)
	other.UserHandle = key.UserHandle
	site.visitor().asks("/login/passkey/begin", "/login/passkey", other.Sign, "next", "/account").shows(400, "This passkey was not accepted", "Forgot your password?")

	id := v.open("/account/security").hidden("id")
	v.send("/account/security/passkeys/remove", "id", id).shows(200, "The passkey was removed").lacks("Phone")
}

func TestPeopleSignInWithACodeByEmail(t *testing.T) {
	site := newAuthSite(t)
	site.person("ann@example.org")
	v := site.visitor()
	v.open("/login/mail?next=/account").shows(200, "Email me a code")
	v.send("/login/mail", "email", "nobody@example.org", "next", "/account").shows(200, "If you have an account")
	v.send("/login/mail", "email", "ann@example.org", "next", "/account").shows(200, "If you have an account")
	code := site.LastMail(t, message.SignInCode, "ann@example.org").Code
	v.send("/login/mail/code", "email", "ann@example.org", "code", "00000000", "next", "/account").shows(400, "This code is wrong")
	v.send("/login/mail/code", "email", "ann@example.org", "code", code, "next", "https://evil.test/").shows(200, "Sign out")
	v.open("/account").shows(200, "ann@example.org")
}

func TestAnAccountIsNamedAndDeletedByItsOwner(t *testing.T) {
	site := newAuthSite(t)
	ann := site.person("ann@example.org")
	ann.send("/account/name", "name", " Ann Lee ", "lang", "fr").shows(200, "Your changes are saved", `value="Ann Lee"`, `value="fr" selected`)
	ann.send("/account/name", "name", strings.Repeat("x", 101), "lang", "fr").shows(400)
	ann.open("/account/delete").shows(200, "After 14 days")
	site.Clock.Advance(session.ProofLifetime)
	ann.send("/account/delete").shows(200, "Confirm that it is you")
	ann.open("/account/confirm?next=/account&then=/account/delete").shows(200).lacks(`name="then"`) // a link begins nothing
	ann.send("/account/confirm", "password", authkit.Password, "next", "/account/delete").shows(200, "After 14 days")
	ann.send("/account/delete").shows(200, "Your account will be deleted", "Sign in")
	ann.open("/account").shows(200, "Forgot your password?")
}

func TestAdminsSeeInviteAndSuspendAPerson(t *testing.T) {
	site := newAuthSite(t)
	root, ann := site.person("root@example.org"), site.person("ann@example.org")
	site.promote("root@example.org", user.Owner)
	u, err := site.Store.Identity.FindUserByEmail(t.Context(), "ann@example.org")
	if err != nil {
		t.Fatal(err)
	}
	id, here := u.ID.String(), "/dashboard/people/person?id="+u.ID.String()
	root.open(here).shows(200, "ann@example.org", "Unknown browser", "Sign them out everywhere", "user.verified", "Suspend", "Change role")
	root.open("/dashboard/people/person?id=99").shows(404)
	ann.open(here).shows(403)
	root.send("/dashboard/people/role", "id", id, "role", "admin", "back", here).shows(200, "The role was changed")
	ann.open(here).shows(200).lacks("Change role", "user.verified")
	root.send("/dashboard/people/role", "id", id, "role", "king", "back", here).shows(400)
	root.send("/dashboard/people/role", "id", id, "role", "user", "back", here)
	root.send("/dashboard/people/sessions", "id", id, "back", here).shows(200, "All sessions of this account have ended", "Not signed in anywhere")
	ann.open("/account").shows(200, "Forgot your password?")

	root.send("/dashboard/people/suspend", "id", id, "reason", "Spam", "back", here).shows(200, "The account is suspended", "Lift the suspension")
	root.open("/dashboard/people").shows(200, "suspended")
	ann.send("/login", "email", "ann@example.org", "password", authkit.Password).shows(403, "suspended")
	root.send("/dashboard/people/unsuspend", "id", id, "back", here).shows(200, "The suspension is lifted")
	ann.send("/login", "email", "ann@example.org", "password", authkit.Password).shows(200, "Sign out")

	root.send("/dashboard/people/invite", "email", "not an address").shows(400)
	root.send("/dashboard/people/invite", "email", "new@example.org").shows(200, "The invitation is on its way", "new@example.org")
	root.send("/dashboard/people/invite/revoke", "id", root.open("/dashboard/people/invite").hidden("id")).shows(200, "The invitation was revoked", "None.")
}

func TestRequestsForDataAndDeletionAreAnsweredOnThePageOfAPerson(t *testing.T) {
	site := newAuthSite(t)
	root, ann, bob := site.person("root@example.org"), site.person("ann@example.org"), site.person("bob@example.org")
	site.promote("root@example.org", user.Owner)
	site.promote("bob@example.org", user.Admin)
	u, err := site.Store.Identity.FindUserByEmail(t.Context(), "ann@example.org")
	if err != nil {
		t.Fatal(err)
	}
	id := u.ID.String()
	root.open("/dashboard/people/person?id="+id).shows(200, "Download their data", "Delete the account")
	bob.open("/dashboard/people/person?id="+id).shows(200, "Delete the account").lacks("Download their data")
	root.open("/dashboard/people/export?id="+id).shows(200, "for somebody who cannot sign in")
	root.send("/dashboard/people/export", "id", id).shows(200, `"email": "ann@example.org"`)
	bob.send("/dashboard/people/export", "id", id).shows(403)
	ann.send("/dashboard/people/delete", "id", id, "email", "ann@example.org").shows(403)
	bob.open("/dashboard/people/delete?id="+id).shows(200, "at once and for good")
	bob.send("/dashboard/people/delete", "id", id, "email", "anna@example.org").shows(400, "This is not the address of the account.")
	bob.send("/dashboard/people/delete", "id", id, "email", "Ann@example.org").shows(200, "The account is deleted.")
	root.open("/dashboard/people/person?id=" + id).shows(404)
}

func TestAnAddressIsChangedOnThePages(t *testing.T) {
	site := newAuthSite(t)
	ann := site.person("ann@example.org")
	ann.send("/account/email", "email", "not an address").shows(400)
	site.Clock.Advance(session.ProofLifetime)
	asked := ann.send("/account/email", "email", "new@example.org").shows(200, "Confirm that it is you")
	ann.send("/account/confirm", "password", authkit.Password, "next", asked.hidden("next"), "then", asked.hidden("then"), "form", asked.hidden("form")).shows(200, "Confirm your new address")
	ann.send("/account/email/code", "code", "00000000").shows(400, "This code is wrong")
	code := site.LastMail(t, message.EmailChange, "new@example.org").Code
	ann.send("/account/email/code", "code", code).shows(200, "Your email address was changed", "new@example.org")
}

func TestPeopleDownloadTheirDataAfterAProof(t *testing.T) {
	site := newAuthSite(t)
	ann := site.person("ann@example.org")
	site.Clock.Advance(session.ProofLifetime)
	asked := ann.send("/account/export").shows(200, "Confirm that it is you", `value="/account/export"`)
	file := ann.send("/account/confirm", "password", authkit.Password, "next", asked.hidden("next"), "then", asked.hidden("then"), "form", "").shows(200, `"ann@example.org"`).lacks("plain:", "<html")
	if got := file.header.Get("Content-Disposition"); got != `attachment; filename="account.json"` {
		t.Errorf("it is shown, not saved: %q", got)
	}
}

func TestAfterSignInNobodyIsAskedForThePasswordAgain(t *testing.T) {
	site := newAuthSite(t)
	ann := site.person("ann@example.org")
	ann.send("/account/security/totp").shows(200, "Connect an authenticator app")
	ann.open("/account/delete").shows(200, "After 14 days")
	ann.send("/account/export").shows(200, `"ann@example.org"`)
}

func TestSomebodyWithoutAPasswordGoesOnAfterAMailedCode(t *testing.T) {
	site := newAuthSite(t)
	v := site.visitor()
	v.signsInAt("trusted", "/account", annAtProvider()).shows(200, "Your account")
	asked := v.send("/account/security/totp").shows(200, "Confirm that it is you")
	sent := v.send("/account/confirm/code", "next", asked.hidden("next"), "then", asked.hidden("then"), "form", asked.hidden("form")).shows(200, "We have sent you a code")
	code := site.LastMail(t, message.SignInCode, "ann@example.org").Code
	v.send("/account/confirm", "code", code, "next", sent.hidden("next"), "then", sent.hidden("then"), "form", "").shows(200, "Connect an authenticator app")
}
