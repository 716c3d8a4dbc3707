package e2e_test

import (
	"bytes"
	"compress/gzip"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
)

// bundle compiles a file of the client for TypeScript, and all that it imports, into one text.
func bundle(t *testing.T, folder, file string, flags ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{
		"tool", "-modfile=test/tools/bundle.mod", "esbuild", filepath.Join(folder, file), "--bundle", "--minify", "--format=esm", "--target=es2022",
		`--define:process.env.NODE_ENV="production"`, "--log-level=warning",
	}, flags...)...)
	var failure bytes.Buffer
	cmd.Dir, cmd.Stderr = "../..", &failure
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("esbuild: %v: %s", err, failure.Bytes())
	}
	return out
}

func staysSmall(t *testing.T, folder string) {
	t.Helper()
	for source, most := range map[string]int{
		`export { Octavo } from "./dist/index.js"; export { OctavoProvider, useSession, useUser } from "./dist/react.js";`: 3000,
		`export { Octavo } from "./dist/index.js"; export * from "./dist/react.js";`:                                       8 << 10,
	} {
		write(t, filepath.Join(folder, "small.js"), source)
		var packed bytes.Buffer
		w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(bundle(t, folder, "small.js", "--external:react")); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s has %d bytes after gzip", source, packed.Len())
		if packed.Len() > most {
			t.Errorf("%s has %d bytes after gzip, more than %d", source, packed.Len(), most)
		}
	}
}

