package e2e_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// Every line of the contract of the auth service on every store, once as a
// program that keeps its tokens itself and once as a browser.
func TestAuthContract(t *testing.T) {
	for name, store := range authStores(t) {
		for _, mode := range []string{byBearer, byCookie} {
			t.Run(name+"/"+mode, func(t *testing.T) { authContract(t, startAuth(t, store(t)...), mode) })
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
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, s, mode) })
	}
}

func signingUp(t *testing.T, s service, mode string) {
	p := s.nobody(t, mode)
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
	p.out("verifying signs nobody in")
	p.refused(verify, vars{"e": p.email, "c": *mail.Code}, "CODE_INVALID")
	p.signIn(password)
}

// other is another code of eight digits.
func other(code string) string {
	last := (code[7]-'0'+1)%10 + '0'
	return code[:7] + string(last)
}

func takenAddresses(t *testing.T, s service, mode string) {
	p := s.member(t, mode, "taken")
	stranger := s.nobody(t, mode)
	if r := stranger.must(signUp, vars{"e": p.email, "p": "another good password"}); r.at("signUp") != true {
		t.Errorf("signUp: %s", r.Body)
	}
	s.Mail(p.email, "account_exists")
	p.signIn(password)
}

func resending(t *testing.T, s service, mode string) {
	p := s.nobody(t, mode)
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
	p.must(resend, vars{"e": p.email}) // within the minute: true, and no mail
	p.refused(verify, vars{"e": p.email, "c": *first.Code}, "CODE_INVALID")
	p.must(verify, vars{"e": p.email, "c": *second.Code})
	if got := s.newestID(p.email, "verification"); got != second.ID {
		t.Error("a second mail within a minute")
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
			t.Errorf("remember=%v lasts %v", c.remember, idle)
		}
		for field, want := range (vars{"current": true, "browser": "Safari", "os": "iOS", "userAgent": safari, "ip": p.header.Get("X-Forwarded-For")}) {
			if got := r.at("signIn", "session", field); got != want {
				t.Errorf("session.%s is %v, want %v", field, got, want)
			}
		}
		if r.at("signIn", "session", "device") == nil {
			t.Error("an iPhone is a device")
		}
		if r.text("signIn", "user", "email") != p.email || r.text("signIn", "user", "role") != "USER" || r.at("signIn", "user", "verified") != true {
			t.Errorf("user: %s", r.Body)
		}
		if all, _ := r.at("signIn", "user", "sessions").([]any); len(all) == 0 {
			t.Error("one's own sessions are shown after signing in")
		}
		if p.cookies {
			checkCookies(t, r)
		}
	}
	if m := s.Mail(p.email, "new_session"); !strings.Contains(m.Text, "Safari") {
		t.Errorf("the mail does not name the browser: %s", m.Text)
	}
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
		t.Errorf("%q is no time in UTC", s)
	}
	return at
}

