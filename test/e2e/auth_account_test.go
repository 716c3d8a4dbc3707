package e2e_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/authenticator"
)

// The operations about one's own account and those of others.
const (
	askCode     = `mutation($e: String!, $l: Lang) { requestSignInCode(email: $e, lang: $l) }`
	byCode      = `mutation($e: String!, $c: String!, $r: Boolean) { signInWithCode(email: $e, code: $c, remember: $r) ` + payload + ` }`
	update      = `mutation($n: String, $l: Lang) { updateMe(name: $n, lang: $l) { name } }`
	setMeta     = `mutation($i: ID!, $m: JSON!) { setMetadata(userId: $i, metadata: $m) { metadata } }`
	changeMail  = `mutation($e: String!) { changeEmail(newEmail: $e) }`
	confirmMail = `mutation($c: String!) { confirmEmailChange(code: $c) { email } }`
	suspend     = `mutation($i: ID!, $r: String!) { suspendUser(userId: $i, reason: $r) { suspended } }`
	unsuspend   = `mutation($i: ID!) { unsuspendUser(userId: $i) { suspended } }`
	leave       = `mutation { deleteMyAccount }`
	export      = `mutation { exportMyData }`
	more        = `{ me { name metadata suspended identities { id provider email createdAt } passkeys { id name createdAt lastUsedAt } } }`
	unlink      = `mutation($i: ID!) { unlinkIdentity(id: $i) }`
	beginKey    = `mutation($n: String!) { beginPasskeyRegistration(name: $n) { id options } }`
	finishKey   = `mutation($i: ID!, $r: JSON!) { finishPasskeyRegistration(id: $i, response: $r) { id name } }`
	removeKey   = `mutation($i: ID!) { removePasskey(id: $i) }`
	beginByKey  = `mutation { beginPasskeySignIn { id options } }`
	byKey       = `mutation($i: ID!, $r: JSON!, $m: Boolean) { finishPasskeySignIn(id: $i, response: $r, remember: $m) ` + payload + ` }`
)

// prove enters the password for what needs a recent proof.
func (p *person) prove() {
	p.t.Helper()
	p.must(reprove, vars{"p": password})
}

// signInByMail starts a session that is no recent proof, because the account has a password.
func (p *person) signInByMail() {
	p.t.Helper()
	p.must(askCode, vars{"e": p.email, "l": "EN"})
	p.must(byCode, vars{"e": p.email, "c": *p.s.Mail(p.email, "sign_in_code").Code})
}

// needsProof fails the test unless the operation asks for a recent proof.
func (p *person) needsProof(query string, v vars) {
	p.t.Helper()
	if r := p.refused(query, v, "UNAUTHENTICATED"); r.Errors[0].Extensions["reason"] != "REAUTHENTICATE" {
		p.t.Errorf("%.60s: %s", query, r.Body)
	}
}

func signingInByCode(t *testing.T, s service, mode string) {
	p := s.member(t, mode, "coded")
	p.must(signOut, nil)
	p.yields(true, "requestSignInCode", askCode, vars{"e": p.email, "l": "FR"})
	mail := s.Mail(p.email, "sign_in_code")
	p.refused(byCode, vars{"e": p.email, "c": other(*mail.Code)}, "CODE_INVALID")
	p.yields(p.email, "signInWithCode.user.email", byCode, vars{"e": p.email, "c": *mail.Code, "r": true})
	p.assertSignedIn("with a code")
}

func namesAndMetadata(t *testing.T, s service, mode string) {
	p, admin := s.member(t, mode, "named"), s.promoted(t, mode, "admin")
	p.yields("Ann Lee", "updateMe.name", update, vars{"n": " Ann Lee ", "l": "FR"})
	p.refused(update, vars{"n": strings.Repeat("x", 101)}, "BAD_REQUEST")
	p.refused(setMeta, vars{"i": p.id, "m": vars{"plan": "gold"}}, "FORBIDDEN")
	admin.refused(setMeta, vars{"i": p.id, "m": "x"}, "BAD_REQUEST")
	admin.yields("gold", "setMetadata.metadata.plan", setMeta, vars{"i": p.id, "m": vars{"plan": "gold", "seats": 12}})
	if r := p.must(more, nil); r.at("me", "metadata", "plan") != "gold" || r.at("me", "name") != "Ann Lee" || r.at("me", "suspended") != false {
		t.Errorf("%s", r.Body)
	}
	p.signIn(password)
	parts := strings.Split(p.accessToken(), ".")
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || !strings.Contains(string(claims), `"meta":{"plan":"gold","seats":12}`) {
		t.Errorf("claims: %s, %v", claims, err)
	}
}

// accessToken returns the token, which browsers keep in a cookie.
func (p *person) accessToken() string {
	p.t.Helper()
	return p.must(refresh, vars{"t": p.refresh}).text("refreshSession", "accessToken")
}