// serveForm serves the app of docs/clients/typescript/test under a strict policy.
func serveForm(t *testing.T, folder string) string {
	t.Helper()
	files := map[string][]byte{"/app.js": bundle(t, folder, "test/app.ts"), "/": []byte(`<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
<title>An app</title><link rel="stylesheet" href="/sign-in.css"><main><h1>An app</h1><div id="app"></div></main><script type="module" src="/app.js"></script>`)}
	style, err := os.ReadFile(filepath.Join(folder, "sign-in.css"))
	if err != nil {
		t.Fatal(err)
	}
	files["/sign-in.css"] = style
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'self'; connect-src http://127.0.0.1:* http://localhost:*")
		switch filepath.Ext(r.URL.Path) {
		case ".js":
			w.Header().Set("Content-Type", "text/javascript")
		case ".css":
			w.Header().Set("Content-Type", "text/css")
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
		}
		_, _ = w.Write(files[r.URL.Path])
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// formTab is a browser at the app.
type formTab struct {
	*tab
	s service
}

func signsInByTheForm(t *testing.T, folder string) {
	t.Helper()
	u := newUniversity(t)
	u.who = claimsOf("7", "eve@campus.edu")
	providers := signInWith(t, "- name: campus\n  label: The University\n  issuer: "+u.URL+"\n  clientId: octavo\n  trustEmail: true\n")
	s := startAuth(t, providers, "LIMIT_ACCOUNT_FAILURES=1/24h")
	b := openBrowserThat(t, serveForm(t, folder), func(m chromedp.ConsoleMessage) bool {
		return strings.Contains(m.Text, "ERR_CONNECTION_REFUSED") || strings.Contains(m.Text, "ERR_UNSAFE_PORT")
	})
	f := formTab{b, s}
	b.phone()
	f.start("")
	b.await("document.querySelector('h2')?.innerText", "Sign in")
	b.text("Join us")
	b.fits()
	b.keep("form-sign-in")
	f.refuses()
	f.signsUp()
	f.seesTheEndOfTheSession()
	f.comesFromTheUniversity()
	f.resets()
	f.usesTheSecondFactor()
	f.usesPasskeys()
	f.worksElsewhere()
	formTab{b, startAuth(t, providers, "SIGN_IN=sso")}.offersServicesAlone()
}

func (f formTab) start(more string) {
	f.t.Helper()
	f.open("/?api=" + url.QueryEscape(f.s.URL) + more)
}

// chooses presses the button or link with a text.
func (f formTab) chooses(label string) {
	f.t.Helper()
	find := fmt.Sprintf("[...document.querySelectorAll('form button, form a')].find((e) => e.innerText === %q)", label)
	f.await("String("+find+" !== undefined)", "true")
	f.evaluate(find + ".click(), ''")
}

// asks waits for a title of the form.
func (f formTab) asks(title string) {
	f.t.Helper()
	f.await("document.querySelector('h2')?.innerText ?? ''", title)
}

// alerts waits for the message that screen readers announce, and for the field that has the focus.
func (f formTab) alerts(message, field string) {
	f.t.Helper()
	f.await("document.querySelector('[role=alert]').innerText", message)
	f.await("document.activeElement.name + document.activeElement.ariaInvalid", field+"true")
}

// leaves signs out by the hook.
func (f formTab) leaves() {
	f.t.Helper()
	f.presses("#out")
	f.text("Hello nobody")
	f.asks("Sign in")
}

// mailed returns the code of a mail to zoe.
func (f formTab) mailed(kind string) string {
	f.t.Helper()
	mail := f.s.Mail("zoe@campus.edu", kind)
	if mail.Code == nil {
		f.t.Fatalf("%+v has no code", mail)
	}
	return *mail.Code
}

func (f formTab) refuses() {
	f.t.Helper()
	f.typed("email", "ann@campus.edu", "password", "not the password\r")
	f.alerts("The address or the password is wrong", "password")
	f.keep("form-refused")
}

func (f formTab) signsUp() {
	f.t.Helper()
	f.start("")
	f.chooses("Join us")
	f.asks("Create an account")
	f.typed("email", "zoe@campus.edu", "password", "password\r")
	f.alerts("one of the most common passwords", "password")
	f.evaluate("document.activeElement.value = ''")
	f.typed("password", password+"\r")
	f.text("we have sent a code to it")
	f.await("document.activeElement.name", "code")
	f.keep("form-code")
	f.typed("code", "00000000\r")
	f.alerts("This code is wrong", "code")
	f.evaluate("document.activeElement.value = ''")
	f.typed("code", " "+f.mailed("verification")+"\r")
	f.text("Hello zoe@campus.edu")
}

// seesTheEndOfTheSession lets the access token expire, and then ends the session elsewhere.
func (f formTab) seesTheEndOfTheSession() {
	f.t.Helper()
	f.cookie("octavo_access", "expired")
	f.start("")
	f.text("Hello zoe@campus.edu\n\nHello zoe@campus.edu")
	if sent := f.evaluate("sent.slice(0, 3).join()"); sent != "Me,RefreshSession,Me" {
		f.t.Errorf("three components sent %s", sent)
	}
	elsewhere := f.s.newClient(f.t, byBearer)
	elsewhere.email = "zoe@campus.edu"
	elsewhere.signIn(password)
	elsewhere.must(others, nil)
	f.evaluate("window.dispatchEvent(new Event('focus')), ''")
	f.text("Hello nobody")
	f.asks("Sign in")
}

func (f formTab) comesFromTheUniversity() {
	f.t.Helper()
	f.chooses("Sign in with The University")
	f.text("Sign in as eve@campus.edu")
	f.do(chromedp.Click(chromedp.CSS("button")))
	f.text("Hello eve@campus.edu")
	f.leaves()
}

func (f formTab) resets() {
	f.t.Helper()
	f.chooses("Forgot your password?")
	f.asks("Reset the password")
	f.typed("email", "zoe@campus.edu\r")
	f.asks("Choose a new password")
	f.typed("code", f.mailed("password_reset"), "password", "another correct horse\r")
	f.text("Hello zoe@campus.edu")
	f.leaves()
	f.chooses("Sign in with a code by email")
	f.typed("email", "zoe@campus.edu\r")
	f.typed("code", f.mailed("sign_in_code")+"\r")
	f.text("Hello zoe@campus.edu")
	f.leaves()
}

// careful is somebody with a second factor.
func (f formTab) careful(name string) (p *person, secret string, recovery []any) {
	f.t.Helper()
	p = f.s.member(f.t, byBearer, name)
	p.must(reprove, vars{"p": password})
	secret = p.must(startTotp, nil).text("startTotp", "secret")
	recovery, _ = p.must(confirm, vars{"c": appCode(f.t, secret, 0)}).at("confirmTotp").([]any)
	return p, secret, recovery
}

// appCode is what an authenticator app shows for a secret in some steps of 30 seconds (RFC 6238).
func appCode(t *testing.T, secret string, ahead int64) string {
	t.Helper()
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha1.New, key)
	if err := binary.Write(mac, binary.BigEndian, time.Now().Unix()/30+ahead); err != nil {
		t.Fatal(err)
	}
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 15
	return fmt.Sprintf("%06d", (binary.BigEndian.Uint32(sum[at:])&0x7fffffff)%1_000_000)
}

