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

// The test covers every line of the contract of the auth service on every store, once as a
// program with bearer tokens and once as a browser with cookies.
func TestAuthContract(t *testing.T) {
	t.Parallel()
	for name, store := range authStores(t) {
		for _, mode := range []string{byBearer, byCookie} {
			t.Run(name+"/"+mode, func(t *testing.T) {
				t.Parallel()
				authContract(t, startAuth(t, store(t)...), mode)
			})
		}
	}
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

func authContract(t *testing.T, s service, mode string) {
	for _, part := range []struct {
		name string
		test func(*testing.T, service, string)
	}{
		{"signing up", signingUp},
		{"taken addresses", takenAddresses},
		{"resending", resending},
		{"signing in", signingIn},
		{"who am I", whoAmI},
		{"refreshing", refreshing},
		{"signing out", signingOut},
		{"sessions", sessions},
		{"resetting a password", resetting},
		{"changing a password", changing},
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
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, s, mode) })
	}
}

func signingUp(t *testing.T, s service, mode string) {
	p := s.newClient(t, mode)
	p.email = address("ada")
	for _, bad := range []string{"", "x", "a@b", "Ada <ada@campus.edu>", "a@b@c.edu", "é@campus.edu", "a@" + strings.Repeat("b", 250) + ".edu"} {
		p.refused(signUp, vars{"e": bad, "p": password}, "EMAIL_INVALID")
	}
	for _, bad := range []string{"", "1234567", "password", strings.Repeat("é", 129), "with\ncontrol", p.email} {
		p.refused(signUp, vars{"e": p.email, "p": bad}, "PASSWORD_INVALID")
	}
	if r := p.must(signUp, vars{"e": "  " + strings.ToUpper(p.email) + " ", "p": password, "l": "FR"}); r.at("signUp") != true {
		t.Errorf("signUp: %s", r.Body)
	}
	mail := s.Mail(p.email, "verification")
	if mail.Lang != "fr" || mail.Link != nil {
		t.Errorf("the mail: %+v", mail)
	}
	p.refused(signIn, vars{"e": p.email, "p": password}, "INVALID_CREDENTIALS")
	p.refused(verify, vars{"e": p.email, "c": other(*mail.Code)}, "CODE_INVALID")
	p.refused(verify, vars{"e": p.email, "c": "abc"}, "CODE_INVALID")
	p.refused(verify, vars{"e": address("stranger"), "c": *mail.Code}, "CODE_INVALID")
	if r := p.must(verify, vars{"e": p.email, "c": *mail.Code}); r.at("verifyEmail") != true {
		t.Errorf("verifyEmail: %s", r.Body)
	}
	p.assertSignedOut("after the verification")
	p.refused(verify, vars{"e": p.email, "c": *mail.Code}, "CODE_INVALID")
	p.signIn(password)
}

// other returns a different code of eight digits.
func other(code string) string {
	last := (code[7]-'0'+1)%10 + '0'
	return code[:7] + string(last)
}

func takenAddresses(t *testing.T, s service, mode string) {
	p := s.member(t, mode, "taken")
	stranger := s.newClient(t, mode)
	if r := stranger.must(signUp, vars{"e": p.email, "p": "another good password"}); r.at("signUp") != true {
		t.Errorf("signUp: %s", r.Body)
	}
	s.Mail(p.email, "account_exists")
	p.signIn(password)
}

func resending(t *testing.T, s service, mode string) {
	p := s.newClient(t, mode)
	p.email = address("late")
	p.signUp(password)
	first := s.Mail(p.email, "verification")
	if r := p.must(resend, vars{"e": p.email, "l": "FR"}); r.at("resendVerification") != true {
		t.Errorf("resend: %s", r.Body)
	}
	second := s.MailAfter(p.email, "verification", first.ID)
	if second.Lang != "fr" {
		t.Errorf("language %q", second.Lang)
	}
	p.must(resend, vars{"e": p.email}) // within a minute of the first: the answer is true, and no mail is sent
	p.refused(verify, vars{"e": p.email, "c": *first.Code}, "CODE_INVALID")
	p.must(verify, vars{"e": p.email, "c": *second.Code})
	if got := s.newestID(p.email, "verification"); got != second.ID {
		t.Error("a second mail was sent within a minute")
	}
	p.must(resend, vars{"e": address("unknown")})
	p.refused(resend, vars{"e": "no address"}, "EMAIL_INVALID")
}

func (s service) newestID(to, kind string) string {
	for _, m := range s.Mailbox(to) {
		if m.Kind == kind {
			return m.ID
		}
	}
	return ""
}