func whoAmI(t *testing.T, s service, mode string) {
	p := s.nobody(t, mode)
	p.out("nobody")
	p = s.member(t, mode, "me")
	r := p.must(me, nil)
	if r.text("me", "id") != p.id || r.text("me", "email") != p.email || r.text("me", "role") != "USER" || r.at("me", "verified") != true {
		t.Errorf("me: %s", r.Body)
	}
	if age := time.Since(when(t, r.text("me", "createdAt"))); age < 0 || age > time.Minute {
		t.Errorf("created %v ago", age)
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

func refreshing(t *testing.T, s service, mode string) {
	p := s.member(t, mode, "refresh")
	first, oldAccess := p.refresh, p.access
	r := p.refreshes()
	if r.text("refreshSession", "session", "id") != p.session || p.refresh == first || p.access == oldAccess {
		t.Fatalf("refresh: %s", r.Body)
	}
	second := p.refresh
	bearer := s.nobody(t, byBearer)
	if again := bearer.run(refresh, vars{"t": first}); again.text("refreshSession", "refreshToken") != second {
		t.Errorf("a repeat is not answered with the same successor: %s", again.Body)
	}
	p.in("after refreshing")
	for _, bad := range []any{"", "x", oldAccess, flip(second)} {
		bearer.refused(refresh, vars{"t": bad}, "SESSION_INVALID")
	}
	s.nobody(t, mode).refused(refresh, nil, "SESSION_INVALID")
	p.in("a forged refresh token changes nothing")
	p.refreshes()
	bearer.refused(refresh, vars{"t": first}, "SESSION_INVALID") // two rotations old: theft
	p.out("theft was noticed")
	p.cookies = false
	p.refused(refresh, vars{"t": p.refresh}, "SESSION_INVALID")
	s.Mail(p.email, "session_ended")
}

// flip changes one bit of a base64url text's middle.
func flip(s string) string {
	b := []byte(s)
	if i := len(b) / 2; b[i] == 'A' {
		b[i] = 'B'
	} else {
		b[i] = 'A'
	}
	return string(b)
}

func signingOut(t *testing.T, s service, mode string) {
	p := s.member(t, mode, "leaver")
	kept, renewal := p.access, p.refresh
	r := p.must(signOut, nil)
	if r.at("signOut") != true {
		t.Errorf("signOut: %s", r.Body)
	}
	if p.cookies {
		for _, c := range (&http.Response{Header: r.Header}).Cookies() {
			if c.MaxAge >= 0 || c.Value != "" {
				t.Errorf("left %s", c)
			}
		}
	}
	bearer := s.nobody(t, byBearer)
	bearer.access = kept
	bearer.out("signed out")
	bearer.access = ""
	bearer.refused(refresh, vars{"t": renewal}, "SESSION_INVALID")
	s.nobody(t, mode).must(signOut, nil)
}

func sessions(t *testing.T, s service, mode string) {
	p := s.member(t, mode, "devices")
	phone, tablet, stranger := p.as(byBearer), p.as(byCookie), s.member(t, mode, "stranger")
	p.must(me, nil)
	all, _ := p.must(me, nil).at("me", "sessions").([]any)
	if len(all) != 3 {
		t.Fatalf("%d sessions", len(all))
	}
	p.refused(revoke, vars{"i": stranger.session}, "NOT_FOUND")
	p.refused(revoke, vars{"i": "1"}, "NOT_FOUND")
	p.refused(revoke, vars{"i": "' or 1=1"}, "NOT_FOUND")
	s.nobody(t, mode).refused(revoke, vars{"i": p.session}, "UNAUTHENTICATED")
	if r := p.must(revoke, vars{"i": phone.session}); r.at("revokeSession") != true {
		t.Errorf("revokeSession: %s", r.Body)
	}
	phone.out("revoked")
	phone.refused(refresh, vars{"t": phone.refresh}, "SESSION_INVALID")
	p.refused(revoke, vars{"i": phone.session}, "NOT_FOUND")
	tablet.in("not revoked yet")
	p.as(byBearer)
	if r := p.must(others, nil); r.at("revokeOtherSessions") != 2.0 {
		t.Errorf("revokeOtherSessions: %s", r.Body)
	}
	tablet.out("one of the others")
	stranger.in("somebody else")
	p.in("the one that asked")
	if r := p.must(others, nil); r.at("revokeOtherSessions") != 0.0 {
		t.Errorf("revokeOtherSessions again: %s", r.Body)
	}
	s.nobody(t, mode).refused(others, nil, "UNAUTHENTICATED")
	p.must(revoke, vars{"i": p.session})
	p.out("one's own session may be revoked too")
}

func resetting(t *testing.T, s service, mode string) {
	p := s.member(t, mode, "forgetful")
	phone := p.as(byBearer)
	for _, e := range []string{p.email, address("unknown"), "no address"} {
		if r := s.nobody(t, mode).must(forgot, vars{"e": e, "l": "FR"}); r.at("requestPasswordReset") != true {
			t.Errorf("requestPasswordReset: %s", r.Body)
		}
	}
	mail := s.Mail(p.email, "password_reset")
	const next = "a brand new password"
	forgetful := s.nobody(t, mode)
	forgetful.must(forgot, vars{"e": p.email}) // within the minute
	if s.newestID(p.email, "password_reset") != mail.ID {
		t.Error("a second mail within a minute")
	}
	forgetful.refused(reset, vars{"e": p.email, "c": other(*mail.Code), "p": next}, "CODE_INVALID")
	forgetful.refused(reset, vars{"e": p.email, "c": *mail.Code, "p": "short"}, "PASSWORD_INVALID")
	forgetful.refused(reset, vars{"e": "no address", "c": *mail.Code, "p": next}, "CODE_INVALID", "EMAIL_INVALID")
	if r := forgetful.must(reset, vars{"e": p.email, "c": *mail.Code, "p": next}); r.at("resetPassword") != true {
		t.Errorf("resetPassword: %s", r.Body)
	}
	p.out("a reset ends every session")
	phone.out("a reset ends every session")
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
	s.nobody(t, mode).refused(change, vars{"c": password, "n": next}, "UNAUTHENTICATED")
	p.refused(change, vars{"c": "wrong", "n": next}, "INVALID_CREDENTIALS")
	p.refused(change, vars{"c": password, "n": "12345678"}, "PASSWORD_INVALID")
	if r := p.must(change, vars{"c": password, "n": next}); r.at("changePassword") != true {
		t.Errorf("changePassword: %s", r.Body)
	}
	p.in("the session that asked")
	phone.out("every other session")
	s.Mail(p.email, "password_changed")
	if r := p.refreshes(); r.Code() != "" {
		t.Errorf("refreshing after the change: %s", r.Body)
	}
	p.signIn(next)
}

func inviting(t *testing.T, s service, mode string) {
	admin, user := s.promoted(t, mode, "admin"), s.member(t, mode, "user")
	guest := s.nobody(t, mode)
	guest.email = address("guest")
	user.refused(invite, vars{"e": guest.email}, "FORBIDDEN")
	guest.refused(invite, vars{"e": guest.email}, "UNAUTHENTICATED")
	admin.refused(invite, vars{"e": "no address"}, "EMAIL_INVALID")
	admin.refused(invite, vars{"e": user.email}, "BAD_REQUEST")
	id := admin.must(invite, vars{"e": guest.email, "l": "FR"}).text("inviteUser")
	first, mail := s.invitation(t, guest.email, "")
	if again := admin.must(invite, vars{"e": guest.email}).text("inviteUser"); again != id || id == "" {
		t.Errorf("invited %q, then %q", id, again)
	}
	second, _ := s.invitation(t, guest.email, mail)
	guest.refused(accept, vars{"t": first}, "CODE_INVALID")
	list := invitationsOf(admin, guest.email)
	if len(list) != 1 || list[0]["userId"] != id || list[0]["invitedBy"] != admin.id || list[0]["acceptedAt"] != nil {
		t.Fatalf("invitations: %v", list)
	}
	if life := when(t, list[0]["expiresAt"].(string)).Sub(when(t, list[0]["createdAt"].(string))); life != 7*24*time.Hour {
		t.Errorf("an invitation lives %v", life)
	}
	user.refused(invited, nil, "FORBIDDEN")
	guest.refused(signIn, vars{"e": guest.email, "p": password}, "INVALID_CREDENTIALS")
	guest.refused(accept, vars{"t": second, "p": "short"}, "PASSWORD_INVALID")
	if r := guest.must(accept, vars{"t": second, "p": password}); r.text("acceptInvitation", "user", "id") != id || r.at("acceptInvitation", "user", "verified") != true {
		t.Errorf("acceptInvitation: %s", r.Body)
	}
	guest.in("accepting signs in")
	guest.refused(accept, vars{"t": second}, "CODE_INVALID")
	guest.signIn(password)
	if len(invitationsOf(admin, guest.email)) != 0 {
		t.Error("an accepted invitation is listed as open")
	}
	revokingInvitations(t, s, mode, admin, user)
	withoutPassword(t, s, mode, admin)
}

func invitationsOf(admin *person, email string) (out []vars) {
	admin.t.Helper()
	all, _ := admin.must(invited, nil).at("invitations").([]any)
	for _, v := range all {
		if i := v.(vars); i["email"] == email {
			out = append(out, i)
		}
	}
	return out
}

func revokingInvitations(t *testing.T, s service, mode string, admin, user *person) {
	guest := s.nobody(t, mode)
	guest.email = address("unwanted")
	admin.must(invite, vars{"e": guest.email})
	link, _ := s.invitation(t, guest.email, "")
	id := invitationsOf(admin, guest.email)[0]["id"]
	user.refused(uninvite, vars{"i": id}, "FORBIDDEN")
	if r := admin.must(uninvite, vars{"i": id}); r.at("revokeInvitation") != true {
		t.Errorf("revokeInvitation: %s", r.Body)
	}
	admin.refused(uninvite, vars{"i": id}, "NOT_FOUND")
	admin.refused(uninvite, vars{"i": "x"}, "NOT_FOUND")
	guest.refused(accept, vars{"t": link}, "CODE_INVALID")
}

func withoutPassword(t *testing.T, s service, mode string, admin *person) {
	guest := s.nobody(t, mode)
	guest.email = address("passwordless")
	admin.must(invite, vars{"e": guest.email})
	link, _ := s.invitation(t, guest.email, "")
	guest.must(accept, vars{"t": link})
	guest.in("accepted without a password")
	guest.refused(signIn, vars{"e": guest.email, "p": password}, "INVALID_CREDENTIALS")
	guest.must(forgot, vars{"e": guest.email})
	guest.must(reset, vars{"e": guest.email, "c": guest.code("password_reset", ""), "p": password})
	guest.signIn(password)
}

func listing(t *testing.T, s service, mode string) {
	admin, user := s.promoted(t, mode, "admin"), s.member(t, mode, "zzz-listed")
	second := s.member(t, mode, "zzz-listed")
	user.refused(people, nil, "FORBIDDEN")
	s.nobody(t, mode).refused(people, nil, "UNAUTHENTICATED")
	for _, first := range []int{0, -1, 101} {
		admin.refused(people, vars{"f": first}, "BAD_REQUEST")
	}
	admin.refused(people, vars{"a": "no cursor"}, "BAD_REQUEST")
	r := admin.must(people, vars{"f": 1, "s": "ZZZ-listed"})
	if r.text("users", "edges", 0, "node", "email") != second.email || r.at("users", "pageInfo", "hasNextPage") != true {
		t.Errorf("first page: %s", r.Body)
	}
	if r.text("users", "edges", 0, "node", "sessions", 0, "id") != second.session {
		t.Errorf("admins see sessions: %s", r.Body)
	}
	r = admin.must(people, vars{"f": 1, "s": "zzz-listed", "a": r.text("users", "pageInfo", "endCursor")})
	if r.text("users", "edges", 0, "node", "email") != user.email || r.at("users", "pageInfo", "hasNextPage") != false {
		t.Errorf("second page: %s", r.Body)
	}
	if r = admin.must(people, vars{"s": "nobody has this"}); r.at("users", "pageInfo", "endCursor") != nil {
		t.Errorf("an empty page: %s", r.Body)
	}
	if r = admin.must(person1, vars{"i": user.id}); r.text("user", "email") != user.email || r.text("user", "sessions", 0, "id") != user.session {
		t.Errorf("user: %s", r.Body)
	}
	for _, id := range []string{"1", "x", "", "9223372036854775807"} {
		if r = admin.must(person1, vars{"i": id}); r.at("user") != nil {
			t.Errorf("user %q: %s", id, r.Body)
		}
	}
	user.refused(person1, vars{"i": admin.id}, "FORBIDDEN")
	user.refused(person1, vars{"i": user.id}, "FORBIDDEN")
}

func roles(t *testing.T, s service, mode string) {
	owner, admin, user := s.promoted(t, mode, "owner"), s.promoted(t, mode, "admin"), s.member(t, mode, "riser")
	user.refused(setRole, vars{"i": user.id, "r": "OWNER"}, "FORBIDDEN")
	admin.refused(setRole, vars{"i": user.id, "r": "ADMIN"}, "FORBIDDEN")
	s.nobody(t, mode).refused(setRole, vars{"i": user.id, "r": "ADMIN"}, "UNAUTHENTICATED")
	owner.refused(setRole, vars{"i": "1", "r": "ADMIN"}, "NOT_FOUND")
	owner.refused(setRole, vars{"i": user.id, "r": "admin"}, "BAD_REQUEST")
	user.refused(people, nil, "FORBIDDEN")
	if r := owner.must(setRole, vars{"i": user.id, "r": "ADMIN"}); r.text("setRole", "role") != "ADMIN" || r.text("setRole", "id") != user.id {
		t.Errorf("setRole: %s", r.Body)
	}
	user.must(people, nil) // with the token that says USER
	owner.must(setRole, vars{"i": user.id, "r": "USER"})
	user.refused(people, nil, "FORBIDDEN")
	user.in("a role change signs nobody out")
	owners := ownersBut(owner)
	for _, id := range owners {
		owner.must(setRole, vars{"i": id, "r": "USER"})
	}
	owner.refused(setRole, vars{"i": owner.id, "r": "ADMIN"}, "BAD_REQUEST")
	if r := owner.must(me, nil); r.text("me", "role") != "OWNER" {
		t.Errorf("me: %s", r.Body)
	}
}

func ownersBut(owner *person) (ids []string) {
	owner.t.Helper()
	all, _ := owner.must(people, vars{"f": 100}).at("users", "edges").([]any)
	for _, e := range all {
		if n := e.(vars)["node"].(vars); n["role"] == "OWNER" && n["id"] != owner.id {
			ids = append(ids, n["id"].(string))
		}
	}
	return ids
}

func actingOnOthers(t *testing.T, s service, mode string) {
	owner, admin, peer, user := s.promoted(t, mode, "owner"), s.promoted(t, mode, "admin"), s.promoted(t, mode, "admin"), s.member(t, mode, "user")
	const next = "a brand new password"
	user.refused(setPass, vars{"i": admin.id, "p": next}, "FORBIDDEN")
	user.refused(endAll, vars{"i": admin.id}, "FORBIDDEN")
	user.refused(remove, vars{"i": []string{admin.id}}, "FORBIDDEN")
	for _, above := range []string{peer.id, owner.id} {
		admin.refused(setPass, vars{"i": above, "p": next}, "FORBIDDEN")
		admin.refused(endAll, vars{"i": above}, "FORBIDDEN")
		admin.refused(remove, vars{"i": []string{user.id, above}}, "FORBIDDEN")
	}
	admin.refused(setPass, vars{"i": "1", "p": next}, "NOT_FOUND")
	admin.refused(setPass, vars{"i": user.id, "p": "short"}, "PASSWORD_INVALID")
	admin.refused(endAll, vars{"i": "x"}, "NOT_FOUND")
	admin.refused(remove, vars{"i": []string{user.id, "1"}}, "NOT_FOUND")
	admin.refused(remove, vars{"i": []string{user.id, admin.id}}, "CANNOT_DELETE_SELF")
	user.in("all or none was deleted")

	user.as(byBearer)
	if r := admin.must(endAll, vars{"i": user.id}); r.at("adminEndSessions") != 2.0 {
		t.Errorf("adminEndSessions: %s", r.Body)
	}
	user.out("sessions were ended")
	user.signIn(password)
	if r := admin.must(setPass, vars{"i": user.id, "p": next}); r.at("adminSetPassword") != true {
		t.Errorf("adminSetPassword: %s", r.Body)
	}
	user.out("the password was set")
	user.refused(signIn, vars{"e": user.email, "p": password}, "INVALID_CREDENTIALS")
	user.signIn(next)
	owner.must(endAll, vars{"i": peer.id})
	peer.out("an owner may")
	if r := owner.must(remove, vars{"i": []string{user.id, peer.id, user.id}}); r.at("adminDeleteUsers") != 2.0 {
		t.Errorf("adminDeleteUsers: %s", r.Body)
	}
	user.out("deleted")
	user.refused(signIn, vars{"e": user.email, "p": next}, "INVALID_CREDENTIALS")
	if r := owner.must(person1, vars{"i": user.id}); r.at("user") != nil {
		t.Errorf("a deleted user: %s", r.Body)
	}
	again := s.nobody(t, mode)
	again.email = user.email
	again.signUp(password)
	again.must(verify, vars{"e": again.email, "c": again.code("verification", s.newestBefore(t, again.email))})
	if again.signIn(password); again.id == user.id {
		t.Error("a deleted user's id was given out again")
	}
}

// newestBefore is the second newest verification mail of an address.
func (s service) newestBefore(t *testing.T, to string) string {
	t.Helper()
	var ids []string
	for _, m := range s.Mailbox(to) {
		if m.Kind == "verification" {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) < 2 {
		return ids[0]
	}
	return ids[1]
}

func tokenInfo(t *testing.T, s service, mode string) {
	p, stranger := s.promoted(t, mode, "admin"), s.nobody(t, byBearer)
	r := stranger.must(token, vars{"t": p.access})
	for field, want := range (vars{"active": true, "userId": p.id, "sessionId": p.session, "role": "ADMIN"}) {
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
			t.Errorf("%.20q is active", dead)
		}
		for _, field := range []string{"userId", "sessionId", "role", "expiresAt"} {
			if r.at("tokenInfo", field) != nil {
				t.Errorf("%.20q tells its %s", dead, field)
			}
		}
	}
}

func auditing(t *testing.T, s service, mode string) {
	owner, admin, user := s.promoted(t, mode, "owner"), s.promoted(t, mode, "admin"), s.member(t, mode, "watched")
	admin.refused(auditLn, nil, "FORBIDDEN")
	user.refused(auditLn, nil, "FORBIDDEN")
	s.nobody(t, mode).refused(auditLn, nil, "UNAUTHENTICATED")
	owner.refused(auditLn, vars{"f": 101}, "BAD_REQUEST")
	owner.must(setRole, vars{"i": user.id, "r": "ADMIN"})
	admin.must(invite, vars{"e": address("audited")})
	r := owner.must(auditLn, vars{"u": user.id})
	newest := func(field string) any { return r.at("auditLog", "edges", 0, "node", field) }
	if newest("action") != "user.role_set" || newest("actor") != owner.id || newest("target") != user.id || newest("ip") != owner.header.Get("X-Forwarded-For") {
		t.Errorf("newest entry: %s", r.Body)
	}
	if age := time.Since(when(t, r.text("auditLog", "edges", 0, "node", "at"))); age < 0 || age > time.Minute {
		t.Errorf("%v ago", age)
	}
	var actions []string
	entries, _ := r.at("auditLog", "edges").([]any)
	for _, e := range entries {
		actions = append(actions, fmt.Sprint(e.(vars)["node"].(vars)["action"]))
	}
	for _, want := range []string{"user.verified", "session.started"} {
		if !slices.Contains(actions, want) {
			t.Errorf("no %s among %q", want, actions)
		}
	}
	first := owner.must(auditLn, vars{"f": 1})
	second := owner.must(auditLn, vars{"f": 1, "a": first.text("auditLog", "pageInfo", "endCursor")})
	if first.at("auditLog", "pageInfo", "hasNextPage") != true || first.text("auditLog", "edges", 0, "node", "id") <= second.text("auditLog", "edges", 0, "node", "id") {
		t.Errorf("pages: %s %s", first.Body, second.Body)
	}
	if r := owner.must(auditLn, vars{"u": "x"}); r.at("auditLog", "edges", 0) != nil {
		t.Errorf("entries of nobody: %s", r.Body)
	}
}
