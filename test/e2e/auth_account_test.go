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
	"github.com/octavo-books/octavo/test/e2e"
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
	stranger := s.newClient(t, mode)
	if r := stranger.must(askCode, vars{"e": address("unknown")}); r.at("requestSignInCode") != true {
		t.Errorf("%s", r.Body)
	}
	p.must(signOut, nil)
	p.must(askCode, vars{"e": p.email, "l": "FR"})
	mail := s.Mail(p.email, "sign_in_code")
	p.refused(byCode, vars{"e": p.email, "c": other(*mail.Code)}, "CODE_INVALID")
	stranger.refused(byCode, vars{"e": address("unknown"), "c": *mail.Code}, "CODE_INVALID")
	p.refused(reset, vars{"e": p.email, "c": *mail.Code, "p": "another long password"}, "CODE_INVALID")
	p.must(byCode, vars{"e": p.email, "c": *mail.Code, "r": true})
	p.assertSignedIn("with a code")
	p.refused(byCode, vars{"e": p.email, "c": *mail.Code}, "CODE_INVALID")
}

func namesAndMetadata(t *testing.T, s service, mode string) {
	p, admin := s.member(t, mode, "named"), s.promoted(t, mode, "admin")
	if r := p.must(update, vars{"n": " Ann Lee ", "l": "FR"}); r.at("updateMe", "name") != "Ann Lee" {
		t.Errorf("%s", r.Body)
	}
	p.refused(update, vars{"n": strings.Repeat("x", 101)}, "BAD_REQUEST")
	p.refused(setMeta, vars{"i": p.id, "m": vars{"plan": "gold"}}, "FORBIDDEN")
	for _, bad := range []any{"x", 7, []any{1}, vars{"a": strings.Repeat("x", 1024)}} {
		admin.refused(setMeta, vars{"i": p.id, "m": bad}, "BAD_REQUEST")
	}
	admin.must(setMeta, vars{"i": p.id, "m": vars{"plan": "gold", "seats": 12}})
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
	taken, to := s.member(t, mode, "taken"), address("moved")
	p.signInByMail()
	p.needsProof(changeMail, vars{"e": to})
	p.prove()
	p.refused(changeMail, vars{"e": "x"}, "EMAIL_INVALID")
	p.must(changeMail, vars{"e": taken.email})
	s.Mail(taken.email, "account_exists")

	q := s.member(t, mode, "mover")
	from := q.email
	q.prove()
	q.must(changeMail, vars{"e": to})
	code := s.Mail(to, "email_change").Code
	q.refused(confirmMail, vars{"c": other(*code)}, "CODE_INVALID")
	p.refused(confirmMail, vars{"c": *code}, "CODE_INVALID")
	if r := q.must(confirmMail, vars{"c": *code}); r.at("confirmEmailChange", "email") != to {
		t.Errorf("%s", r.Body)
	}
	q.refused(signIn, vars{"e": from, "p": password}, "INVALID_CREDENTIALS")
	q.email = to
	q.signIn(password)

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
	q.assertSignedIn("after the link was only opened")
	done, err := http.PostForm(s.URL+undo.Path, undo.Query())
	if err != nil {
		t.Fatal(err)
	}
	_ = done.Body.Close()
	q.assertSignedOut("after the undo")
	q.email = from
	q.signIn(password)
}

func suspending(t *testing.T, s service, mode string) {
	p, admin, owner := s.member(t, mode, "suspended"), s.promoted(t, mode, "admin"), s.promoted(t, mode, "owner")
	p.refused(suspend, vars{"i": admin.id, "r": "Spam"}, "FORBIDDEN")
	admin.refused(suspend, vars{"i": owner.id, "r": "Spam"}, "FORBIDDEN")
	admin.refused(suspend, vars{"i": admin.id, "r": "Spam"}, "BAD_REQUEST", "FORBIDDEN")
	admin.refused(suspend, vars{"i": "99", "r": "Spam"}, "NOT_FOUND")
	if r := admin.must(suspend, vars{"i": p.id, "r": "Spam on the board"}); r.at("suspendUser", "suspended") != true {
		t.Errorf("%s", r.Body)
	}
	s.mailNames(t, p.email, "suspended", "Spam on the board")
	p.assertSignedOut("once suspended")
	p.refused(signIn, vars{"e": p.email, "p": password}, "SUSPENDED")
	p.refused(signIn, vars{"e": p.email, "p": "a wrong password"}, "INVALID_CREDENTIALS")
	admin.must(unsuspend, vars{"i": p.id})
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
	p.must(leave, nil)
	s.Mail(p.email, "account_deletion")
	p.assertSignedOut("after asking for the deletion")
	p.refused(signUp, vars{"e": p.email, "p": "short"}, "PASSWORD_INVALID")
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

func TestTheMarketTellsASuspendedStudentOnlyAfterTheRightPassword(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t)
	s.Student("ann@campus.edu", "Ann")
	owner := s.Student("root@campus.edu", "Root")
	if out, code := s.Octavo("users", "promote", "root@campus.edu", "--role", "owner"); code != 0 {
		t.Fatalf("promote: %d %s", code, out)
	}
	data, code := owner.GraphQL(t, `{ users(search: "ann@campus.edu") { edges { node { id } } } }`, nil)
	var found struct {
		Users struct {
			Edges []struct{ Node struct{ ID string } }
		}
	}
	if err := json.Unmarshal(data, &found); err != nil || code != "" || len(found.Users.Edges) != 1 {
		t.Fatalf("%s %s, %v", code, data, err)
	}
	if _, code := owner.GraphQL(t, suspend, vars{"i": found.Users.Edges[0].Node.ID, "r": "Spam"}); code != "" {
		t.Fatal(code)
	}
	anyone := e2e.Client{URL: s.URL}
	logIn := func(status int, email, password string) string {
		a := anyone.Must(t, status, "POST", "/api/auth/login", map[string]string{"email": email, "password": password})
		body, _, _ := strings.Cut(string(a.Body), `,"time"`)
		return body
	}
	if body := logIn(http.StatusForbidden, "ann@campus.edu", e2e.Password); !strings.Contains(body, "This account is suspended.") || strings.Contains(body, "token") {
		t.Errorf("with the right password: %s", body)
	}
	wrong, nobody := logIn(http.StatusUnauthorized, "ann@campus.edu", "a wrong password"), logIn(http.StatusUnauthorized, "nobody@campus.edu", "a wrong password")
	if wrong != nobody || strings.Contains(wrong, "suspended") {
		t.Errorf("with a wrong password: %s, without an account: %s", wrong, nobody)
	}
}