func signingIn(t *testing.T, s service, mode string) {
	p := s.member(t, mode, "sign-in")
	p.refused(signIn, vars{"e": p.email, "p": "not the password"}, "INVALID_CREDENTIALS")
	p.refused(signIn, vars{"e": address("nobody"), "p": password}, "INVALID_CREDENTIALS")
	p.refused(signIn, vars{"e": "no address", "p": ""}, "INVALID_CREDENTIALS")
	for _, c := range []struct {
		remember any
		idle     time.Duration
	}{{nil, 24 * time.Hour}, {false, 24 * time.Hour}, {true, 30 * 24 * time.Hour}} {
		p.header.Set("User-Agent", safari)
		r := p.must(signIn, vars{"e": strings.ToUpper(p.email), "p": password, "r": c.remember})
		if r.at("signIn", "expiresIn") != 1200.0 || len(r.text("signIn", "accessToken")) < 200 || r.text("signIn", "refreshToken") == "" {
			t.Errorf("signIn: %s", r.Body)
		}
		idle := when(t, r.text("signIn", "session", "expiresAt")).Sub(when(t, r.text("signIn", "session", "createdAt")))
		if idle < c.idle-time.Minute || idle > c.idle {
			t.Errorf("with remember=%v the session is idle for at most %v", c.remember, idle)
		}
		for field, want := range (vars{"current": true, "browser": "Safari", "os": "iOS", "userAgent": safari, "ip": p.header.Get("X-Forwarded-For")}) {
			if got := r.at("signIn", "session", field); got != want {
				t.Errorf("session.%s is %v, want %v", field, got, want)
			}
		}
		if r.at("signIn", "session", "device") == nil {
			t.Error("the device of an iPhone is not named")
		}
		if r.text("signIn", "user", "email") != p.email || r.text("signIn", "user", "role") != "USER" || r.at("signIn", "user", "verified") != true {
			t.Errorf("user: %s", r.Body)
		}
		if all, _ := r.at("signIn", "user", "sessions").([]any); len(all) == 0 {
			t.Error("me does not list the user's own sessions")
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

func resetting(t *testing.T, s service, mode string) {
	p := s.member(t, mode, "forgetful")
	phone := p.as(byBearer)
	for _, e := range []string{p.email, address("unknown"), "no address"} {
		if r := s.newClient(t, mode).must(forgot, vars{"e": e, "l": "FR"}); r.at("requestPasswordReset") != true {
			t.Errorf("requestPasswordReset: %s", r.Body)
		}
	}
	mail := s.Mail(p.email, "password_reset")
	const next = "a brand new password"
	forgetful := s.newClient(t, mode)
	forgetful.must(forgot, vars{"e": p.email}) // within a minute of the first: no mail
	if s.newestID(p.email, "password_reset") != mail.ID {
		t.Error("a second mail was sent within a minute")
	}
	forgetful.refused(reset, vars{"e": p.email, "c": other(*mail.Code), "p": next}, "CODE_INVALID")
	forgetful.refused(reset, vars{"e": p.email, "c": *mail.Code, "p": "short"}, "PASSWORD_INVALID")
	forgetful.refused(reset, vars{"e": "no address", "c": *mail.Code, "p": next}, "CODE_INVALID", "EMAIL_INVALID")
	if r := forgetful.must(reset, vars{"e": p.email, "c": *mail.Code, "p": next}); r.at("resetPassword") != true {
		t.Errorf("resetPassword: %s", r.Body)
	}
	p.assertSignedOut("after a reset of the password")
	phone.assertSignedOut("after a reset of the password")
	phone.refused(refresh, vars{"t": phone.refresh}, "SESSION_INVALID")
	forgetful.refused(reset, vars{"e": p.email, "c": *mail.Code, "p": next}, "CODE_INVALID")
	s.Mail(p.email, "password_changed")
	forgetful.refused(signIn, vars{"e": p.email, "p": password}, "INVALID_CREDENTIALS")
	p.signIn(next)
}

func changing(t *testing.T, s service, mode string) {
	p := s.member(t, mode, "changer")
	phone := p.as(byBearer)
	const next = "a brand new password"
	s.newClient(t, mode).refused(change, vars{"c": password, "n": next}, "UNAUTHENTICATED")
	p.refused(change, vars{"c": "wrong", "n": next}, "INVALID_CREDENTIALS")
	p.refused(change, vars{"c": password, "n": "12345678"}, "PASSWORD_INVALID")
	if r := p.must(change, vars{"c": password, "n": next}); r.at("changePassword") != true {
		t.Errorf("changePassword: %s", r.Body)
	}
	p.assertSignedIn("in the session that changed the password")
	phone.assertSignedOut("in another session, after a change of the password")
	s.Mail(p.email, "password_changed")
	if r := p.refreshes(); r.Code() != "" {
		t.Errorf("refreshing after the change: %s", r.Body)
	}
	p.signIn(next)
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
	for _, dead := range []string{p.access, p.refresh, "", "x", flip(p.access)} {
		r := stranger.must(token, vars{"t": dead})
		if r.at("tokenInfo", "active") != false {
			t.Errorf("the invalid token %.20q is active", dead)
		}
		for _, field := range []string{"userId", "sessionId", "role", "expiresAt"} {
			if r.at("tokenInfo", field) != nil {
				t.Errorf("%.20q reveals its %s", dead, field)
			}
		}
	}
}