func movingToAnotherAddress(t *testing.T, s service, mode string) {
	p := s.member(t, mode, "moving")
	from, to := p.email, address("moved")
	p.signInByMail()
	p.needsProof(changeMail, vars{"e": to})
	p.prove()
	p.refused(changeMail, vars{"e": "x"}, "EMAIL_INVALID")
	p.yields(true, "changeEmail", changeMail, vars{"e": to})
	code := s.Mail(to, "email_change").Code
	p.refused(confirmMail, vars{"c": other(*code)}, "CODE_INVALID")
	p.yields(to, "confirmEmailChange.email", confirmMail, vars{"c": *code})
	p.email = to
	p.signIn(password)
	link := s.Mail(from, "email_changed").Link
	if link == nil || !strings.HasPrefix(*link, s.URL+"/") {
		t.Fatalf("the notice has no link")
	}
	undo, err := url.Parse(*link)
	if err != nil {
		t.Fatal(err)
	}
	if status := get(t, *link).StatusCode; status != http.StatusOK {
		t.Errorf("the page of the link answers %d", status)
	}
	p.assertSignedIn("after the link was only opened")
	done, err := http.PostForm(s.URL+undo.Path, undo.Query())
	if err != nil {
		t.Fatal(err)
	}
	_ = done.Body.Close()
	p.assertSignedOut("after the undo")
	p.email = from
	p.signIn(password)
}

func suspending(t *testing.T, s service, mode string) {
	p, admin, owner := s.member(t, mode, "suspended"), s.promoted(t, mode, "admin"), s.promoted(t, mode, "owner")
	p.refused(suspend, vars{"i": admin.id, "r": "Spam"}, "FORBIDDEN")
	admin.refused(suspend, vars{"i": owner.id, "r": "Spam"}, "FORBIDDEN")
	admin.refused(suspend, vars{"i": admin.id, "r": "Spam"}, "BAD_REQUEST", "FORBIDDEN")
	admin.refused(suspend, vars{"i": "99", "r": "Spam"}, "NOT_FOUND")
	admin.yields(true, "suspendUser.suspended", suspend, vars{"i": p.id, "r": "Spam on the board"})
	s.mailNames(t, p.email, "suspended", "Spam on the board")
	p.assertSignedOut("once suspended")
	p.refused(signIn, vars{"e": p.email, "p": password}, "SUSPENDED")
	admin.yields(false, "unsuspendUser.suspended", unsuspend, vars{"i": p.id})
	p.signIn(password)
}

func leavingAndExporting(t *testing.T, s service, mode string) {
	p := s.member(t, mode, "leaving")
	p.signInByMail()
	p.needsProof(export, nil)
	p.needsProof(leave, nil)
	p.prove()
	data, err := json.Marshal(p.must(export, nil).at("exportMyData"))
	if err != nil || !strings.Contains(string(data), p.email) || regexp.MustCompile(`\$2[aby]\$|password_?hash`).Match(data) {
		t.Errorf("the export: %s, %v", data, err)
	}
	p.yields(true, "deleteMyAccount", leave, nil)
	s.Mail(p.email, "account_deletion")
	p.assertSignedOut("after asking for the deletion")
	p.signIn(password) // undoes it
	p.assertSignedIn("after undoing the deletion")
}

func passkeysOfOnesOwn(t *testing.T, s service, mode string) {
	p := s.member(t, mode, "keys")
	key := authenticator.New("localhost", "http://localhost:5173")
	raw := func(r reply, path ...any) json.RawMessage {
		text, err := json.Marshal(r.at(path...))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	p.signInByMail()
	p.needsProof(beginKey, vars{"n": "Phone"})
	p.prove()
	begun := p.must(beginKey, vars{"n": "Phone"})
	answer := key.Create(raw(begun, "beginPasskeyRegistration", "options"))
	added := p.must(finishKey, vars{"i": begun.text("beginPasskeyRegistration", "id"), "r": answer})
	p.refused(finishKey, vars{"i": begun.text("beginPasskeyRegistration", "id"), "r": answer}, "CHALLENGE_INVALID")
	s.Mail(p.email, "passkey_added")
	p.must(signOut, nil)
	request := p.must(beginByKey, nil)
	signed := key.Sign(raw(request, "beginPasskeySignIn", "options"))
	p.must(byKey, vars{"i": request.text("beginPasskeySignIn", "id"), "r": signed})
	p.assertSignedIn("with a passkey")
	again := p.must(beginByKey, nil)
	p.refused(byKey, vars{"i": again.text("beginPasskeySignIn", "id"), "r": signed}, "PASSKEY_INVALID")
	p.refused(byKey, vars{"i": again.text("beginPasskeySignIn", "id"), "r": signed}, "CHALLENGE_INVALID")
	if r := p.must(more, nil); r.text("me", "passkeys", 0, "name") != "Phone" || r.text("me", "passkeys", 0, "lastUsedAt") == "" || fmt.Sprint(r.at("me", "identities")) != "[]" {
		t.Errorf("%s", r.Body)
	}
	p.refused(unlink, vars{"i": "1"}, "NOT_FOUND")
	p.must(removeKey, vars{"i": added.text("finishPasskeyRegistration", "id")})
	last := p.must(beginByKey, nil)
	p.refused(byKey, vars{"i": last.text("beginPasskeySignIn", "id"), "r": key.Sign(raw(last, "beginPasskeySignIn", "options"))}, "PASSKEY_INVALID")
}