func (f formTab) usesTheSecondFactor() {
	f.t.Helper()
	p, secret, recovery := f.careful("careful")
	f.typed("email", p.email, "password", password+"\r")
	f.asks("Confirm that it is you")
	f.await("document.activeElement.name", "code")
	f.keep("form-factor")
	f.typed("code", "12345x\r")
	f.alerts("This code is wrong", "code")
	f.evaluate("document.activeElement.value = ''")
	f.typed("code", appCode(f.t, secret, 1)+"\r")
	f.text("Hello " + p.email)
	f.leaves()

	f.typed("email", p.email, "password", password+"\r")
	f.chooses("Use a recovery code")
	f.await("document.querySelector('label').innerText", "Recovery code")
	f.typed("code", fmt.Sprint(recovery[0])+"\r")
	f.text("Hello " + p.email)
	f.leaves()
}

// usesPasskeys does so at localhost, because an IP address has none.
func (f formTab) usesPasskeys() {
	f.t.Helper()
	at := formTab{&tab{t: f.t, ctx: f.ctx, url: strings.Replace(f.url, "127.0.0.1", "localhost", 1)}, f.s}
	start := func() { at.open("/?api=" + url.QueryEscape(strings.Replace(f.s.URL, "127.0.0.1", "localhost", 1))) }
	phone := at.authenticator()
	p, secret, _ := f.careful("keyring")
	start()
	at.typed("email", p.email, "password", password+"\r")
	at.typed("code", appCode(f.t, secret, 1)+"\r")
	at.text("Hello " + p.email)
	at.evaluate("addPasskey(), ''")
	at.await("document.title", "added")
	at.presses("#out") // the authenticator takes up the offer to fill in the passkey
	at.await("sent.join()", "FinishPasskeySignIn")
	at.text("Hello " + p.email)

	phone(false)
	at.presses("#out")
	at.asks("Sign in")
	at.typed("email", p.email, "password", password+"\r")
	at.asks("Confirm that it is you")
	phone(true)
	at.chooses("Sign in with a passkey")
	at.text("Hello " + p.email)
	phone(false)
	at.leaves()
}

// authenticator adds a phone to the browser, and returns what makes its owner agree or not.
func (f formTab) authenticator() (agree func(bool)) {
	f.t.Helper()
	if _, err := chromedp.Call(f.ctx, webauthn.Enable, webauthn.EnableParams{}); err != nil {
		f.t.Fatal(err)
	}
	added, err := chromedp.Call(f.ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
		HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}})
	if err != nil {
		f.t.Fatal(err)
	}
	return func(agrees bool) {
		f.t.Helper()
		if _, err := chromedp.Call(f.ctx, webauthn.SetAutomaticPresenceSimulation,
			webauthn.SetAutomaticPresenceSimulationParams{AuthenticatorID: added.AuthenticatorID, Enabled: agrees}); err != nil {
			f.t.Fatal(err)
		}
	}
}

// worksElsewhere is about French, a page without React, and a server that is down.
func (f formTab) worksElsewhere() {
	f.t.Helper()
	f.start("&lang=fr-CA")
	f.asks("Se connecter")
	f.text("Rejoignez-nous")
	f.typed("email", "zoe@campus.edu", "password", "not the password\r")
	f.alerts("L’adresse ou le mot de passe est incorrect", "password")
	f.typed("password", "!\r")
	f.await("document.querySelector('[role=alert]').innerText", "nous y avons envoyé un courriel avec un lien")
	f.await("document.querySelector('[role=alert]').innerText", "Réessayez dans 60 secondes.")
	f.fits()
	f.keep("form-french")

	f.start("&plain")
	f.asks("Sign in")
	f.typed("email", "zoe@campus.edu", "password", "another correct horse\r")
	f.text("You are signed in as zoe@campus.edu.")
	f.await("document.title", "in as zoe@campus.edu")

	f.open("/?plain&api=http://127.0.0.1:1")
	f.await("document.querySelector('[role=alert]')?.innerText ?? ''", "The server could not be reached")
	f.chooses("Try again")
	f.open("/?api=http://127.0.0.1:1")
	f.text("Who is it?\n\nWho is it?\n\nhttp://127.0.0.1:1 answered NO_ANSWER")
}

func (f formTab) offersServicesAlone() {
	f.t.Helper()
	f.start("&plain")
	f.text("Sign in with one of these services.")
	f.keep("form-services")
	if others := f.evaluate("[...document.querySelectorAll('form :is(input, button, a)')].map((e) => e.innerText).join()"); others != "Sign in with The University" {
		f.t.Errorf("besides the service there is %q", others)
	}
}
