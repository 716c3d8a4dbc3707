package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/poll"
)

// The test calls every operation of the contract with its fields and codes, as a program with bearer tokens and as a
// browser with cookies. What the operations do in each case is in test/contract/authcontract.
func TestAuthContract(t *testing.T) {
	t.Parallel()
	for name, store := range authStores(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startAuth(t, store.settings(t)...)
			for _, part := range authContract {
				t.Run(part.name, func(t *testing.T) { part.test(t, s, store.mode) })
			}
		})
	}
}

var authContract = []struct {
	name string
	test func(*testing.T, service, string)
}{
	{"signing up", signingUp},
	{"signing in", signingIn},
	{"who am I", whoAmI},
	{"refreshing", refreshing},
	{"signing out", signingOut},
	{"sessions", sessions},
	{"passwords", passwords},
	{"inviting", inviting},
	{"listing people", listing},
	{"roles", roles},
	{"acting on others", actingOnOthers},
	{"token info", tokenInfo},
	{"audit log", auditing},
	{"signing in by code", signingInByCode},
	{"names and metadata", namesAndMetadata},
	{"moving to another address", movingToAnotherAddress},
	{"suspending", suspending},
	{"leaving and exporting", leavingAndExporting},
	{"passkeys", passkeysOfOnesOwn},
}

// A new operation of the contract fails this test until a test calls it.
func TestEveryOperationOfTheAuthContractIsTested(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../adapters/graph/testdata/contract.graphqls")
	if err != nil {
		t.Fatal(err)
	}
	exercised := strings.Join([]string{
		signUp, verify, resend, signIn, refresh, signOut, revoke, others, forgot, reset, change, invite, uninvite, accept,
		setRole, setPass, endAll, remove, me, people, person1, invited, token, auditLn,
		askCode, byCode, update, setMeta, changeMail, confirmMail, suspend, unsuspend, leave, export, more, unlink, beginKey, finishKey, removeKey, beginByKey, byKey,
		reprove, startTotp, confirm, disable, renew, complete, totpOn,
	}, "\n")
	words := regexp.MustCompile(`(?s)""".*?"""|"[^"\n]*"|#[^\n]*`).ReplaceAllString(string(text), "")
	names := regexp.MustCompile(`(\w+)(\([^)]*\))?: `).FindAllStringSubmatch(words, -1)
	if len(names) < 70 {
		t.Fatalf("only %d fields found", len(names))
	}
	for _, f := range names {
		if !regexp.MustCompile(`\b` + f[1] + `\b`).MatchString(exercised) {
			t.Errorf("no test calls %s", f[1])
		}
	}
}

func signingUp(t *testing.T, s service, mode string) {
	p := s.newClient(t, mode)
	p.email = address("ada")
	p.refused(signUp, vars{"e": "a@b@c.edu", "p": password}, "EMAIL_INVALID")
	p.refused(signUp, vars{"e": p.email, "p": "1234567"}, "PASSWORD_INVALID")
	p.yields(true, "signUp", signUp, vars{"e": "  " + strings.ToUpper(p.email) + " ", "p": password, "l": "FR"})
	first := s.Mail(p.email, "verification")
	if first.Lang != "fr" || first.Link != nil {
		t.Errorf("the mail: %+v", first)
	}
	p.refused(resend, vars{"e": "no address"}, "EMAIL_INVALID")
	p.yields(true, "resendVerification", resend, vars{"e": p.email, "l": "EN"})
	second := s.MailAfter(p.email, "verification", first.ID)
	if second.Lang != "en" {
		t.Errorf("the second mail: %+v", second)
	}
	p.refused(signIn, vars{"e": p.email, "p": password}, "INVALID_CREDENTIALS")
	for _, bad := range []string{*first.Code, other(*second.Code), "abc"} {
		p.refused(verify, vars{"e": p.email, "c": bad}, "CODE_INVALID")
	}
	p.yields(true, "verifyEmail", verify, vars{"e": p.email, "c": *second.Code})
	p.assertSignedOut("after the verification")
	p.yields(true, "signUp", signUp, vars{"e": p.email, "p": "another good password"})
	s.Mail(p.email, "account_exists")
	p.signIn(password)
}

// other returns a different code of eight digits.
func other(code string) string {
	last := (code[7]-'0'+1)%10 + '0'
	return code[:7] + string(last)
}

func signingIn(t *testing.T, s service, mode string) {
	p := s.member(t, mode, "sign-in")
	p.refused(signIn, vars{"e": p.email, "p": "not the password"}, "INVALID_CREDENTIALS")
	p.refused(signIn, vars{"e": "no address", "p": ""}, "INVALID_CREDENTIALS")
	for remember, wanted := range map[bool]time.Duration{false: 24 * time.Hour, true: 30 * 24 * time.Hour} {
		p.header.Set("User-Agent", safari)
		r := p.must(signIn, vars{"e": strings.ToUpper(p.email), "p": password, "r": remember})
		if r.at("signIn", "expiresIn") != 1200.0 || len(r.text("signIn", "accessToken")) < 200 || r.text("signIn", "refreshToken") == "" {
			t.Errorf("signIn: %s", r.Body)
		}
		idle := when(t, r.text("signIn", "session", "expiresAt")).Sub(when(t, r.text("signIn", "session", "createdAt")))
		if idle < wanted-time.Minute || idle > wanted {
			t.Errorf("with remember=%v the session is idle for at most %v", remember, idle)
		}
		for field, want := range (vars{"current": true, "browser": "Safari", "os": "iOS", "userAgent": safari, "ip": p.header.Get("X-Forwarded-For")}) {
			if got := r.at("signIn", "session", field); got != want {
				t.Errorf("session.%s is %v, want %v", field, got, want)
			}
		}
		if r.at("signIn", "session", "device") == nil || r.text("signIn", "user", "email") != p.email || r.text("signIn", "user", "role") != "USER" ||
			r.at("signIn", "user", "verified") != true || r.at("signIn", "user", "sessions", 0) == nil {
			t.Errorf("device or user: %s", r.Body)
		}
		if p.cookies {
			checkCookies(t, r)
		}
	}
	s.mailNames(t, p.email, "new_session", "Safari")
}

// mailNames waits for a mail of a kind that contains a word. Mails of one kind may arrive in
// any order.
func (s service) mailNames(t *testing.T, to, kind, word string) {
	t.Helper()
	poll.For(t, fmt.Sprintf("a %s mail to %s that names %s", kind, to, word), func() bool {
		return slices.ContainsFunc(s.Mailbox(to), func(m e2e.Mail) bool { return m.Kind == kind && strings.Contains(m.Text, word) })
	})
}

func checkCookies(t *testing.T, r reply) {
	t.Helper()
	set := (&http.Response{Header: r.Header}).Cookies()
	if len(set) != 2 {
		t.Fatalf("set %v", set)
	}
	for _, c := range set {
		if !strings.HasPrefix(c.Name, "octavo_") || !c.HttpOnly || c.Path != "/" || c.SameSite != http.SameSiteLaxMode || c.Secure || c.Domain != "" || c.MaxAge <= 0 {
			t.Errorf("set %s", c)
		}
	}
}

func when(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	if err != nil || !strings.HasSuffix(s, "Z") {
		t.Errorf("%q is not a time in UTC", s)
	}
	return at
}

func whoAmI(t *testing.T, s service, mode string) {
	p := s.newClient(t, mode)
	p.assertSignedOut("without credentials")
	p = s.member(t, mode, "me")
	r := p.must(me, nil)
	if r.text("me", "id") != p.id || r.text("me", "email") != p.email || r.text("me", "role") != "USER" || r.at("me", "verified") != true {
		t.Errorf("me: %s", r.Body)
	}
	if age := time.Since(when(t, r.text("me", "createdAt"))); age < 0 || age > time.Minute {
		t.Errorf("createdAt is %v ago", age)
	}
	if r.text("me", "sessions", 0, "id") != p.session || r.at("me", "sessions", 0, "current") != true {
		t.Errorf("sessions: %s", r.Body)
	}
	if again := p.send("/", []byte(`{"query":"{ me { id } }"}`), nil); again.text("me", "id") != p.id {
		t.Errorf("POST /: %s", again.Body)
	}
	for _, bad := range []string{"Bearer x", "Bearer", "Basic eDp5", "", p.access} {
		r := p.send("/graphql", []byte(`{"query":"{ me { id } }"}`), func(r *http.Request) { r.Header.Set("Authorization", bad) })
		if r.Code() != "UNAUTHENTICATED" {
			t.Errorf("Authorization %.20q: %s", bad, r.Body)
		}
	}
}

func passwords(t *testing.T, s service, mode string) {
	p, stranger := s.member(t, mode, "forgetful"), s.newClient(t, mode)
	const next, third = "a brand new password", "a third good password"
	stranger.refused(change, vars{"c": password, "n": next}, "UNAUTHENTICATED")
	p.refused(change, vars{"c": "wrong", "n": next}, "INVALID_CREDENTIALS")
	p.refused(change, vars{"c": password, "n": "12345678"}, "PASSWORD_INVALID")
	p.yields(true, "changePassword", change, vars{"c": password, "n": next})
	p.assertSignedIn("in the session that changed the password")
	s.Mail(p.email, "password_changed")
	for _, e := range []string{p.email, "no address"} {
		stranger.yields(true, "requestPasswordReset", forgot, vars{"e": e, "l": "FR"})
	}
	mail := s.Mail(p.email, "password_reset")
	stranger.refused(reset, vars{"e": p.email, "c": other(*mail.Code), "p": third}, "CODE_INVALID")
	stranger.refused(reset, vars{"e": p.email, "c": *mail.Code, "p": "short"}, "PASSWORD_INVALID")
	stranger.refused(reset, vars{"e": "no address", "c": *mail.Code, "p": third}, "CODE_INVALID", "EMAIL_INVALID")
	stranger.yields(true, "resetPassword", reset, vars{"e": p.email, "c": *mail.Code, "p": third})
	p.assertSignedOut("after a reset of the password")
	p.signIn(third)
}

func tokenInfo(t *testing.T, s service, mode string) {
	p, stranger := s.promoted(t, mode, "admin"), s.newClient(t, byBearer)
	r := stranger.must(token, vars{"t": p.access})
	for field, want := range (vars{"active": true, "userId": p.id, "sessionId": p.session, "role": "USER"}) { // the role in the token, which is older than the promotion
		if got := r.at("tokenInfo", field); got != want {
			t.Errorf("%s is %v, want %v", field, got, want)
		}
	}
	if left := time.Until(when(t, r.text("tokenInfo", "expiresAt"))); left < 19*time.Minute || left > 20*time.Minute {
		t.Errorf("expires in %v", left)
	}
	p.must(signOut, nil)
	for _, dead := range []string{p.access, "x"} {
		r := stranger.must(token, vars{"t": dead})
		for field, want := range (vars{"active": false, "userId": nil, "sessionId": nil, "role": nil, "expiresAt": nil}) {
			if got := r.at("tokenInfo", field); got != want {
				t.Errorf("%s of the invalid token %.20q is %v", field, dead, got)
			}
		}
	}
}
